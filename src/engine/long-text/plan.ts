/** Plans a long text: reads its script and cuts it into parts. */
import { SvcError } from '../../errors.ts';
import { atOnce, type Steps, withoutSteps } from '../../event-loop.ts';
import { show } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { ModelInfo } from '../backend.ts';
import { type LexiconEntry, lexiconSteps, overlayLexicon } from '../lexicon/lexicon.ts';
import type { ResolvedRequest } from '../request.ts';
import { type ScriptPiece, scriptSteps } from '../script/parse-script.ts';
import type { Passage } from '../script/passage.ts';
import { cleanSteps, cleanText, isSpeakable } from '../text/clean.ts';
import { paragraphsOf } from '../text/paragraphs.ts';
import { pauseSeconds, type SplitOptions, splitSteps, type TextPart } from '../text/split.ts';
import { type SpokenText, type WrittenStretch, withSegments } from '../text/spoken-text.ts';
import { splitStyle } from '../text/style.ts';
import { segmentSteps } from '../text/verbalize/verbalize.ts';
import { requestInVoice } from './part-voice.ts';

/** Letters of a part: about twenty seconds of speech, as in the training data. */
const partLength = 280;
/** Lower bound for models with a short context, so that a part has a few words. */
const shortestLimit = 40;

/** Maximum length of a part, in letters. */
export function lengthLimit({ maxLength, limits }: ModelInfo): number {
  const fitting = Math.max(shortestLimit, Math.floor(maxLength / 8));
  return Math.min(partLength, fitting, limits.maxTextCharacters ?? partLength);
}

/** A request whose text is parsed. */
export interface ScriptedRequest extends ResolvedRequest {
  readonly passages: readonly Passage[];
}

interface ReadScript {
  readonly request: ScriptedRequest;
  readonly warnings: readonly string[];
}

/** @throws SvcError INVALID_REQUEST for a script with errors, but for a piece of a live text */
export const readScript = (request: ResolvedRequest, piece?: ScriptPiece): ReadScript =>
  atOnce(readSteps(request, piece));

/** The same in steps. */
export function* readSteps(request: ResolvedRequest, piece?: ScriptPiece): Steps<ReadScript> {
  const { text, inputFormat, readCode, voices = {} } = request;
  const code = readCode ? 'read' : 'skip';
  const { passages, warnings } = yield* scriptSteps(text, {
    format: inputFormat,
    voices: Object.keys(voices),
    code,
    piece,
  });
  const scripted = { ...request, passages };
  yield* assertBounded(scripted);
  return { request: scripted, warnings: [...uncontrolled(request), ...warnings] };
}

/**
 * Refuses what a hostile lexicon makes of a text: a letter may become 200 characters, which would take minutes to clean and
 * split.
 */
function* assertBounded(request: ScriptedRequest): Steps<void> {
  const { length } = request.text;
  const most = 4 * length + 10_000;
  const pronouncerFor = pronouncerOf(request);
  let total = 0;
  for (const { text, voice } of request.passages) {
    const pronounce = pronouncerFor(voice);
    if (pronounce === undefined) continue;
    for (const paragraph of paragraphsOf(text)) {
      total += (yield* pronounce(paragraph)).length;
      if (total <= most) continue;
      throw requestError(
        `the lexicon makes the text of ${length} characters longer than ${most} characters; shorten the text or its respellings`,
        'lexicon',
      );
    }
  }
}

/** Named voices that control does not reach. */
function uncontrolled({ control, voices = {} }: ResolvedRequest): readonly string[] {
  if (control === undefined) return [];
  const prompted = Object.entries(voices).filter(([, { promptText }]) => promptText !== undefined);
  return prompted.map(([name]) => `control has no effect on voice ${show(name)}, which is prompt audio`);
}

export interface PlannedPart {
  /** 0-based. */
  readonly index: number;
  readonly text: string;
  /** As written in front of this turn of the voice, or of an earlier one; not part of the text. */
  readonly style: string;
  /** Name of a voice of the request; undefined for the voice of the request itself. */
  readonly voice: string | undefined;
  /** Speaking rate of this part. */
  readonly rate: number;
  /** Pause in front that the script states: before the first part, or beyond what could not be spoken. */
  readonly leadSeconds: number;
  /** Pause before the next part; after the last one only what the script states. */
  readonly pauseSeconds: number;
  readonly isLast: boolean;
  /** Where the text was written otherwise than it is spoken, if anywhere. */
  readonly stretches?: readonly WrittenStretch[] | undefined;
}

type Rewrite = (text: string) => Steps<string>;

/** Pronunciations of a voice of the request. */
export function lexiconOf(request: ScriptedRequest, voice: string | undefined): readonly LexiconEntry[] {
  const { lexicon, voiceLexicon } = requestInVoice(request, voice);
  return overlayLexicon(voiceLexicon, lexicon);
}

/** Lexicons of the request, by the name of a voice; undefined where there is none. */
function pronouncerOf(request: ScriptedRequest): (voice: string | undefined) => Rewrite | undefined {
  const pronouncers = new Map<string | undefined, Rewrite | undefined>();
  return (voice) => {
    if (pronouncers.has(voice)) return pronouncers.get(voice);
    const entries = lexiconOf(request, voice);
    const pronounce = entries.length === 0 ? undefined : lexiconSteps(entries);
    pronouncers.set(voice, pronounce);
    return pronounce;
  };
}

/** Lexicons, cleaning and normalization according to the request, by the name of a voice. */
function rewriterOf(request: ScriptedRequest): (voice: string | undefined) => (text: string) => Steps<SpokenText> {
  const { clean, normalize } = request;
  const pronouncerFor = pronouncerOf(request);
  return (voice) => {
    const pronounce = pronouncerFor(voice);
    return function* rewrite(text) {
      const pronounced = pronounce === undefined ? text : yield* pronounce(text);
      const cleaned = clean ? yield* cleanSteps(pronounced) : pronounced;
      return yield* withSegments(cleaned, normalize === true ? segmentSteps(cleaned) : []);
    };
  };
}

/** A part without its place in the text. */
export type Piece = Omit<PlannedPart, 'index' | 'isLast'>;

/** What the pieces of a live text leave to the next ones. */
export interface Carried {
  /** Styles by the names of voices. */
  readonly styles: Map<string | undefined, string>;
  /** The last words, whose voice a turn of another voice ends. */
  previous?: Pick<Passage, 'voice'>;
  /** Pause that nothing could be spoken after. */
  leadSeconds: number;
}

export const carriesNothing = (): Carried => ({ styles: new Map(), leadSeconds: 0 });

/** Lazily yields the parts of a piece of a live text, to which the last pause belongs. */
export function planPiece(
  request: ScriptedRequest,
  info: ModelInfo,
  { ends }: Pick<ScriptPiece, 'ends'>,
  carried: Carried,
): Generator<Piece> {
  const closing = { 'in paragraph': pauseAfter, paragraph: () => pauseSeconds.paragraph, text: () => 0 } as const;
  const surroundings = { carried, pauseAtEnd: closing[ends] };
  return withoutSteps(piecesOf(styled(request, info, carried), request, splitOptions(request, info), surroundings));
}

function splitOptions(request: ScriptedRequest, info: ModelInfo): (voice: string | undefined) => SplitOptions {
  const rewriterFor = rewriterOf(request);
  return (voice) => ({ maxCharacters: lengthLimit(info), rewrite: rewriterFor(voice) });
}

/**
 * Lazily yields the parts in order. A plain text of one part stays unchanged, including white space, except for lexicon,
 * cleaning and normalization.
 */
export const planParts = (request: ScriptedRequest, info: ModelInfo): Generator<PlannedPart> =>
  withoutSteps(planSteps(request, info));

/** Of a text of one part: a longer one is mostly marks, which no model takes. */
const longestUnchanged = 4096;

/** The same in steps: also yields undefined where other work may go first. */
export function* planSteps(
  request: ScriptedRequest,
  info: ModelInfo,
): Generator<PlannedPart | undefined, void, undefined> {
  const passages = styled(request, info);
  let pending: Piece | undefined;
  let index = 0;
  for (const piece of piecesOf(passages, request, splitOptions(request, info))) {
    if (piece === undefined) {
      yield;
      continue;
    }
    if (pending !== undefined) yield { ...pending, index: index++, isLast: false };
    pending = piece;
  }
  const [only] = passages;
  const isMostlyWordless = request.split && pending !== undefined && (only?.text.length ?? 0) > longestUnchanged;
  if (passages.length === 1 && only !== undefined && index === 0 && !isMostlyWordless) {
    const { style, voice, rate = 1, pauseSeconds = 0 } = only;
    yield {
      index: 0,
      ...(yield* rewriterOf(request)(voice)(only.text)),
      style,
      voice,
      rate,
      leadSeconds: 0,
      pauseSeconds,
      isLast: true,
    };
    return;
  }
  if (pending !== undefined) {
    yield { ...pending, index, pauseSeconds: passages.at(-1)?.pauseSeconds ?? 0, isLast: true };
  }
}

interface Surroundings {
  readonly carried?: Carried;
  /** Pause after the last passage if its script states none. */
  readonly pauseAtEnd?: (text: string) => number;
}

function* piecesOf(
  passages: readonly StyledPassage[],
  { split }: ScriptedRequest,
  optionsOf: (voice: string | undefined) => SplitOptions,
  { carried = carriesNothing(), pauseAtEnd = pauseAfter }: Surroundings = {},
): Generator<Piece | undefined, void, undefined> {
  for (const passage of passages) {
    const { text, style, voice, rate = 1, pauseSeconds } = passage;
    const options = optionsOf(voice);
    const parts = split ? splitSteps(text, options) : wholeText(text, options);
    let last: Piece | undefined;
    for (const part of parts) {
      if (part === undefined) {
        yield;
        continue;
      }
      if (last !== undefined) yield last;
      const { pauseSeconds: pauseOfPart, stretches } = part;
      last = {
        text: part.text,
        style,
        voice,
        rate,
        leadSeconds: carried.leadSeconds,
        pauseSeconds: pauseOfPart,
        stretches,
      };
      carried.leadSeconds = 0;
    }
    // Silence of a passage without words is added to what follows.
    if (last === undefined) carried.leadSeconds = Math.max(carried.leadSeconds, pauseSeconds ?? 0);
    else {
      const pauseOf = passage === passages.at(-1) ? pauseAtEnd : pauseAfter;
      yield { ...last, pauseSeconds: pauseSeconds ?? pauseOf(text) };
    }
  }
}

function* wholeText(text: string, { rewrite }: SplitOptions): Generator<TextPart | undefined, void, undefined> {
  const rewritten = rewrite === undefined ? text : yield* rewrite(text);
  const spoken = typeof rewritten === 'string' ? { text: rewritten, stretches: [] } : rewritten;
  if (isSpeakable(spoken.text)) yield { ...spoken, end: 'paragraph', pauseSeconds: pauseSeconds.paragraph };
}

/** Pause after a passage whose script states none: another voice or rate follows. */
const pauseAfter = (text: string): number => {
  if (/[.!?…。！？]["'”’»)\]」』）]*$/u.test(text)) return pauseSeconds.sentence;
  return /[,;:，；：、—–]$/u.test(text) ? pauseSeconds.clause : pauseSeconds.word;
};

interface StyledPassage extends Passage {
  readonly style: string;
}

/**
 * Separates the style in front of each turn of a voice, which holds until the voice gets another one. Styles are cleaned but
 * not normalized, as they are not spoken. Only VoxCPM 2 supports them, and prompt audio leaves no place for them.
 */
function styled(
  request: ScriptedRequest,
  { architecture }: Pick<ModelInfo, 'architecture'>,
  carried = carriesNothing(),
  onDropped: (style: string, voice: string | undefined) => void = () => undefined,
): readonly StyledPassage[] {
  const { passages, clean } = request;
  const { styles } = carried;
  return passages.map((passage) => {
    const { voice } = passage;
    if (architecture !== 'voxcpm2' || passage.text === '') return { ...passage, style: '' };
    const isTurn = carried.previous?.voice !== voice || carried.previous === undefined;
    carried.previous = { voice };
    const { style, text } = isTurn ? splitStyle(passage.text) : { style: '', text: passage.text };
    if (style !== '' && requestInVoice(request, voice).promptText !== undefined) onDropped(style.trim(), voice);
    else if (style !== '') styles.set(voice, clean ? cleanText(style) : style);
    return { ...passage, text, style: styles.get(voice) ?? '' };
  });
}

/** One line for each style that prompt audio leaves no place for; with `carried`, of a piece of a live text. */
export function droppedStyles(
  request: ScriptedRequest,
  info: Pick<ModelInfo, 'architecture'>,
  carried = carriesNothing(),
): readonly string[] {
  const warnings = new Set<string>();
  styled(request, info, { ...carried, styles: new Map() }, (style, voice) => {
    const whose = voice === undefined ? 'prompt audio' : `voice ${show(voice)}, which is prompt audio`;
    warnings.add(`the style ${show(style)} has no effect on ${whose}; it is left out`);
  });
  return [...warnings];
}

/** Whether cleaning leaves nothing to speak, such as of a text of emoji or punctuation. */
export const isWordless = (request: ScriptedRequest, info: Pick<ModelInfo, 'architecture'>): boolean =>
  atOnce(wordlessSteps(request, info));

/** The same in steps. */
export function* wordlessSteps(request: ScriptedRequest, info: Pick<ModelInfo, 'architecture'>): Steps<boolean> {
  const passages = styled(request, info);
  if (passages.every(({ text }) => text === '')) return true;
  if (!request.clean) return false;
  // Normalization takes long and gives no words to a text without any.
  const rewriterFor = rewriterOf({ ...request, normalize: false });
  for (const { text, voice } of passages) {
    const rewrite = rewriterFor(voice);
    for (const paragraph of paragraphsOf(text)) {
      if (isSpeakable((yield* rewrite(paragraph)).text)) return false;
    }
  }
  return true;
}

/**
 * Whether silence deserves a warning: of a part with words, or of a whole text, which may be uncleaned and without
 * words.
 */
export const isToBeHeard = ({ text, index, isLast }: PlannedPart): boolean =>
  isSpeakable(text) || (index === 0 && isLast);

/** @throws SvcError INVALID_REQUEST if cleaning leaves nothing to speak */
export const assertSpeakable = (request: ScriptedRequest, info: Pick<ModelInfo, 'architecture'>): void =>
  atOnce(speakableSteps(request, info));

/** The same in steps. */
export function* speakableSteps(request: ScriptedRequest, info: Pick<ModelInfo, 'architecture'>): Steps<void> {
  if (!(yield* wordlessSteps(request, info))) return;
  const { text } = request;
  const shown = JSON.stringify(text.slice(0, 40));
  throw new SvcError(
    'INVALID_REQUEST',
    `text must contain a letter or digit, got ${shown}${text.length > 40 ? '…' : ''}`,
  );
}
