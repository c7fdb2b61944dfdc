/** What a command prints on standard output. */
import type { Io } from '../io.ts';

type Streams = Pick<Io, 'stdout'>;

export const printLine = (line: string, { stdout }: Streams): void => void stdout.write(`${line}\n`);

export const printJson = (value: object, io: Streams): void => printLine(JSON.stringify(value), io);

/** Prints rows in columns, as wide as their widest cell; the last is not filled up. */
export function printColumns(rows: readonly (readonly string[])[], io: Streams): void {
  const widthOf = (column: number): number => Math.max(...rows.map((cells) => cells[column]?.length ?? 0));
  const widths = rows[0]?.slice(0, -1).map((_, column) => widthOf(column)) ?? [];
  for (const cells of rows) printLine(cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '), io);
}
