/** Parses the lines of a batch, and finds errors of the batch as a whole. */
import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { type AudioFormatName, audioFormats } from '../../audio/format.ts';
import { type SvcError, toSvcError } from '../../errors.ts';
import { requestError } from '../../validation.ts';
import { fileNameOf, foldName } from './file-name.ts';
import type { BatchInput, Line } from './input.ts';
import { type BatchRecord, parseJsonLine, parseRecord, type RecordDefaults, type Transcripts } from './record.ts';

export const inputFormats = ['text', 'jsonl'] as const;
/** Whether lines are texts or JSON objects. */
export type InputFormat = (typeof inputFormats)[number];

export interface Utterance {
  /** 1-based line number. */
  readonly line: number;
  readonly id: string;
  /** Name of the audio file in the output folder. */
  readonly file: string;
  readonly record: BatchRecord;
}

/** A line that no model can speak. */
export interface BrokenLine {
  readonly line: number;
  /** Null if the line has no valid id. */
  readonly id: string | null;
  readonly problem: SvcError;
}

export interface UtteranceOptions {
  readonly inputFormat: InputFormat;
  readonly defaults: RecordDefaults;
  readonly transcripts?: Transcripts | undefined;
}

/** Parses the lines in order, skipping empty ones. */
export async function* readUtterances(
  input: BatchInput,
  { inputFormat, defaults, transcripts }: UtteranceOptions,
): AsyncGenerator<Utterance | BrokenLine, void, undefined> {
  let position = 0;
  for await (const line of input.lines()) {
    if (isEmpty(line)) continue;
    position += 1;
    // As the official `voxcpm batch` names its files.
    const numbered = `output_${String(position).padStart(3, '0')}`;
    let given: unknown;
    try {
      given = contentOf(line, inputFormat);
      const record = parseRecord(given, defaults, transcripts);
      const id = record.id ?? numbered;
      const { extension } = audioFormats[record.format ?? 'wav'];
      yield { line: line.number, id, file: `${fileNameOf(id)}${extension}`, record };
    } catch (error) {
      const id = inputFormat === 'text' ? numbered : idOf(given);
      yield { line: line.number, id, problem: toSvcError(error) };
    }
  }
}

function contentOf({ text, problem }: Line, inputFormat: InputFormat): unknown {
  if (text === undefined) throw requestError(`the line ${problem}`);
  return inputFormat === 'text' ? { text: text.trim() } : parseJsonLine(text);
}

function idOf(given: unknown): string | null {
  const { id } = (given ?? {}) as { readonly id?: unknown };
  return typeof id === 'number' || (typeof id === 'string' && id.trim() !== '') ? String(id) : null;
}

const isEmpty = ({ text }: Line): boolean => text !== undefined && text.trim() === '';

/**
 * Detects JSON by the file name or the first line.
 *
 * @throws SvcError INVALID_REQUEST when the input is empty or not a text
 */
export async function detectFormat(input: BatchInput): Promise<InputFormat> {
  const isNamedJson = ['.jsonl', '.ndjson'].includes(extname(input.name).toLowerCase());
  for await (const line of input.lines()) {
    if (isEmpty(line)) continue;
    if (line.text === undefined) throw requestError(`${input.name} ${line.problem}`);
    return isNamedJson || line.text.trimStart().startsWith('{') ? 'jsonl' : 'text';
  }
  throw requestError(`${input.name} has no line with a text`);
}

export interface Survey {
  /** Number of lines that are not empty. */
  readonly count: number;
  /** Number of those that can't be spoken. */
  readonly broken: number;
  readonly formats: ReadonlySet<AudioFormatName>;
}

/** Pairs of lines that a message lists. */
const shownPairs = 3;

/**
 * Reads all lines once, to find errors of the whole batch before anything is spoken. Keeps about 100 bytes per line.
 *
 * @throws SvcError INVALID_REQUEST when two lines would have the same file
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
    throw requestError(
      `${input.name} has lines with the same id, or ids that differ only in case: ${pairs.join(', ')}${more}`,
    );
  }
  return { count, broken, formats };
}

/** The first 128 bits of SHA-256, as 16 characters of one byte each. */
export const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest().subarray(0, 16).toString('latin1');
