import { toSvcError } from '../../errors.ts';

/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  /** `missing`: an optional part that is not there. `failed`: should work and does not. */
  readonly status: 'ok' | 'missing' | 'failed';
  /** One line. */
  readonly summary: string;
  /** What to do about it. */
  readonly remedy?: string | undefined;
  /** The code of the error behind it. */
  readonly code?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export interface Report {
  readonly version: string;
  readonly canSpeak: boolean;
  readonly checks: readonly Check[];
}

type Problem = Exclude<Check['status'], 'ok'>;

/**
 * A check that met an error. Messages follow `expected X for Y, received Z; remedy`, of which Z is the news here.
 */
export function checkOfError(name: string, status: Problem, thrown: unknown, otherwise?: string): Check {
  const { code, message } = toSvcError(thrown);
  const line = message.split('\n')[0] ?? '';
  const [, needed, command] = /^(.+ needs .+): (npm install .+)$/.exec(line) ?? [];
  if (needed !== undefined) return { name, status, summary: needed, remedy: `install it with: ${command}`, code };
  const received = /(?:^|, )received:? (.+)$/.exec(line)?.[1] ?? line;
  const [summary = line, ...advice] = received.split('; ');
  const remedy = advice.length > 0 ? advice.join('; ') : otherwise;
  return { name, status, summary, remedy, code };
}

const labels = { ok: 'ok', missing: 'missing', failed: 'FAILED' } as const;

/** Longest text of a line; JSON has it all. */
const longest = 160;

const shorten = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);

/** For people: a line a check, its remedy below it. */
export function describeReport({ version, canSpeak, checks }: Report): string {
  const named = checks.map(({ name, status, ...rest }) => {
    return { ...rest, status, name: status === 'missing' ? `${name} (optional)` : name };
  });
  const width = Math.max(...named.map(({ name }) => name.length));
  const lines = named.flatMap(({ name, status, summary, remedy }) => [
    `${labels[status].padEnd(7)}  ${name.padEnd(width)}  ${shorten(summary)}`,
    ...(remedy === undefined || status === 'ok' ? [] : [`${' '.repeat(width + 9)}  > ${remedy}`]),
  ]);
  const verdict = canSpeak ? 'svc can speak on this machine.' : 'svc cannot speak on this machine.';
  // A path or a driver's name may hold anything; a terminal would act on it.
  return `${[`svc ${version}`, ...lines, verdict].map((line) => line.replace(/\p{Cc}/gu, '�')).join('\n')}\n`;
}
