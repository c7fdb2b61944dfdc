/** Parses the lines of a batch, and finds errors of the batch as a whole. */
import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import filenamify from 'filenamify';
import { type AudioFormatName, audioFormats } from '../../audio/encode/format.ts';
import type { Transcript } from '../../engine/voice-fields.ts';
import { ignore, type SvcError, toSvcError } from '../../errors.ts';
import { requestError } from '../../validation.ts';
import { type BatchOptions, defaultsOf, type ListFormat } from './batch-options.ts';
import type { BatchInput } from './input.ts';
import { beginsArray, beginsSequence, readJsonArray } from './json-array.ts';
import { openLineIndex } from './line-index.ts';
import { type ParsedRecord, parseJsonLine, parseRecord, type RecordDefaults } from './record.ts';

export interface BatchUtterance extends ParsedRecord {
  /** 1-based line number. */
  readonly line: number;
  readonly id: string;
  /** Name of the audio file in the output folder. */
  readonly file: string;
  /** Name of the captions beside it. */
  readonly captionsFile?: string | undefined;
}

/** A line that no model can speak. */
export interface BrokenLine {
  readonly line: number;
  /** Null if the line has no valid id. */
  readonly id: string | null;
  readonly problem: SvcError;
}

export interface UtteranceOptions {
  readonly inputFormat: ListFormat;
  readonly defaults: RecordDefaults;
  /** Whether a recognizer supplies those of prompts that have none. */
  readonly transcript?: Transcript | undefined;
}

/** Parses the lines in order, skipping empty ones. */
export async function* readUtterances(
  input: BatchInput,
  { inputFormat, defaults, transcript }: UtteranceOptions,
): AsyncGenerator<BatchUtterance | BrokenLine, void, undefined> {
  let position = 0;
  for await (const { number: line, problem, fields } of readList(input, inputFormat)) {
    position += 1;
    // As the official `voxcpm batch` names its files.
    const numbered = `output_${String(position).padStart(3, '0')}`;
    let given: unknown;
    try {
      if (problem !== undefined) throw requestError(problem);
      given = fields();
      const parsed = await parseRecord(given, defaults, transcript);
      const { record } = parsed;
      const id = record.id ?? numbered;
      const { extension } = audioFormats[record.format ?? 'wav'];
      const name = fileNameOf(id);
      const captionsFile = record.captions && `${name}.${record.captions}`;
      yield { line, id, file: `${name}${extension}`, captionsFile, ...parsed };
    } catch (error) {
      const id = inputFormat === 'text' ? numbered : idOf(given);
      yield { line, id, problem: toSvcError(error) };
    }
  }
}

interface Item {
  /** 1-based line number. */
  readonly number: number;
  /** Why there are no fields. */
  readonly problem?: string | undefined;
  /** The fields of a record, unchecked. @throws SvcError INVALID_REQUEST */
  fields(): unknown;
}

async function* readList(input: BatchInput, format: ListFormat): AsyncGenerator<Item, void, undefined> {
  if (format === 'csv' || format === 'tsv') {
    const { readTable } = await import('./table.ts');
    for await (const { fields, ...row } of readTable(input, format)) yield { ...row, fields: () => fields };
    return;
  }
  const isJson = format === 'json';
  for await (const line of isJson ? readJsonArray(input) : input.lines()) {
    const { number, text = '', problem } = line;
    if (problem !== undefined)
      yield { number, problem: `the ${isJson ? 'element' : 'line'} ${problem}`, fields: ignore };
    else if (isJson || text.trim() !== '') yield { number, fields: () => fieldsOf(text, format) };
  }
}

function fieldsOf(written: string, format: ListFormat): unknown {
  const element = format === 'text' ? written : parseJsonLine(written);
  return typeof element === 'string' ? { text: element.trim() } : element;
}

function idOf(given: unknown): string | null {
  const { id } = (given ?? {}) as { readonly id?: unknown };
  return typeof id === 'number' || (typeof id === 'string' && id.trim() !== '') ? String(id) : null;
}

const formatsByExtension: Readonly<Record<string, ListFormat>> = {
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.json': 'json',
  '.csv': 'csv',
  '.tsv': 'tsv',
};

/** Detects the format by the file name, JSON by the first line. @throws SvcError if the input is not a text */
export async function detectFormat(input: BatchInput): Promise<ListFormat> {
  const named = formatsByExtension[extname(input.name).toLowerCase()];
  if (named === 'csv' || named === 'tsv') return named;
  for await (const line of input.lines()) {
    if (line.text === undefined) throw requestError(`${input.name} ${line.problem}`);
    const start = line.text.trimStart();
    if (start === '') continue;
    if (beginsArray(line.text) || beginsSequence(line.text)) return 'json';
    if (named === 'json') return start.startsWith('[') ? 'json' : 'jsonl';
    return named ?? (start.startsWith('{') ? 'jsonl' : 'text');
  }
  return named ?? 'text';
}

/** How a list is read: its format, and what the options set for all lines. @throws SvcError INVALID_REQUEST */
export const readingOf = async (input: BatchInput, options: BatchOptions): Promise<UtteranceOptions> => ({
  inputFormat: options.inputFormat ?? (await detectFormat(input)),
  defaults: defaultsOf(options),
  transcript: options.checkWith === undefined ? 'given' : 'follows',
});

export interface Survey {
  /** Number of lines that are not empty. */
  readonly count: number;
  /** Number of those that can't be spoken. */
  readonly broken: number;
  readonly formats: ReadonlySet<AudioFormatName>;
}

/** Pairs of lines that a message lists. */
const shownPairs = 3;

/** Finds errors of the whole batch, such as two lines for the same file, before anything is spoken. @throws SvcError */
export async function surveyInput(input: BatchInput, options: UtteranceOptions): Promise<Survey> {
  await using lines = await openLineIndex();
  const formats = new Set<AudioFormatName>();
  const pairs: string[] = [];
  let count = 0;
  let broken = 0;
  let repeated = 0;
  for await (const utterance of readUtterances(input, options)) {
    count += 1;
    if ('problem' in utterance) broken += 1;
    else formats.add(utterance.record.format ?? 'wav');
    const { id, line } = utterance;
    if (id === null) continue;
    const key = shortHash(foldName(fileNameOf(id)));
    const first = lines.get(key)?.toString();
    if (first === undefined) lines.set(key, Buffer.from(String(line)));
    else {
      repeated += 1;
      if (pairs.length < shownPairs) pairs.push(`${JSON.stringify(id.slice(0, 40))} in lines ${first} and ${line}`);
    }
  }
  if (count === 0) throw requestError(`${input.name} has no line with a text`);
  if (repeated > 0) {
    const more = repeated > pairs.length ? ` and ${repeated - pairs.length} more` : '';
    throw requestError(
      `${input.name} has lines with the same id, or ids that differ only in case: ${pairs.join(', ')}${more}`,
    );
  }
  return { count, broken, formats };
}

/** The first 128 bits of SHA-256. */
export const shortHash = (text: string): Buffer => createHash('sha256').update(text).digest().subarray(0, 16);

/** Characters; at most 180 bytes of UTF-8, so that temporary names stay within the file systems' limit of 255. */
const maxLength = 60;

/**
 * File name of an utterance without its extension: the id if it is a valid file name on every system. Otherwise the
 * valid rest of it and a piece of its hash, so that `a/b` and `a:b` are two files.
 *
 * @example
 * fileNameOf('chapter-1'); // chapter-1
 * fileNameOf('../etc/passwd'); // _etc_passwd-8ddb9d34
 */
export function fileNameOf(id: string): string {
  const name = filenamify(id, { replacement: '_', maxLength }).trim().replace(/^\.+/, '_');
  if (name === id) return name;
  return `${name}-${createHash('sha256').update(id).digest('hex').slice(0, 8)}`;
}

/** Maps names to one that some file systems don't distinguish: they differ in case or Unicode composition only. */
export const foldName = (name: string): string => name.normalize('NFC').toUpperCase().toLowerCase();
