/** Messages for people on standard error, in color where the terminal has it, and results on standard output. */
import { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import { oneLine } from '../../messages.ts';
import type { Io } from '../io.ts';
import { writeAbove } from './status-line.ts';

type Streams = Pick<Io, 'stderr' | 'environment'>;

/** Whether to write colors to a stream. `NO_COLOR`, `FORCE_COLOR` and `TERM` are read as Node.js reads them. */
export function hasColor({ isTTY }: { readonly isTTY?: boolean }, environment: Io['environment']): boolean {
  const { NO_COLOR, FORCE_COLOR, ...terminal } = environment;
  const depth = (variables: object): number => WriteStream.prototype.getColorDepth(variables);
  if (FORCE_COLOR !== undefined) return depth({ FORCE_COLOR }) > 1;
  return isTTY === true && !NO_COLOR && depth(terminal) > 1;
}

export const printError = (message: string, io: Streams): void => print('error', message, io);

export const printWarning = (message: string, io: Streams): void => print('warning', message, io);

export const printNote = (message: string, io: Streams): void => write(message, io);

const colors = { error: 'red', warning: 'yellow' } as const;

function print(label: keyof typeof colors, message: string, io: Streams): void {
  // Without `validateStream`, newer versions of Node.js would look at the process's standard output.
  const shown = hasColor(io.stderr, io.environment)
    ? styleText(colors[label], `${label}:`, { validateStream: false })
    : `${label}:`;
  write(`${shown} ${message.trim()}`, io);
}

/** One message is one line, whatever a library or a file name put into it. */
const write = (message: string, { stderr }: Streams): void => writeAbove(stderr, `svc: ${oneLine(message)}\n`);

export const printLine = (line: string, { stdout }: Pick<Io, 'stdout'>): void => void stdout.write(`${line}\n`);

export const printJson = (value: object, io: Pick<Io, 'stdout'>): void => printLine(JSON.stringify(value), io);

/** Prints rows in columns, as wide as their widest cell; the last is not filled up. */
export function printColumns(rows: readonly (readonly string[])[], io: Pick<Io, 'stdout'>): void {
  const widthOf = (column: number): number => Math.max(...rows.map((cells) => cells[column]?.length ?? 0));
  const widths = rows[0]?.slice(0, -1).map((_, column) => widthOf(column)) ?? [];
  for (const cells of rows) printLine(cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '), io);
}
