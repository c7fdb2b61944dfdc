/** From the lines of a batch to what is to be spoken, and what is wrong with the batch as a whole. */
import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { type AudioFormatName, audioFormats } from '../../audio/format.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { fileNameOf, foldName } from './file-name.ts';
import type { BatchInput, Line } from './input.ts';
import { type BatchRecord, parseJsonLine, parseRecord, type RecordDefaults } from './record.ts';

export const inputFormats = ['text', 'jsonl'] as const;
/** Whether a line is a text or a JSON object. */
export type InputFormat = (typeof inputFormats)[number];

export interface Utterance {
  /** 1-based number of its line. */
  readonly line: number;
  readonly id: string;
  /** Name of the audio file within the output folder. */
  readonly file: string;
  readonly record: BatchRecord;
}

/** A line that can't be spoken, whatever the model. */
export interface BrokenLine {
  readonly line: number;
  /** When it has one that can be made out. */
  readonly id: string | null;
  readonly problem: SvcError;
}

export interface UtteranceOptions {
  readonly inputFormat: InputFormat;
  readonly defaults: RecordDefaults;
}

/** In order; empty lines are passed over. */
export async function* readUtterances(
  input: BatchInput,
  { inputFormat, defaults }: UtteranceOptions,
): AsyncGenerator<Utterance | BrokenLine, void, undefined> {
  let position = 0;
  for await (const line of input.lines()) {
    if (isEmpty(line)) continue;
    position += 1;
    // The names that the official `voxcpm batch` gives.
    const numbered = `output_${String(position).padStart(3, '0')}`;
    let given: unknown;
    try {
      given = contentOf(line, inputFormat);
      const record = parseRecord(given, defaults);
      const id = record.id ?? numbered;
      const { extension } = audioFormats[record.format ?? 'wav'];
      yield { line: line.number, id, file: `${fileNameOf(id)}${extension}`, record };
    } catch (error) {
      const id = inputFormat === 'text' ? numbered : idOf(given);
      yield { line: line.number, id, problem: toSvcError(error) };
    }
  }
}

function contentOf({ text, received }: Line, inputFormat: InputFormat): unknown {
  if (text === undefined) {
    throw new SvcError('INVALID_REQUEST', `expected UTF-8 text for the line, received ${received}`);
  }
  return inputFormat === 'text' ? { text: text.trim() } : parseJsonLine(text);
}

function idOf(given: unknown): string | null {
  const { id } = (given ?? {}) as { readonly id?: unknown };
  return typeof id === 'number' || (typeof id === 'string' && id !== '') ? String(id) : null;
}

const isEmpty = ({ text }: Line): boolean => text !== undefined && text.trim() === '';

/**
 * JSON when the name of the file or the first line says so.
 *
 * @throws SvcError INVALID_REQUEST when there is nothing to speak, or another file than a text
 */
export async function detectFormat(input: BatchInput): Promise<InputFormat> {
  const isNamedJson = ['.jsonl', '.ndjson'].includes(extname(input.name).toLowerCase());
  for await (const line of input.lines()) {
    if (isEmpty(line)) continue;
    if (line.text === undefined) {
      throw new SvcError('INVALID_REQUEST', `expected UTF-8 text for ${input.name}, received ${line.received}`);
    }
    return isNamedJson || line.text.trimStart().startsWith('{') ? 'jsonl' : 'text';
  }
  throw new SvcError('INVALID_REQUEST', `expected at least one line with a text for ${input.name}, received none`);
}

export interface Survey {
  /** Lines that are not empty. */
  readonly count: number;
  /** Those of them that can't be spoken. */
  readonly broken: number;
  readonly formats: ReadonlySet<AudioFormatName>;
}

/** Pairs of lines that a message names. */
const shownPairs = 3;

/**
 * Reads all lines once, so that what makes the whole batch wrong shows before anything is spoken. Keeps some 100
 * bytes a line.
 *
 * @throws SvcError INVALID_REQUEST when two lines would be one file
 */
export async function surveyInput(input: BatchInput, options: UtteranceOptions): Promise<Survey> {
  const lines = new Map<string, number>();
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
    const first = lines.get(key);
    if (first === undefined) lines.set(key, line);
    else {
      repeated += 1;
      if (pairs.length < shownPairs) pairs.push(`${JSON.stringify(id.slice(0, 40))} in lines ${first} and ${line}`);
    }
  }
  if (repeated > 0) {
    const more = repeated > pairs.length ? ` and ${repeated - pairs.length} more` : '';
    const expected = 'ids that differ in more than upper and lower case';
    throw new SvcError(
      'INVALID_REQUEST',
      `expected ${expected} for ${input.name}, received ${pairs.join(', ')}${more}`,
    );
  }
  return { count, broken, formats };
}

/** 128 bits, as 16 characters of one byte each. */
export const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest().subarray(0, 16).toString('latin1');
