/**
 * An accepted request: all that a model needs to know of a speech, checked and read once. Plain data, which a broker carries to
 * the worker that speaks it.
 */
import type { Steps } from '../event-loop.ts';
import { show } from '../messages.ts';
import { requestError } from '../validation.ts';
import type { ModelInfo } from './backend.ts';
import { type LexiconEntry, lexiconSteps, overlayLexicon } from './lexicon/lexicon.ts';
import { randomSeed } from './noise.ts';
import type { ParsedRequest } from './parsed-request.ts';
import { assertSupported, type RequestFields } from './request.ts';
import type { Passage } from './script/passage.ts';
import { cleanSteps, cleanText, isSpeakable } from './text/clean.ts';
import type { LanguageReader } from './text/language/language-reader.ts';
import { knownTag, type TextInfo } from './text/languages.ts';
import { tagsNeedModel2 } from './text/model-tags.ts';
import { paragraphBreaks, paragraphsOf } from './text/paragraphs.ts';
import type { Span } from './text/span.ts';
import { splitStyle } from './text/style.ts';
import { assertRecordings, assertVoices, type VoiceFields } from './voice-fields.ts';

/** How a speech is generated, and in which voices: all but its text. */
export interface AcceptedFields extends RequestFields {
  readonly seed: number;
}

/** A passage as it is spoken, but for cleaning and normalization. */
export interface AcceptedPassage extends Passage {
  /** Style given before this or an earlier turn of the voice; not part of the text. */
  readonly style: string;
  /** Where the text as written was cut into paragraphs, if respellings have changed it since. */
  readonly breaks?: readonly Span[] | undefined;
}

export interface Accepted extends AcceptedFields {
  readonly passages: readonly AcceptedPassage[];
  /** Whether the text has anything to speak. It may consist of emoji. */
  readonly hasWords: boolean;
  /** Whether it is known which letters of the text the model cannot read; `warnings` then has them. */
  readonly letters: 'checked' | 'unchecked';
  /** Warnings that are known before the speech, one line each. */
  readonly warnings: readonly string[];
}

/** An accepted request whose text is still being written, and not part of it. */
export interface AcceptedLive extends AcceptedFields {
  readonly warnings: readonly string[];
}

/**
 * Accepts a request for a model, in steps.
 *
 * @throws SvcError INVALID_REQUEST for what the model doesn't support, and for a lexicon that makes the text far longer
 */
export function* acceptSteps(request: ParsedRequest, info: TextInfo): Steps<Accepted> {
  const { text, passages: written, script: _s, voiceNames: _v, statedSeconds: _p, warnings, ...fields } = request;
  assertSupported(fields, info);
  const styled = extractStyles(written, fields, info, emptyLiveTextState());
  const passages = yield* pronounceSteps(styled, fields, text.length);
  const hasWords = yield* hasSpeakableText(passages, fields);
  const ignored = [...unsupportedTags(text, info), ...droppedStyles(styled, fields)];
  return {
    ...fields,
    seed: fields.seed ?? randomSeed(),
    passages,
    hasWords,
    letters: 'unchecked',
    warnings: [...new Set([...uncontrolled(fields), ...warnings, ...ignored])],
  };
}

/** @throws SvcError INVALID_REQUEST if the text of an accepted request has nothing to speak */
export function assertWords({ hasWords }: Pick<Accepted, 'hasWords'>, { text }: Pick<ParsedRequest, 'text'>): void {
  if (hasWords) return;
  throw requestError(
    `text must contain a letter or digit, got ${JSON.stringify(text.slice(0, 40))}${text.length > 40 ? '…' : ''}`,
  );
}

/** Voices whose audio is loaded after their request was accepted. */
export interface LoadedVoices {
  /** Default: the voice that the request was accepted with. */
  readonly own?: VoiceFields | undefined;
  readonly voices?: Readonly<Record<string, VoiceFields>> | undefined;
}

/**
 * An accepted request with the audio of its voices, whose pronunciations it had when it was accepted.
 *
 * @throws SvcError INVALID_REQUEST for voices that don't fit the model or the request
 */
export function withVoices<Speech extends Accepted | AcceptedLive>(
  accepted: Speech,
  { own, voices = {} }: LoadedVoices,
  info: ModelInfo,
): Speech {
  const audioOf = ({ promptAudio, promptText, referenceAudio }: VoiceFields) => {
    assertRecordings({ promptAudio, referenceAudio });
    return { promptAudio, promptText, referenceAudio };
  };
  const named = Object.entries(accepted.voices ?? {}).map(
    ([name, voice]) => [name, { ...voice, ...audioOf(voices[name] ?? {}) }] as const,
  );
  const voiced: Speech = {
    ...accepted,
    ...(own && audioOf(own)),
    ...(accepted.voices !== undefined && { voices: Object.fromEntries(named) }),
  };
  assertVoices(voiced);
  assertSupported(voiced, info);
  const dropped = 'passages' in voiced ? droppedStyles(voiced.passages, voiced) : [];
  return { ...voiced, warnings: [...new Set([...uncontrolled(voiced), ...accepted.warnings, ...dropped])] };
}

function uncontrolled({ control, voices = {} }: RequestFields): readonly string[] {
  if (control === undefined) return [];
  const prompted = Object.entries(voices).filter(([, { promptText }]) => promptText !== undefined);
  return prompted.map(([name]) => `control has no effect on voice ${show(name)}, which is prompt audio`);
}

/** One line for each style that prompt audio leaves no place for. */
export function droppedStyles(
  passages: readonly Pick<AcceptedPassage, 'style' | 'voice'>[],
  fields: RequestFields,
): readonly string[] {
  const warnings = new Set<string>();
  for (const { style, voice } of passages) {
    if (style === '' || requestInVoice(fields, voice).promptText === undefined) continue;
    const whose = voice === undefined ? 'prompt audio' : `voice ${show(voice)}, which is prompt audio`;
    warnings.add(`the style ${show(style.trim())} has no effect on ${whose}; it is left out`);
  }
  return [...warnings];
}

/** A warning about tags that the model reads as words. */
export const unsupportedTags = (text: string, { architecture }: Pick<ModelInfo, 'architecture'>): readonly string[] =>
  architecture === 'voxcpm2' ? [] : tagsNeedModel2(text);

/** The request in one of its voices: that of a name in the script, or its own. A prompt leaves no place for control. */
export function requestInVoice<Fields extends RequestFields>(request: Fields, name: string | undefined): Fields {
  if (name === undefined) return request;
  const { promptAudio: _a, promptText: _t, referenceAudio: _r, voiceLexicon: _l, voiceLanguage: _v, ...rest } = request;
  const voice = request.voices?.[name];
  const { control } = voice?.promptText === undefined ? request : {};
  return { ...(rest as Fields), ...voice, control };
}

export function lexiconOf(request: RequestFields, voice: string | undefined): readonly LexiconEntry[] {
  const { lexicon, voiceLexicon } = requestInVoice(request, voice);
  return overlayLexicon(voiceLexicon, lexicon);
}

/** The language of a voice of the request, unless the request states one. */
export function voiceLanguageOf(
  request: Pick<RequestFields, 'language' | 'voiceLanguage' | 'voices'>,
  voice: string | undefined,
): string | undefined {
  const { language, voiceLanguage, voices } = request;
  if (knownTag(language) !== undefined) return undefined;
  return knownTag(voice === undefined ? voiceLanguage : voices?.[voice]?.voiceLanguage);
}

/** The state that segments of a live text leave to the next ones. */
export interface LiveTextState {
  /** Styles by the names of voices. */
  readonly styles: Map<string | undefined, string>;
  /** The last words, whose voice a turn of another voice ends. */
  previous?: Pick<Passage, 'voice'>;
  /** Reads the language of each paragraph; created with the first. */
  reader?: LanguageReader;
  /** Pause that nothing could be spoken after. */
  leadSeconds: number;
}

export const emptyLiveTextState = (): LiveTextState => ({ styles: new Map(), leadSeconds: 0 });

type StyledPassage = Omit<AcceptedPassage, 'breaks'>;

/**
 * Separates the style in front of each turn of a voice, which holds until the voice gets another one. Styles are cleaned but
 * not normalized, as they are not spoken. Only VoxCPM 2 supports them, and prompt audio leaves no place for them.
 */
export function extractStyles(
  passages: readonly Passage[],
  { clean }: Pick<RequestFields, 'clean'>,
  { architecture }: Pick<ModelInfo, 'architecture'>,
  state: LiveTextState,
): readonly StyledPassage[] {
  const { styles } = state;
  return passages.map((passage) => {
    const { voice } = passage;
    if (architecture !== 'voxcpm2' || passage.text === '') return { ...passage, style: '' };
    const isTurn = state.previous?.voice !== voice || state.previous === undefined;
    state.previous = { voice };
    const { style, text } = isTurn ? splitStyle(passage.text) : { style: '', text: passage.text };
    if (style !== '') styles.set(voice, clean ? cleanText(style) : style);
    return { ...passage, text, style: styles.get(voice) ?? '' };
  });
}

/**
 * Respells passages with the lexicons of their voices, paragraph by paragraph.
 *
 * @param length of the text as written, which bounds what a hostile lexicon makes of it: a letter may become 200 characters,
 *   which would take minutes to clean and split
 * @throws SvcError INVALID_REQUEST
 */
export function* pronounceSteps(
  passages: readonly StyledPassage[],
  request: RequestFields,
  length: number,
): Steps<readonly AcceptedPassage[]> {
  const most = 4 * length + 10_000;
  const lexicons = new Map<string | undefined, readonly LexiconEntry[]>();
  let total = 0;

  function* pronounced(passage: StyledPassage, pronounce: (text: string) => Steps<string>): Steps<AcceptedPassage> {
    const breaks: Span[] = [];
    const { text: written } = passage;
    let text = '';
    let from = 0;
    for (const { start, end } of paragraphEnds(written)) {
      yield;
      const paragraph = written.slice(from, start);
      const spoken = paragraph.trim() === '' ? paragraph : yield* pronounce(paragraph);
      total += spoken.length;
      if (total > most) {
        throw requestError(
          `the lexicon makes the text of ${length} characters longer than ${most} characters; shorten the text or its respellings`,
          'lexicon',
        );
      }
      text += spoken;
      if (end > start) breaks.push({ start: text.length, end: text.length + end - start });
      text += written.slice(start, end);
      from = end;
    }
    return { ...passage, text, breaks };
  }

  const accepted: AcceptedPassage[] = [];
  for (const passage of passages) {
    const { voice } = passage;
    const lexicon = lexicons.get(voice) ?? lexiconOf(request, voice);
    lexicons.set(voice, lexicon);
    accepted.push(lexicon.length === 0 ? passage : yield* pronounced(passage, lexiconSteps(lexicon)));
  }
  return accepted;
}

function* paragraphEnds(text: string): Generator<Span> {
  yield* paragraphBreaks(text);
  yield { start: text.length, end: text.length };
}

/** Whether cleaning leaves anything to speak, unlike of a text of emoji or punctuation. */
export function* hasSpeakableText(
  passages: readonly Pick<AcceptedPassage, 'text' | 'breaks'>[],
  { clean }: Pick<RequestFields, 'clean'>,
): Steps<boolean> {
  if (passages.every(({ text }) => text === '')) return false;
  if (!clean) return true;
  // Normalization takes long and gives no words to a text without any.
  for (const { text, breaks } of passages) {
    for (const paragraph of paragraphsOf(text, breaks)) {
      if (isSpeakable(yield* cleanSteps(paragraph))) return true;
    }
  }
  return false;
}
