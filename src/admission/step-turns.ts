/**
 * Lets a number of tasks compute at once, and more of them take turns: between two pieces, a task gives way to one with a
 * higher rank. First come listeners, then files; among these those whose first words are not sent yet; then the key that
 * has had the least for its weight.
 */
import { waitFor } from '../cancellation.ts';

export interface FairShare {
  /** Name of the API key; undefined without keys. */
  readonly owner: string | undefined;
  /** A key of weight 2 gets twice as much as one of weight 1. */
  readonly weight: number;
}

export const noShare: FairShare = { owner: undefined, weight: 1 };

export interface TaskPriority extends FairShare {
  readonly priority: 'interactive' | 'batch';
}

export type StepTurns = ReturnType<typeof createStepTurns>;
export type StepTurn = Awaited<ReturnType<StepTurns['enter']>>;

interface TurnTaker {
  readonly task: TaskPriority;
  isBegun: boolean;
  /** Pieces since the task last got its place. */
  pieces: number;
  grant: () => void;
  /** Undefined once it has been called. */
  displace: (() => void) | undefined;
}

/** Pieces after which a task gives way to one of the same rank. */
const turnPieces = 12;

export function createStepTurns(places: number) {
  const computing = new Set<TurnTaker>();
  const waiting = new Set<TurnTaker>();
  /** Pieces of each key divided by its weight. */
  const served = new Map<string | undefined, number>();

  const present = (): TurnTaker[] => [...computing, ...waiting];
  const servedOf = ({ task }: TurnTaker): number => served.get(task.owner) ?? 0;
  const rank = ({ task, isBegun }: Pick<TurnTaker, 'task' | 'isBegun'>): number =>
    (task.priority === 'batch' ? 2 : 0) + (isBegun ? 1 : 0);

  /** Negative if `a` goes first. */
  const compare = (a: TurnTaker, b: TurnTaker): number => rank(a) - rank(b) || servedOf(a) - servedOf(b);

  /** An idle key earns no credit. */
  function welcome({ owner }: FairShare): void {
    const others = present().filter(({ task }) => task.owner !== owner);
    if (others.length === present().length && others.length > 0) {
      served.set(owner, Math.max(served.get(owner) ?? 0, Math.min(...others.map(servedOf))));
    }
    for (const known of served.keys()) {
      if (known !== owner && !others.some(({ task }) => task.owner === known)) served.delete(known);
    }
  }

  function wait(entry: TurnTaker, signal: AbortSignal): Promise<void> {
    const begin = (resolve: () => void): void => {
      entry.grant = () => {
        entry.pieces = 0;
        computing.add(entry);
        resolve();
      };
      waiting.add(entry);
      advance();
      if (!computing.has(entry) && rank(entry) < 2) displaceOne();
    };
    return waitFor(signal, begin, () => void waiting.delete(entry));
  }

  /** The youngest file has the least to lose. */
  function displaceOne(): void {
    const youngest = [...computing].findLast((entry) => rank(entry) >= 2 && entry.displace !== undefined);
    const displace = youngest?.displace;
    if (youngest !== undefined) youngest.displace = undefined;
    displace?.();
  }

  function advance(): void {
    while (computing.size < places && waiting.size > 0) [...waiting].sort(compare)[0]?.grant();
  }

  function givesWay(entry: TurnTaker): boolean {
    return [...waiting].some((other) => {
      const difference = compare(other, entry);
      // Surplus is repaid in whole turns.
      const isBetter = rank(other) < rank(entry) || servedOf(other) + 1 / other.task.weight < servedOf(entry);
      return (difference < 0 && isBetter) || (difference <= 0 && entry.pieces >= turnPieces);
    });
  }

  return {
    /**
     * Resolves when the first piece may be computed.
     *
     * @param displace is called when a listener waits for the place of a file, whose pieces are too long to wait for; the
     *   task should then leave
     */
    async enter(task: TaskPriority, signal: AbortSignal, displace?: () => void) {
      welcome(task);
      const entry: TurnTaker = { task, isBegun: false, pieces: 0, grant: () => undefined, displace };
      await wait(entry, signal);
      return {
        /** Whether `next` resolves at once. */
        isFree: (): boolean => !givesWay(entry),
        /** Counts a piece of this part of a text and resolves when the next one may be computed. Rejects with the signal's reason. */
        async next(part: number): Promise<void> {
          entry.isBegun = part > 0;
          entry.pieces += 1;
          served.set(task.owner, servedOf(entry) + 1 / task.weight);
          if (!givesWay(entry)) return;
          computing.delete(entry);
          await wait(entry, signal);
        },
        leave(): void {
          computing.delete(entry);
          advance();
        },
      };
    },
    /** Whether a running task would give way to any other; a quick check. */
    mayYield: (): boolean => {
      const owners = new Set(present().map(({ task }) => task.owner));
      return computing.size >= places && (!owners.has(undefined) || [...computing].some((entry) => rank(entry) > 0));
    },
    /** Whether a running task would give way to a new one with this priority. */
    yieldsTo(task: TaskPriority): boolean {
      const all = present();
      const running = (owner: string | undefined): number =>
        all.filter((entry) => entry.task.owner === owner && rank(entry) < 2).length;
      const fits = (running(task.owner) + 1) / task.weight;
      return [...computing].some((entry) => {
        if (rank(entry) >= 2) return task.priority === 'interactive';
        if (task.priority === 'batch') return false;
        if (entry.task.owner !== task.owner) return fits < running(entry.task.owner) / entry.task.weight;
        return entry.isBegun && all.length < 1.5 * places;
      });
    },
  };
}
