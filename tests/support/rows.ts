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
export const rowsOf = (...path: readonly string[]): readonly string[][] => tableIn(join(...path)).rows;

/** Cases with their cells by the names of the columns. @throws as `rowsOf` */
export function readRows<Column extends string>(file: string): readonly Readonly<Record<Column, string>>[] {
  const { columns, rows } = tableIn(file);
  return rows.map(
    (cells) => Object.fromEntries(columns.map((name, at) => [name, cells[at]])) as Record<Column, string>,
  );
}

/** Cases by their kind, a column, each of which gives a text and what must become of it. @throws as `rowsOf` */
export function casesIn<Column extends string = 'case' | 'given' | 'expected'>(file: string) {
  const rows = readRows<Column | 'kind'>(file);
  return (kind: string) => rows.filter((row) => row.kind === kind);
}

/** Texts by their language, the first column of a table. @throws as `rowsOf` */
export function textsByLanguage(file: string): Readonly<Record<string, readonly string[]>> {
  const rows = rowsOf(file);
  const textsOf = (language: string) => rows.filter(([own]) => own === language).map(([, text = '']) => text);
  return Object.fromEntries(rows.map(([language = '']) => [language, textsOf(language)]));
}

function tableIn(file: string): { readonly columns: readonly string[]; readonly rows: readonly string[][] } {
  const [header = '', ...lines] = readFileSync(file, 'utf8').replace(/\n$/, '').split('\n');
  const columns = header.split('\t');
  const rows = lines.map((line, index) => {
    const cells = line.split('\t');
    const place = `${file}:${index + 2}`;
    if (cells.length !== columns.length) throw new Error(`${place} must have the columns ${columns.join(', ')}`);
    return cells.map((cell) => textOf(cell, place));
  });
  return { columns, rows };
}

function textOf(cell: string, place: string): string {
  try {
    return JSON.parse(`"${cell.replaceAll('"', '\\"')}"`);
  } catch (error) {
    throw new Error(`${place} has an escape that is none of JSON`, { cause: error });
  }
}
