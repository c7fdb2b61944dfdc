/** Reads captions in SubRip or WebVTT. */
import { show } from '../messages.ts';
import { invalid, requestError } from '../validation.ts';
import { type CaptionLimits, fileLimits, type ParsedCaption, parseCaptions, spokenTexts } from './parse-captions.ts';

/** What one person says while a caption is shown. */
export interface SpokenCue {
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  /** Without mark-up, in one line. */
  readonly text: string;
  /** Who speaks it: WebVTT's `<v Name>`. */
  readonly voice?: string | undefined;
}

interface Run {
  readonly voice: string | undefined;
  readonly text: string;
}

/** Mark-up that players of SubRip take, and a hyphen in front of each of two speakers. */
const subRipTags = /<\/?(?:[biu]|font)(?: [^<>]{0,200})?>|\{\\[^{}]{1,100}\}/gi;

/**
 * Reads in turns with the event loop.
 *
 * @param text of a file: WebVTT if it begins with `WEBVTT`
 * @returns in order of time; captions without text are left out
 * @throws SvcError INVALID_REQUEST if there is no caption, one ends before it begins, or one is beyond a limit
 */
export async function readCaptions(text: string, limits: Partial<CaptionLimits> = {}): Promise<readonly SpokenCue[]> {
  if (typeof text !== 'string') throw invalid('a string', 'the text of the captions', show(text));
  const most = { ...fileLimits, ...limits };
  const type = /^\uFEFF?WEBVTT/.test(text) ? 'vtt' : 'srt';
  const spoken: SpokenCue[] = [];
  const speakers = new Set<string>();
  let captionNumber = 0;
  const take = ({ startTime, endTime, text: content }: ParsedCaption): void => {
    captionNumber += 1;
    const runs = type === 'vtt' ? spokenTexts(content, { nesting: most.nesting, captionNumber }) : [subRipRun(content)];
    for (const cue of partsOf(startTime, endTime, runs)) {
      spoken.push(cue);
      if (cue.voice !== undefined) speakers.add(cue.voice);
    }
    if (speakers.size > most.speakers) throw requestError(`there are more speakers than the limit of ${most.speakers}`);
  };
  await parseCaptions(text, type, most, take);
  if (spoken.length === 0) throw requestError('there are no captions: give SubRip (.srt) or WebVTT (.vtt)');
  return spoken.sort((one, other) => one.start - other.start);
}

const subRipRun = (content: string): Run => ({ voice: undefined, text: content.replace(subRipTags, '') });

/** When the last caption ends, in seconds. */
export const endOfCues = (cues: readonly Pick<SpokenCue, 'end'>[]): number =>
  cues.reduce((last, { end }) => Math.max(last, end), 0);

/** A caption of two speakers as two, which share its time by the length of their words. */
function partsOf(start: number, end: number, runs: Iterable<Run>): readonly SpokenCue[] {
  const joined: { voice: string | undefined; text: string }[] = [];
  for (const { voice, text } of runs) {
    const last = joined.at(-1);
    if (last !== undefined && (last.voice === voice || text.trim() === '')) last.text += text;
    else joined.push({ voice, text });
  }
  const parts = joined
    .map(({ voice, text }) => ({
      voice,
      text: text
        .replace(/^[ \t]{0,9}[-–—][ \t]{1,9}/gmu, '')
        .replace(/\s+/gu, ' ')
        .trim(),
    }))
    .filter(({ text }) => text !== '');
  const total = parts.reduce((sum, { text }) => sum + text.length, 0);
  let at = start;
  return parts.map(({ voice, text }, index) => {
    const from = at;
    at = index === parts.length - 1 ? end : at + ((end - start) * text.length) / total;
    return { start: from, end: at, text, ...(voice === undefined ? {} : { voice }) };
  });
}
