/** `--show-spoken`: prints what the model gets of a text, passage by passage, instead of speaking it. */
import { assertWords } from '../engine/accepted.ts';
import type { EngineOptions } from '../engine/engine-options.ts';
import { type ParsedRequest, writtenText } from '../engine/parsed-request.ts';
import type { LanguageSource, PassagePreview, TextPreview } from '../engine/plan/preview.ts';
import type { TextReader } from '../engine/text-reader.ts';
import { inTurns } from '../event-loop.ts';
import { oneLine } from '../messages.ts';
import type { Io } from './io.ts';
import { refuseOptions } from './options/option-values.ts';
import type { SpeakOptions } from './options/speak-options.ts';
import { printJson, printLine } from './output/messages.ts';
import type { Warner } from './output/warnings.ts';

const playing = ['output', 'play', 'live', 'captions'] as const;
const ofBooks = ['list', 'preview', 'keepParts', 'respeak', 'chapterList'] as const;

/** @throws SvcError INVALID_REQUEST for options of audio, which is not made */
export const refuseAudioOptions = (options: SpeakOptions): void =>
  refuseOptions(options, [...playing, ...ofBooks], 'cannot be combined with --show-spoken, which makes no audio');

/** Opens the reader of a model's texts, without its weights. @throws SvcError as createEngine */
export async function openReader(
  options: Pick<EngineOptions, 'modelPath'>,
  { openTextReader }: Io,
): Promise<TextReader> {
  const open = openTextReader ?? (await import('../engine/open-engine.ts')).openTextReader;
  return open(options);
}

/** Shows the text as written: that of the request, or its passages where a document was turned into mark-up. */
export async function previewRequest(
  reader: TextReader,
  request: ParsedRequest,
  source: 'request' | 'passages',
  { signal }: Pick<Io, 'signal'>,
): Promise<TextPreview> {
  const speech = await inTurns(reader.accept(request), signal);
  const text = source === 'request' ? writtenText(request) : request.passages.map((passage) => passage.text).join('\n');
  return inTurns(reader.preview(speech, text), signal);
}

/** Prints a preview of a text with words, as one line of JSON with `--json`. */
export async function showSpoken(
  reader: TextReader,
  request: ParsedRequest,
  source: 'request' | 'passages',
  { json, warner }: Pick<SpeakOptions, 'json'> & { readonly warner: Warner },
  io: Io,
): Promise<void> {
  const preview = await previewRequest(reader, request, source, io);
  assertWords({ hasWords: preview.passages.length > 0 }, request);
  warner.report(preview.warnings);
  const { normalize, passages } = preview;
  const line = { model: reader.info.name, normalize, passages: passages.map(plainPassage), warnings: warner.reported };
  if (json) return printJson(line, io);
  for (const shown of describePreview(preview, 1)) printLine(shown, io);
}

/** A passage for JSON, with null for what is not known or not there. */
export function plainPassage(passage: PassagePreview): object {
  const { language = null, style = null, voice = null, unreadable = null } = passage;
  return { ...passage, language, style, voice, unreadable };
}

const sources: Readonly<Record<LanguageSource, string>> = {
  stated: 'stated',
  voice: 'that of the voice',
  detected: 'detected',
  document: 'that of the document',
  neighbours: 'that of the passages around it',
  model: 'the only one of the model in these letters',
  none: '',
};

/** Lines for people. @param first number of the first passage */
export function* describePreview({ normalize, passages }: TextPreview, first: number): Generator<string> {
  for (const [index, passage] of passages.entries()) {
    const { language, languageBy, voice, style, written, spoken, leftOut, unreadable = [] } = passage;
    const unknown = normalize ? 'language unknown, numbers are left to the model' : 'numbers are left to the model';
    const about = language === undefined ? unknown : `${language}, ${sources[languageBy]}`;
    yield `${first + index}  ${about}${voice === undefined ? '' : `; voice ${oneLine(voice)}`}`;
    const rows = [
      ['written', written],
      ['spoken', spoken],
      ['style', style ?? ''],
      ['left out', leftOut.join(' · ')],
      ['cannot read', unreadable.join(' ')],
    ] as const;
    for (const [name, value] of rows) if (value !== '') yield `   ${name.padEnd(11)}  ${oneLine(value)}`;
  }
}
