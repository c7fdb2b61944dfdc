/**
 * Tables of cases beside their tests: a case a line, its cells between tabs, below the names of the columns. A cell is written as
 * a string of JSON, such as `\n`, `\\` and `\u00a0`, though without quotation marks around or a backslash before those in it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param path of the table, such as the folder of the test and a name
 * @throws for a line that isn't such a case, by its place
 */
export function rowsOf(...path: readonly string[]): readonly string[][] {
  const file = join(...path);
  const [header = '', ...lines] = readFileSync(file, 'utf8').replace(/\n$/, '').split('\n');
  const columns = header.split('\t');
  return lines.map((line, index) => {
    const cells = line.split('\t');
    const place = `${file}:${index + 2}`;
    if (cells.length !== columns.length) throw new Error(`${place} must have the columns ${columns.join(', ')}`);
    return cells.map((cell) => textOf(cell, place));
  });
}

function textOf(cell: string, place: string): string {
  try {
    return JSON.parse(`"${cell.replaceAll('"', '\\"')}"`);
  } catch (error) {
    throw new Error(`${place} has an escape that is none of JSON`, { cause: error });
  }
}
