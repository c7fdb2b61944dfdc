/** Plans a long text: cuts its passages into parts. */
import { isWait, itemsInTurns, type Steps, type Wait } from '../../event-loop.ts';
import {
  type Accepted,
  type AcceptedPassage,
  emptyLiveTextState,
  type LiveTextState,
  voiceLanguageOf,
} from '../accepted.ts';
import type { RequestFields } from '../request.ts';
import type { LiveContext } from '../script/parse-script.ts';
import { cleanSteps, isSpeakable } from '../text/clean.ts';
import { createLanguageReader, type FoundLanguage, type LanguageReader } from '../text/language/language-reader.ts';
import { knownLanguages, type TextInfo } from '../text/languages.ts';
import { pauseSeconds, type SplitOptions, splitSteps, type TextPart } from '../text/split.ts';
import { languageAt, type SpokenText, type WrittenStretch, withSegments } from '../text/spoken-text.ts';
import { verbalizeSegmentSteps } from '../text/verbalize/verbalize.ts';

/** Letters of a part: about twenty seconds of speech, as in the training data. */
const partLength = 280;
/** Lower bound for models with a short context, so that a part has a few words. */
const shortestLimit = 40;

/** Maximum length of a part, in letters. */
export function lengthLimit({ contextLength, limits }: Pick<TextInfo, 'contextLength' | 'limits'>): number {
  const fitting = Math.max(shortestLimit, Math.floor(contextLength / 8));
  return Math.min(partLength, fitting, limits.maxTextCharacters ?? partLength);
}

export interface PlannedPart {
  /** 0-based. */
  readonly index: number;
  readonly text: string;
  /** Style given before this or an earlier turn of the voice; not part of the text. */
  readonly style: string;
  /** Name of a voice of the request; undefined for the voice of the request itself. */
  readonly voice: string | undefined;
  readonly rate: number;
  /** Pause in front that the script states: before the first part, or beyond what could not be spoken. */
  readonly leadSeconds: number;
  /** Pause before the next part; after the last one only what the script states. */
  readonly pauseSeconds: number;
  readonly isLast: boolean;
  /** Where the text was written otherwise than it is spoken, if anywhere. */
  readonly stretches?: readonly WrittenStretch[] | undefined;
  /** The language in which it was normalized, and how that was found. */
  readonly language?: FoundLanguage | undefined;
}

/** Parts, and waits where other work may go first. */
type Planned<Part> = Generator<Part | Wait, void, undefined>;

/** A part without its place in the text. */
export type PlannedSegment = Omit<PlannedPart, 'index' | 'isLast'>;

type Splitting = Pick<
  RequestFields,
  'clean' | 'normalize' | 'split' | 'language' | 'documentLanguage' | 'voiceLanguage' | 'voices'
>;

/** Lazily yields the parts of a segment of a live text, to which the last pause belongs. */
export function planSegment(
  passages: readonly AcceptedPassage[],
  fields: Splitting,
  info: TextInfo,
  { ends }: Pick<LiveContext, 'ends'>,
  state: LiveTextState,
): AsyncGenerator<PlannedSegment, void, undefined> {
  const closing = { 'in paragraph': pauseAfter, paragraph: () => pauseSeconds.paragraph, text: () => 0 } as const;
  state.reader ??= createLanguageReader(knownLanguages(fields, info));
  const rewriter = rewriterOf(fields, state.reader);
  return itemsInTurns(segmentsOf(passages, { fields, info, rewriter }, { state, pauseAtEnd: closing[ends] }));
}

type Rewriter = (text: string, passage: Pick<AcceptedPassage, 'language' | 'voice'>) => Steps<SpokenText>;

function rewriterOf(fields: Splitting, reader: LanguageReader): Rewriter {
  const { clean, normalize } = fields;
  return function* rewrite(text, { language, voice }) {
    const cleaned = clean ? yield* cleanSteps(text) : text;
    if (normalize !== true) return { text: cleaned, stretches: [] };
    const ofVoice = language === undefined ? voiceLanguageOf(fields, voice) : undefined;
    const spoken = yield* withSegments(cleaned, verbalizeSegmentSteps(cleaned, reader, language ?? ofVoice));
    if (ofVoice === undefined) return spoken;
    const languages = spoken.languages?.map(({ start, language: { tag } }) => ({
      start,
      language: { tag, by: 'voice' as const },
    }));
    return { ...spoken, languages };
  };
}

/** Longest text of one part: a longer one is mostly marks, which no model takes. */
const longestUnchanged = 4096;

/**
 * Lazily yields the parts in order, and undefined where other work may go first. A plain text of one part stays unchanged,
 * including white space, except for respellings, cleaning and normalization.
 */
export function* planSteps(accepted: Pick<Accepted, 'passages'> & Splitting, info: TextInfo): Planned<PlannedPart> {
  const { passages } = accepted;
  const texts = passages.map(({ text }) => text);
  const rewriter = rewriterOf(accepted, createLanguageReader(knownLanguages(accepted, info), texts));
  let pending: PlannedSegment | undefined;
  let index = 0;
  for (const segment of segmentsOf(passages, { fields: accepted, info, rewriter })) {
    if (isWait(segment)) {
      yield segment;
      continue;
    }
    if (pending !== undefined) yield { ...pending, index: index++, isLast: false };
    pending = segment;
  }
  const [only] = passages;
  const isMostlyWordless = accepted.split && pending !== undefined && (only?.text.length ?? 0) > longestUnchanged;
  if (passages.length === 1 && only !== undefined && index === 0 && !isMostlyWordless) {
    const { style, voice, rate = 1, pauseSeconds = 0 } = only;
    const whole = yield* spokenWhole(rewriter(only.text, only));
    yield { ...whole, index: 0, style, voice, rate, leadSeconds: 0, pauseSeconds, isLast: true };
    return;
  }
  if (pending !== undefined)
    yield { ...pending, index, pauseSeconds: passages.at(-1)?.pauseSeconds ?? 0, isLast: true };
}

interface Surroundings {
  readonly state?: LiveTextState;
  /** Pause after the last passage if its script states none. */
  readonly pauseAtEnd?: (text: string) => number;
}

function* segmentsOf(
  passages: readonly AcceptedPassage[],
  { fields, info, rewriter }: { readonly fields: Splitting; readonly info: TextInfo; readonly rewriter: Rewriter },
  { state = emptyLiveTextState(), pauseAtEnd = pauseAfter }: Surroundings = {},
): Planned<PlannedSegment> {
  for (const passage of passages) {
    const { text, style, voice, rate = 1, pauseSeconds, breaks } = passage;
    const options = { maxCharacters: lengthLimit(info), rewrite: (given: string) => rewriter(given, passage) };
    const parts = fields.split ? splitSteps(text, { ...options, breaks }) : wholeText(text, options);
    let last: PlannedSegment | undefined;
    for (const part of parts) {
      if (isWait(part)) {
        yield part;
        continue;
      }
      if (last !== undefined) yield last;
      const { end: _, ...spoken } = part;
      last = { ...spoken, style, voice, rate, leadSeconds: state.leadSeconds };
      state.leadSeconds = 0;
    }
    // Silence of a passage without words is added to what follows.
    if (last === undefined) state.leadSeconds = Math.max(state.leadSeconds, pauseSeconds ?? 0);
    else {
      const pauseOf = passage === passages.at(-1) ? pauseAtEnd : pauseAfter;
      yield { ...last, pauseSeconds: pauseSeconds ?? pauseOf(text) };
    }
  }
}

function* wholeText(text: string, { rewrite }: Required<Pick<SplitOptions, 'rewrite'>>): Planned<TextPart> {
  const whole = yield* spokenWhole(rewrite(text));
  if (isSpeakable(whole.text)) yield { ...whole, end: 'paragraph', pauseSeconds: pauseSeconds.paragraph };
}

function* spokenWhole(rewritten: Steps<SpokenText>) {
  const spoken = yield* rewritten;
  const { text, stretches } = spoken;
  return { text, stretches, language: languageAt(spoken, 0) };
}

/** Pause after a passage whose script states none: another voice or rate follows. */
const pauseAfter = (text: string): number => {
  if (/[.!?…。！？]["'”’»)\]」』）]*$/u.test(text)) return pauseSeconds.sentence;
  return /[,;:，；：、—–]$/u.test(text) ? pauseSeconds.clause : pauseSeconds.word;
};

/** Whether a silent result should be reported: of a part with words, or of a whole text, which may be uncleaned. */
export const expectsSound = ({ text, index, isLast }: PlannedPart): boolean =>
  isSpeakable(text) || (index === 0 && isLast);
