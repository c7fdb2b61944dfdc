import { readFileSync } from 'node:fs';

const pictures: Readonly<Record<string, string>> = { '␊': '\n', '␍': '\r', '␉': '\t' };

/**
 * Rows of a table of tests: a file of tab-separated values whose first line names the columns. `␊`, `␍`, `␉` and `\u{…}`
 * stand for characters that could not be seen.
 */
export function readRows<Column extends string>(path: string): readonly Readonly<Record<Column, string>>[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const [names = [], ...rows] = lines.map((line) => line.split('\t'));
  const read = (cell: string): string =>
    cell.replace(/[␊␍␉]|\\u\{([\da-f]+)\}/g, (sign, code?: string) =>
      code === undefined ? (pictures[sign] as string) : String.fromCodePoint(Number.parseInt(code, 16)),
    );
  return rows.map(
    (cells) => Object.fromEntries(names.map((name, at) => [name, read(cells[at] ?? '')])) as Record<Column, string>,
  );
}
