/** Reads captions in SubRip or WebVTT. */
import * as mediaCaptions from 'media-captions';
import { sanitizeLine, show } from '../messages.ts';
import { invalid, requestError } from '../validation.ts';

/** What is used of the library, whose own types Node.js' resolution doesn't find. */
interface CaptionsLibrary {
  parseText(
    text: string,
    options: { readonly type: 'srt' | 'vtt'; readonly errors: true },
  ): Promise<{ readonly cues: readonly ParsedCue[]; readonly errors: readonly CaptionError[] }>;
  tokenizeVTTCue(cue: Pick<ParsedCue, 'text'>): readonly CueNode[];
}

interface ParsedCue {
  /** Seconds. */
  readonly startTime: number;
  readonly endTime: number;
  readonly text: string;
}

interface CaptionError {
  readonly code: number;
  readonly message: string;
}

/** Errors with greater codes are about looks. */
const lastTimeError = 2;

/** Lines with times. */
const timeLines = /^[ \t]{0,9}[\d:.,]{1,20}[ \t]{1,9}-->/gmu;

type CueNode =
  | { readonly type: 'text'; readonly data: string }
  | { readonly type: 'v'; readonly voice: string; readonly children: readonly CueNode[] }
  | { readonly type: 'other'; readonly children: readonly CueNode[] };

const { parseText, tokenizeVTTCue } = mediaCaptions as unknown as CaptionsLibrary;

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
 * @param text of a file: WebVTT if it begins with `WEBVTT`
 * @returns in order of time; captions without text are left out
 * @throws SvcError INVALID_REQUEST if there is no caption, or one ends before it begins
 */
export async function readCaptions(text: string): Promise<readonly SpokenCue[]> {
  if (typeof text !== 'string') throw invalid('a string', 'the text of the captions', show(text));
  const type = /^\uFEFF?WEBVTT/.test(text) ? 'vtt' : 'srt';
  const { cues, errors } = await parseText(text, { type, errors: true });
  const wrong = errors.find(({ code }) => code <= lastTimeError);
  if (wrong !== undefined) throw requestError(`the captions cannot be read: ${sanitizeLine(wrong.message)}`);
  // The library leaves them out.
  const missing = (text.match(timeLines)?.length ?? 0) - cues.length;
  if (missing > 0) throw requestError(`the captions cannot be read: ${missing} of them end before they begin`);
  const spoken = cues.flatMap(({ startTime, endTime, text: content }) => {
    const runs = type === 'vtt' ? runsOf(tokenizeVTTCue({ text: content })) : [subRipRun(content)];
    return partsOf(startTime, endTime, runs);
  });
  if (spoken.length === 0) throw requestError('there are no captions: give SubRip (.srt) or WebVTT (.vtt)');
  return spoken.sort((one, other) => one.start - other.start);
}

const subRipRun = (content: string): Run => ({ voice: undefined, text: content.replace(subRipTags, '') });

function runsOf(nodes: readonly CueNode[], voice?: string): readonly Run[] {
  return nodes.flatMap((node) => {
    if (node.type === 'text') return [{ voice, text: node.data }];
    return runsOf(node.children, node.type === 'v' ? node.voice : voice);
  });
}

/** A caption of two speakers as two, which share its time by the length of their words. */
function partsOf(start: number, end: number, runs: readonly Run[]): readonly SpokenCue[] {
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
