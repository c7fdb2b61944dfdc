import { readFileSync } from 'node:fs';

/** Rows of a table whose first line names the columns. A backslash escapes: `\n`, `\t`, `\\`, `\u{20}`. */
export function readRows<Column extends string>(path: string): readonly Readonly<Record<Column, string>>[] {
  const lines = readFileSync(path, 'utf8').replace(/\n$/, '').split('\n');
  const [names = [], ...rows] = lines.map((line) => line.split('\t').map(readCell));
  return rows.map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at]])) as Record<Column, string>);
}

const readCell = (cell: string): string =>
  cell.replaceAll(/\\(?:u\{([0-9a-f]+)\}|(.))/g, (_, code?: string, letter = '') => {
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
    return { n: '\n', t: '\t' }[letter as 'n' | 't'] ?? letter;
  });
