/** The fields of a line, and how options fill in those that it leaves out. */
import { z } from 'zod';
import { audioFormatNames } from '../../audio/encode/format.ts';
import { sampleFormats } from '../../audio/encode/wav-encode.ts';
import { captionFormats } from '../../captions/captions.ts';
import { type ParsedRequest, parseRequestText } from '../../engine/parsed-request.ts';
import { resolveFields } from '../../engine/request.ts';
import { type FieldName, ranges, requestFields, schemaOf } from '../../engine/request-fields.ts';
import { requireVisible } from '../../engine/text/normalize.ts';
import { assertVoices, type Transcript, voicesOf } from '../../engine/voice-fields.ts';
import { messageOf, SvcError } from '../../errors.ts';
import { inTurns } from '../../event-loop.ts';
import { show } from '../../messages.ts';
import { invalid, numberIn, oneOf, parse, requestError, text, truth } from '../../validation.ts';
import type { ScriptVoiceNames } from '../../voices/script-voice-names.ts';
import { storedNames } from '../../voices/script-voices.ts';
import { inputFormatOf } from '../options/text-input.ts';

const longestId = 200;
const idError = { error: `a string of 1 to ${longestId} characters or an integer` };
const writtenId = text.trim().min(1, idError).max(longestId, idError);
const path = text.min(1, { error: 'the path of an audio file' }).optional();
const lexiconError = 'the path of a lexicon, or an array of paths';
const lexiconPath = text.min(1, { error: lexiconError });

/** Request fields have the names of the library. */
const speechFields = Object.fromEntries(
  Object.keys(requestFields).map((name) => [name, schemaOf(name as FieldName).optional()]),
) as unknown as { readonly [Name in FieldName]: z.ZodOptional<ReturnType<typeof schemaOf<Name>>> };

/** Messages complete `FIELD must be …`. */
const recordSchema = z.strictObject({
  /** Names the audio file and the entry in the manifest; the number of the utterance when left out. */
  id: z.union([writtenId, z.int(idError).transform(String)], idError).optional(),
  text,
  voice: text.min(1, { error: 'a voice name' }).optional(),
  promptAudio: path,
  promptText: text.trim().min(1, { error: 'the transcript of the recording' }).optional(),
  referenceAudio: path,
  denoise: truth.optional(),
  /** Names of voices by the names that a script uses. */
  voices: voicesOf(text.min(1)).optional(),
  lexicon: z.union([lexiconPath.transform((only) => [only]), z.array(lexiconPath)], { error: lexiconError }).optional(),
  ...speechFields,
  captions: oneOf(captionFormats).optional(),
  captionWords: truth.optional(),
  format: oneOf(audioFormatNames).optional(),
  sampleFormat: oneOf(sampleFormats).optional(),
  speed: numberIn(ranges.speed).optional(),
});

export type BatchRecord = Readonly<z.output<typeof recordSchema>>;
export type BatchField = keyof BatchRecord;
/** Fields that options set for all lines. */
export type RecordDefaults = Omit<BatchRecord, 'id' | 'text'>;

/** Names of the same fields as options and in HTTP requests. */
const otherNames = new Map<string, BatchField>([
  ['cfgValue', 'cfg'],
  ['inferenceTimesteps', 'timesteps'],
  ['textFormat', 'inputFormat'],
  ['responseFormat', 'format'],
  ['trimSilenceVad', 'trimSilence'],
  ['loraName', 'lora'],
]);

/** Maps `prompt_audio` and `prompt-audio` to `promptAudio`; undefined for a field that does not exist. */
export function fieldOf(key: string): BatchField | undefined {
  const camel = key.replace(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const field = otherNames.get(camel) ?? camel;
  return Object.hasOwn(recordSchema.shape, field) ? (field as BatchField) : undefined;
}

/** Kind of the cells of a table, where every value is written as text. */
export function fieldKind(field: BatchField): 'number' | 'boolean' | 'text' {
  if (field === 'captionWords' || field === 'denoise') return 'boolean';
  if (field === 'speed') return 'number';
  const kind = field in requestFields ? requestFields[field as FieldName].kind : 'text';
  if (kind === 'boolean') return kind;
  return kind === 'integer' || kind === 'number' ? 'number' : 'text';
}

/** For suggestions, in both spellings. */
export const fieldNames = Object.keys(recordSchema.shape).flatMap((name) => [
  name,
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
]);

/** One line of JSON. @throws SvcError INVALID_REQUEST */
export function parseJsonLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new SvcError('INVALID_REQUEST', `the line must be a JSON object: ${messageOf(cause)}`, { cause });
  }
}

export interface ParsedRecord {
  readonly record: BatchRecord;
  /** The record as a request, without its voices and its lexicon. */
  readonly request: ParsedRequest;
  /** Names of stored voices by the names that its script uses. */
  readonly voiceNames: ScriptVoiceNames;
}

/** Parses a record, with all checks that need neither model nor audio files. @throws SvcError INVALID_REQUEST */
export async function parseRecord(
  input: unknown,
  defaults: RecordDefaults,
  transcript: Transcript = 'given',
): Promise<ParsedRecord> {
  if (input === null || typeof input !== 'object' || Array.isArray(input))
    throw invalid('a JSON object', 'the line', show(input));
  const fields = new Map<string, unknown>();
  for (const [key, value] of Object.entries(input)) {
    // Exported tables have null in empty cells.
    if (value === null) continue;
    // A field that does not exist keeps its spelling, for the message.
    const field = fieldOf(key) ?? key;
    if (fields.has(field)) throw requestError(`${field} is given twice, once as ${show(key)}`);
    fields.set(field, value);
  }
  const given = parse(recordSchema, Object.fromEntries(fields), 'the line', fieldNames);
  const record = withoutIdleDenoise({ ...withoutVoice(defaults, given), ...given }, given);
  const request = await requestOf(record, transcript);
  return { record, request, voiceNames: storedNames(request, record.voices) };
}

/** A line with a voice of its own ignores all voice options. */
function withoutVoice(defaults: RecordDefaults, given: BatchRecord): RecordDefaults {
  const { voice, promptAudio, promptText, referenceAudio } = given;
  if ((voice ?? promptAudio ?? promptText ?? referenceAudio) === undefined) return defaults;
  const { voice: _v, promptAudio: _a, promptText: _t, referenceAudio: _r, ...rest } = defaults;
  return rest;
}

/** The default of `denoise` is for lines with a recording; a line that sets it without one gets a warning. */
function withoutIdleDenoise(record: BatchRecord, { denoise: own }: BatchRecord): BatchRecord {
  if (own !== undefined || record.promptAudio !== undefined || record.referenceAudio !== undefined) return record;
  const { denoise: _, ...rest } = record;
  return rest;
}

/** @throws SvcError INVALID_REQUEST */
async function requestOf(given: BatchRecord, transcript: Transcript): Promise<ParsedRequest> {
  const { id, voice, promptAudio, promptText, referenceAudio, denoise, voices = {}, lexicon, ...record } = given;
  const { format = 'wav', sampleFormat = 's16', captions, captionWords, text: spoken, ...rest } = record;
  if (voice !== undefined && (promptAudio ?? promptText ?? referenceAudio) !== undefined)
    throw requestError('voice cannot be combined with a prompt or a reference');
  if (sampleFormat !== 's16' && format !== 'wav')
    throw requestError(`sampleFormat ${sampleFormat} needs format wav; ${format} files use s16`);
  if (captionWords && captions !== 'vtt' && captions !== 'ass')
    throw requestError('captionWords needs captions vtt or ass');
  requireVisible(spoken);
  const fields = resolveFields({ ...rest, inputFormat: inputFormatOf(given) });
  assertVoices({ promptAudio, promptText, control: fields.control }, transcript);
  return inTurns(parseRequestText({ ...fields, text: spoken }, { listed: Object.keys(voices) }));
}
