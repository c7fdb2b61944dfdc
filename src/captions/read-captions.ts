/** Reads captions in SubRip, WebVTT or SubStation Alpha as what people say. */
import { createPace } from '../event-loop.ts';
import { show } from '../messages.ts';
import { invalid, requestError } from '../validation.ts';
import { type CaptionLimits, type CaptionMeans, fileLimits, parseCaptions, spokenTexts } from './parse-captions.ts';
import { withoutComments } from './plain-text.ts';
import { readAss } from './read-ass.ts';
import { readSubRip } from './read-subrip.ts';
import { withoutRolling } from './rolling.ts';
import { speakersIn, type Turn, turnsOf } from './speakers.ts';
import type { Spoken, TimedFile, TimedLines } from './timed-lines.ts';

/** Words of one person while a caption is shown. */
export interface SpokenCue {
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  /** Without mark-up, in one line. */
  readonly text: string;
  /** Who speaks it: WebVTT's `<v Name>`. */
  readonly voice?: string | undefined;
}

export interface CaptionReading {
  readonly limits?: Partial<CaptionLimits> | undefined;
  /** Whether `[door slams]`, `(SIRENS WAIL)` and `♪ music ♪` are spoken (default: silent). */
  readonly sounds?: Spoken | undefined;
  /** Whether ruby's readings are spoken beside its characters (default: silent). */
  readonly readings?: Spoken | undefined;
  /** Whether comments of SubStation Alpha, which players hide, are spoken (default: silent). */
  readonly comments?: Spoken | undefined;
  readonly signal?: AbortSignal | undefined;
}

type CaptionFile = Awaited<ReturnType<typeof readCaptionFile>>;
type Parsing = CaptionMeans & Pick<CaptionReading, 'readings' | 'comments'>;

/** Problems that a message lists; the others are counted. */
const mostProblems = 20;

/**
 * Reads in turns with the event loop.
 *
 * @param text of a file: WebVTT if it begins with `WEBVTT`, ASS if it begins with `[Script Info]`, else SubRip
 * @returns captions in order of time, why others are left out, one line each, and what is not spoken, as written
 * @throws SvcError INVALID_REQUEST if there is no caption, or one is beyond a limit
 */
export async function readCaptionFile(
  text: string,
  { limits, sounds = 'silent', signal, ...spoken }: CaptionReading = {},
) {
  if (typeof text !== 'string') throw invalid('a string', 'the text of the captions', show(text));
  const most = { ...fileLimits, ...limits };
  if (text.length > most.characters)
    throw requestError(`the captions have ${text.length} characters; the limit is ${most.characters}`);
  const pace = createPace(signal);
  const timed = await readTimedLines(withoutComments(text.replace(/^\uFEFF/, '')), { ...spoken, limits: most, pace });
  const { captions, problems, readings, comments } = timed;
  const ordered = captions.sort((one, other) => one.start - other.start);
  const cues: SpokenCue[] = [];
  const left: string[] = [];
  const speakers = new Set<string>();
  const shown = await withoutRolling(ordered.map(withoutControls), pace);
  const texts = shown.map(({ lines }) => lines);
  const names = await speakersIn(texts, pace);
  for (const { start, end, lines } of shown) {
    await pace();
    const { turns, sounds: own } = turnsOf(lines, sounds, names);
    for (const sound of own) left.push(sound);
    for (const cue of partsOf(start, end, turns)) {
      cues.push(cue);
      if (cue.voice !== undefined) speakers.add(cue.voice);
    }
    if (speakers.size > most.speakers) throw requestError(`there are more speakers than the limit of ${most.speakers}`);
  }
  if (cues.length === 0) throw requestError(reasonOfNone(problems, left));
  return { cues, warnings: problemsOf(problems), sounds: left, readings, comments };
}

/** Signs that steer the direction of writing, and byte order marks inside: nobody sees them. */
const controls = /[\u00ad\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

const withoutControls = (caption: TimedLines): TimedLines =>
  caption.lines.some(({ text }) => text.search(controls) !== -1)
    ? { ...caption, lines: caption.lines.map((line) => ({ ...line, text: line.text.replace(controls, '') })) }
    : caption;

/** The captions of `readCaptionFile`. */
export const readCaptions = async (text: string, limits: Partial<CaptionLimits> = {}): Promise<readonly SpokenCue[]> =>
  (await readCaptionFile(text, { limits })).cues;

function readTimedLines(text: string, { readings, comments, ...means }: Parsing): Promise<TimedFile> {
  if (text.startsWith('WEBVTT')) return readWebVtt(text, means, readings);
  return /^\s{0,999}(?:[;!][^\n]{0,999}\n\s{0,99}){0,20}\[(?:Script Info|V4\+{0,2} Styles\+?|Events|Aegisub [\w ]{1,40})\]/i.test(
    text,
  )
    ? readAss(text, means, comments)
    : readSubRip(text, means, readings);
}

async function readWebVtt(text: string, means: CaptionMeans, spoken: Spoken = 'silent'): Promise<TimedFile> {
  const { limits } = means;
  const captions: TimedLines[] = [];
  const readings: string[] = [];
  let number = 0;
  const problems = await parseCaptions(text, means, ({ startTime, endTime, text: content }) => {
    number += 1;
    const lines: { text: string; voice: string | undefined }[] = [];
    for (const { text: run, voice, isReading } of spokenTexts(content, {
      nesting: limits.nesting,
      captionNumber: number,
    })) {
      if (isReading && spoken === 'silent') {
        if (run.trim() !== '') readings.push(run.trim());
        continue;
      }
      for (const [index, part] of run.split('\n').entries()) {
        const last = lines.at(-1);
        if (index === 0 && last !== undefined && (last.voice === voice || last.text === ''))
          lines[lines.length - 1] = { text: last.text + part, voice };
        else lines.push({ text: part, voice });
      }
    }
    captions.push({ number, start: startTime, end: endTime, lines });
  });
  return { captions, problems, readings, comments: [] };
}

function reasonOfNone(problems: readonly string[], sounds: readonly string[]): string {
  const early = problems.filter((problem) => problem.endsWith('before it begins')).length;
  if (early > 0) return `the captions cannot be read: ${early} of them end before they begin; ${problems[0]}`;
  if (problems.length > 0) return `the captions cannot be read: ${problems[0]}`;
  return sounds.length > 0
    ? `there are only sounds in the captions, first ${show(sounds[0])}; no words`
    : 'there are no captions: give SubRip (.srt), WebVTT (.vtt) or SubStation Alpha (.ass)';
}

function problemsOf(problems: readonly string[]): readonly string[] {
  const shown = problems.slice(0, mostProblems).map((problem) => `${problem}; it is left out`);
  const more = problems.length - shown.length;
  return more > 0 ? [...shown, `${more} more captions cannot be read and are left out`] : shown;
}

/** Warnings about what is silent. */
export function aboutSilent(
  { sounds, readings }: Pick<CaptionFile, 'sounds' | 'readings'>,
  remedy = '--sounds',
): readonly string[] {
  const about = (what: string, left: readonly string[], way: string): readonly string[] =>
    left.length === 0 ? [] : [`${what} are left out: ${left.length}, first ${show(left[0])}${way}`];
  return [...about('sounds', sounds, `; ${remedy} speaks them`), ...about('readings of ruby', readings, '')];
}

/** A caption of two speakers as two, which share its time by the length of their words. */
function partsOf(start: number, end: number, turns: readonly Turn[]): readonly SpokenCue[] {
  const joined: { voice: string | undefined; text: string }[] = [];
  for (const { voice, text } of turns) {
    const last = joined.at(-1);
    if (last !== undefined && last.voice === voice) last.text += ` ${text}`;
    else joined.push({ voice, text });
  }
  const parts = joined
    .map(({ voice, text }) => ({ voice, text: text.replace(/\s+/gu, ' ').trim() }))
    .filter(({ text }) => text !== '');
  const total = parts.reduce((sum, { text }) => sum + text.length, 0);
  let at = start;
  return parts.map(({ voice, text }, index) => {
    const from = at;
    at = index === parts.length - 1 ? end : at + ((end - start) * text.length) / total;
    return { start: from, end: at, text, ...(voice === undefined ? {} : { voice }) };
  });
}
