/** The report of `svc doctor`. */
import type { Check } from '../probe/check.ts';

export interface Report {
  readonly version: string;
  readonly canSpeak: boolean;
  readonly checks: readonly Check[];
}

const labels = { ok: 'ok', missing: '-', failed: 'FAILED' } as const;

/** Maximum length of a summary in text; JSON has all of it. */
const longest = 160;

const shorten = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);

/** The report as text: one line per check, with the fix below it; what svc speaks without comes last. */
export function describeReport({ version, canSpeak, checks }: Report): string {
  const [packages, others] = [checks.filter(isPackage), checks.filter((check) => !isPackage(check))];
  const summary = packages.length > 0 ? [describePackages(packages)] : [];
  const needed = [...others.filter(({ status }) => status !== 'missing'), ...summary];
  const optional = others.filter(({ status }) => status === 'missing');
  const width = Math.max(...[...needed, ...optional].map(({ name }) => name.length));
  const lines = [
    `svc ${version}`,
    ...needed.flatMap((check) => describeCheck(check, width)),
    ...(optional.length > 0 ? ['Not set up, which svc speaks without:'] : []),
    ...optional.flatMap((check) => describeCheck(check, width)),
    canSpeak ? 'svc can speak on this machine.' : 'svc cannot speak on this machine.',
  ];
  // A path or the name of a driver may contain control characters.
  return `${lines.map((line) => line.replace(/\p{Cc}/gu, '�')).join('\n')}\n`;
}

const describeCheck = ({ name, status, summary, remedy }: Check, width: number): readonly string[] => [
  `${labels[status].padEnd(6)}  ${name.padEnd(width)}  ${shorten(summary)}`,
  ...(remedy === undefined || status === 'ok' ? [] : [`${' '.repeat(width + 8)}  > ${remedy}`]),
];

const isPackage = ({ part }: Check): boolean => part === 'packages';

/** All optional packages in one line; JSON has the command for each. */
function describePackages(packages: readonly Check[]): Check {
  const installed = packages.filter(({ status }) => status === 'ok').map(({ name }) => name);
  const count = `${installed.length} of ${packages.length} optional ones are installed`;
  const names = installed.length > 0 && installed.length < packages.length ? ` (${installed.join(', ')})` : '';
  const others = installed.length < packages.length ? '; a command that needs another one names it' : '';
  return { name: 'packages', status: 'ok', summary: `${count}${names}${others}` };
}
