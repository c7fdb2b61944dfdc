/**
 * Script tags in plain text, as users of Kokoro-FastAPI know them: `[pause:1.5s]` and `[voice:anna]`; and dialogue, lines
 * that begin with the name of a speaker. Tags that a model reads itself, such as `[laughing]`, stay text.
 */
import { SvcError } from '../../errors.ts';
import { didYouMean, show } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import { longestPause, type Segment, structurePauses } from './passage.ts';
import { mistypedTags } from './tag-hints.ts';

/** A name and what follows it up to the bracket. Bounded, so that an open bracket costs nothing. */
const tag = /\[(pause|voice):([^[\]\n]{0,100})\]/gi;
const duration = /^\s*(\d{1,6}(?:\.\d{0,6})?|\.\d{1,6})\s*(?:(ms|s)\s*)?$/i;

/** The voice of the request itself, in `[voice:default]`. */
export const ownVoice = 'default';

/** The voice at the end of a piece of a script, with which the next piece begins. */
export interface CurrentVoice {
  name: string | undefined;
}

export interface TagOptions {
  /** Names of the voices that the request gives. */
  readonly voices: readonly string[];
  /** Those that begin lines of a dialogue; all when left out. */
  readonly dialogue?: readonly string[];
  readonly warn: (warning: string) => void;
  /** The voice in which a piece of a text begins, and then that in which it ends. */
  readonly current?: CurrentVoice | undefined;
  /**
   * Faults of a tag are warnings in live text, which can no longer be corrected (default with `current`). In texts of
   * which nobody says that they are scripts, a pause that is none is read, as brackets are common.
   */
  readonly mistakes?: 'refused' | 'warned' | 'read';
  /** Where the text is, for messages; by default the line of the script. */
  readonly place?: string;
}

/**
 * @param text plain text, tags and dialogue in it
 * @throws SvcError INVALID_REQUEST for a pause without a duration or a voice that the request doesn't give, unless live
 */
export function* tagSegments(text: string, { voices, warn, current, ...about }: TagOptions): Generator<Segment> {
  const { mistakes = current === undefined ? 'refused' : 'warned' } = about;
  for (const hint of about.place === undefined ? mistypedTags(text) : []) warn(hint);
  const state = current ?? { name: undefined };
  for (const { line, speaker, offset } of turnsOf(text, about.dialogue ?? voices)) {
    if (speaker !== undefined) {
      if (speaker !== state.name) yield { kind: 'pause', seconds: structurePauses.sentence, from: 'structure' };
      state.name = speaker;
    }
    const place = (at: number): string => about.place ?? `on line ${lineNumber(text, offset + at)} of the script`;
    yield* segmentsAround(line, state, { voices, warn, mistakes, place });
  }
}

interface TagReading extends Pick<TagOptions, 'voices' | 'warn'> {
  readonly mistakes: NonNullable<TagOptions['mistakes']>;
  readonly place: (offset: number) => string;
}

/** The tags of a text and what is between them. */
function* segmentsAround(text: string, state: CurrentVoice, reading: TagReading): Generator<Segment> {
  const { voices, warn, mistakes, place } = reading;
  let end = 0;
  for (const { 0: found, 1: name = '', 2: value = '', index } of text.matchAll(tag)) {
    yield { kind: 'text', text: text.slice(end, index), voice: state.name };
    end = index + found.length;
    const where = (): string => place(index);
    try {
      if (name.toLowerCase() === 'pause') yield { kind: 'pause', seconds: secondsOf(value, where), from: 'author' };
      else if (value.trim() === '') throw requestError(`${found} ${where()} needs a name`, 'text');
      else state.name = voiceOf(value, voices, where);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      const isRead = mistakes === 'read' && name.toLowerCase() === 'pause';
      if (mistakes !== 'warned' && !isRead) throw error;
      warn(`${found} is ${isRead ? 'read as text' : 'left out'}: ${error.message}`);
      if (isRead) yield { kind: 'text', text: found, voice: state.name };
    }
  }
  yield { kind: 'text', text: text.slice(end), voice: state.name };
}

export function tagReader(options: Pick<TagOptions, 'voices' | 'warn'>) {
  const state: CurrentVoice = { name: undefined };
  const reading: TagReading = { ...options, mistakes: 'read', place: () => 'in the text' };
  return {
    readText: (text: string): Iterable<Segment> => segmentsAround(text, state, reading),
    /** All that is said, in the voice of the last tag; to be read one by one. */
    *inVoices(segments: Iterable<Segment | undefined>): Generator<Segment | undefined> {
      for (const segment of segments) yield segment?.kind === 'text' ? { ...segment, voice: state.name } : segment;
    },
  };
}

/** Stretches of text up to the next line that begins with the name of one of the voices and a colon, and their offsets. */
function* turnsOf(text: string, voices: readonly string[]) {
  if (voices.length === 0) {
    yield { line: text, speaker: undefined, offset: 0 };
    return;
  }
  // A hyphen needs no escape here, and must have none in a pattern with the flag u.
  const names = voices
    .map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
    .sort((one, other) => other.length - one.length);
  const opening = new RegExp(
    String.raw`^[ \t]*(?:\*\*)?(${names.join('|')})(?:\*\*)?[ \t]*[:：](?:\*\*)?[ \t]*`,
    'gimu',
  );
  let start = 0;
  let speaker: string | undefined;
  for (const { 0: found, 1: name = '', index } of text.matchAll(opening)) {
    if (index > start) yield { line: text.slice(start, index), speaker, offset: start };
    start = index + found.length;
    speaker = matching(voices, name);
  }
  yield { line: text.slice(start), speaker, offset: start };
}

/** As written, else whatever its case. */
const matching = (voices: readonly string[], name: string): string | undefined =>
  voices.find((voice) => voice === name) ?? voices.find((voice) => voice.toLowerCase() === name.toLowerCase());

/** @throws SvcError INVALID_REQUEST */
export function voiceOf(value: string, voices: readonly string[], place: () => string): string | undefined {
  const name = value.trim();
  if (name.toLowerCase() === ownVoice) return undefined;
  const voice = matching(voices, name);
  if (voice !== undefined) return voice;
  const known =
    voices.length === 0
      ? 'none is given; use voices, or --voices on the command line'
      : `available: ${voices.join(', ')}`;
  throw requestError(`unknown voice ${show(name)} ${place()} (${known})${didYouMean(name, voices)}`, 'voices');
}

function secondsOf(value: string, place: () => string): number {
  const [, amount, unit] = duration.exec(value) ?? [];
  const seconds = Number(amount) / (unit?.toLowerCase() === 'ms' ? 1000 : 1);
  if (seconds >= 0 && seconds <= longestPause) return seconds;
  throw requestError(
    `invalid pause ${show(value)} ${place()}: use up to ${longestPause} s, as in [pause:1.5s] or [pause:300ms]`,
    'text',
  );
}

/** 1-based. */
export const lineNumber = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;
