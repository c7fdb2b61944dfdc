import { toSvcError } from '../../errors.ts';

/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  /** `absent`: not there, and svc does without it. `failed`: should work and does not. */
  readonly status: 'ok' | 'absent' | 'failed';
  /** One line. */
  readonly summary: string;
  /** What to do about it. */
  readonly remedy?: string;
  /** The code of the error behind it. */
  readonly code?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface Report {
  readonly version: string;
  readonly canSpeak: boolean;
  readonly checks: readonly Check[];
}

type Missing = Exclude<Check['status'], 'ok'>;

/**
 * A check that met an error. Messages follow `expected X for Y, received Z; remedy`, of which Z is the news here.
 */
export function checkOfError(name: string, status: Missing, thrown: unknown, otherwise?: string): Check {
  const { code, message } = toSvcError(thrown);
  const line = message.split('\n')[0] ?? '';
  const received = /(?:^|, )received:? (.+)$/.exec(line)?.[1] ?? line;
  const [summary = line, ...advice] = received.split('; ');
  const remedy = advice.length > 0 ? advice.join('; ') : otherwise;
  return { name, status, summary, ...(remedy === undefined ? {} : { remedy }), code };
}

const order = { ok: 'ok', absent: '-', failed: 'FAILED' } as const;

/** Longest text of a line; JSON has it all. */
const longest = 160;

const shorten = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);

/** For people: a line a check, its remedy below it. */
export function describeReport({ version, canSpeak, checks }: Report): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, status, summary, remedy }) => [
    `${order[status].padEnd(6)}  ${name.padEnd(width)}  ${shorten(summary)}`,
    ...(remedy === undefined || status === 'ok' ? [] : [`${' '.repeat(width + 8)}  > ${remedy}`]),
  ]);
  const verdict = canSpeak ? 'svc can speak on this machine.' : 'svc can not speak on this machine.';
  // A path or a driver's name may hold anything; a terminal would act on it.
  return `${[`svc ${version}`, ...lines, verdict].map((line) => line.replace(/\p{Cc}/gu, '�')).join('\n')}\n`;
}
