/** Rows of CSV and TSV as the fields of lines: the first row names the fields. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, type Info, parse } from 'csv-parse';
import { didYouMean, show } from '../../messages.ts';
import { readTruth, requestError } from '../../validation.ts';
import { voiceNamesOf } from '../../voices/script-voice-names.ts';
import { type BatchInput, decodeText, maxLineBytes } from './input.ts';
import { type BatchField, fieldKind, fieldNames, fieldOf } from './record.ts';

/** One row below the header; or why it is none. */
export interface Row {
  /** 1-based line on which it begins. */
  readonly number: number;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly problem?: string;
}

const delimiters = { csv: ',', tsv: '\t' } as const;

/** Reads rows as they are consumed; skips those without content. @throws SvcError with the line of a fault */
export async function* readTable(input: BatchInput, format: 'csv' | 'tsv'): AsyncGenerator<Row, void, undefined> {
  let header: readonly (BatchField | undefined)[] | undefined;
  for await (const { cells, number } of readCells(input, format)) {
    const problem = cells.find((cell) => typeof cell !== 'string')?.problem;
    if (header === undefined) {
      if (problem !== undefined) throw atLine(input, number, `the header ${problem}`);
      header = parseHeader(cells as string[], (message) => atLine(input, number, message));
    } else if (problem !== undefined) yield { number, problem: `the row ${problem}` };
    else if (cells.some((cell) => cell !== '')) yield { number, ...rowOf(header, cells as string[]) };
  }
}

const atLine = ({ name }: BatchInput, number: number, message: string) =>
  requestError(`${name}, line ${number}: ${message}`);

type Cells = { readonly number: number; readonly cells: readonly (string | { readonly problem: string })[] };

async function* readCells(input: BatchInput, format: keyof typeof delimiters): AsyncGenerator<Cells, void, undefined> {
  const parser = parse({
    delimiter: await delimiterOf(input, format),
    record_delimiter: '\n',
    // Cells are decoded here, so that invalid UTF-8 is found.
    encoding: null,
    info: true,
    relax_column_count: true,
    // As in `5" nail`: spreadsheets read it as it is.
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: maxLineBytes,
  });
  const feeding = pipeline(Readable.from(unixLines(input)), parser);
  // Its errors reach the loop through the parser.
  feeding.catch(() => undefined);
  try {
    for await (const row of parser) {
      const { record, info } = row as { readonly record: readonly Buffer[]; readonly info: Info };
      const cells = record.map(decodeCell);
      const newlines = record.reduce((sum, cell) => sum + count(cell, 0x0a), 0);
      yield { cells, number: info.lines - newlines };
    }
  } catch (error) {
    if (error instanceof CsvError) throw atLine(input, Number(error.lines), reasons[error.code] ?? error.message);
    throw error;
  } finally {
    parser.destroy();
    await feeding.catch(() => undefined);
  }
}

const reasons: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is never closed',
  CSV_MAX_RECORD_SIZE: 'the row is too long; a quote may not be closed',
};

/** Excel's first line, which states the separator and is no row. */
const statedSeparator = /^\uFEFF?"?sep=([,;|\t])"?\r?$/i;

/** Spreadsheets write semicolons where the comma separates decimals, and some tabs. */
async function delimiterOf(input: BatchInput, format: keyof typeof delimiters): Promise<string> {
  for await (const bytes of input.bytes()) {
    const line = bytes.toString();
    const [, stated] = statedSeparator.exec(line) ?? [];
    if (stated !== undefined) return stated;
    if (format === 'tsv' || line.includes(',')) return delimiters[format];
    return [';', '\t'].find((separator) => line.includes(separator)) ?? delimiters[format];
  }
  return delimiters[format];
}

/** Lines with Unix line ends and without a byte order mark; the one that states the separator is empty. */
async function* unixLines(input: BatchInput): AsyncGenerator<Buffer, void, undefined> {
  let isFirst = true;
  for await (const line of input.bytes()) {
    const start = isFirst && line.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
    const isStated = isFirst && line.length < 12 && statedSeparator.test(line.toString());
    isFirst = false;
    yield isStated ? lineFeed : Buffer.concat([line.subarray(start, line.at(-1) === 0x0d ? -1 : undefined), lineFeed]);
  }
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const lineFeed = Buffer.from('\n');

const count = (bytes: Buffer, value: number): number => {
  let found = 0;
  for (let at = bytes.indexOf(value); at !== -1; at = bytes.indexOf(value, at + 1)) found += 1;
  return found;
};

const decodeCell = (bytes: Buffer): string | { readonly problem: string } => {
  const { text, problem = '' } = decodeText(bytes);
  return text?.trim() ?? { problem };
};

/** The field of each column; undefined for a column without a name. */
function parseHeader(
  names: readonly string[],
  problem: (message: string) => Error,
): readonly (BatchField | undefined)[] {
  const seen = new Map<BatchField, string>();
  const fields = names.map((name) => {
    if (name === '') return undefined;
    const field = fieldOf(name) ?? fieldOf(name.toLowerCase().replace(/\s+/g, '_'));
    if (field === undefined) throw problem(`unknown column ${show(name)}${didYouMean(name, fieldNames)}`);
    const other = seen.get(field);
    if (other !== undefined) throw problem(`columns ${show(other)} and ${show(name)} are the same field`);
    seen.set(field, name);
    return field;
  });
  if (!seen.has('text')) throw problem('the header has no column "text"');
  return fields;
}

function rowOf(header: readonly (BatchField | undefined)[], given: readonly string[]): Omit<Row, 'number'> {
  // Spreadsheets end rows with commas.
  const cells = given.slice(header.length).every((cell) => cell === '') ? given.slice(0, header.length) : given;
  if (cells.length !== header.length)
    return { problem: `the row has ${cells.length} cells, but the header has ${header.length}` };
  const unnamed = cells.findIndex((cell, at) => cell !== '' && header[at] === undefined);
  if (unnamed !== -1) return { problem: `the cell in column ${unnamed + 1} has no column name` };
  const filled = cells.flatMap((cell, at) => {
    const field = header[at];
    return cell === '' || field === undefined ? [] : [[field, cellValue(field, cell)] as const];
  });
  return { fields: Object.fromEntries(filled) };
}

/** A cell as the value of its field; unchanged if it is none, for the message. */
function cellValue(field: BatchField, cell: string): unknown {
  if (field === 'voices') return voiceNamesOf(cell) ?? cell;
  switch (fieldKind(field)) {
    case 'number':
      return /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(cell) ? Number(cell) : cell;
    case 'boolean':
      return readTruth(cell) ?? cell;
    default:
      return cell;
  }
}
