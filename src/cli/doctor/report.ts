/** The report of `svc doctor`. */
import type { Check } from '../probe/check.ts';

export interface Report {
  readonly version: string;
  readonly canSpeak: boolean;
  readonly checks: readonly Check[];
}

const labels = { ok: 'ok', missing: 'missing', failed: 'FAILED' } as const;

/** Maximum length of a summary in text; JSON has all of it. */
const longest = 160;

const shorten = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);

/** The report as text: one line per check, with the fix below it. */
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
  // A path or the name of a driver may contain control characters.
  return `${[`svc ${version}`, ...lines, verdict].map((line) => line.replace(/\p{Cc}/gu, '�')).join('\n')}\n`;
}
