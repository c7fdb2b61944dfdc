/** Timed sentences as SubRip, WebVTT or JSON. */
import type { TimedSentence, TimedWord } from '../engine/timing/timed-text.ts';

export const captionFormats = ['srt', 'vtt', 'json'] as const;
export type CaptionFormat = (typeof captionFormats)[number];

export interface CaptionOptions {
  /** WebVTT marks each word with its time, so that players highlight it. */
  readonly highlight: 'words' | 'none';
}

/** What a viewer reads at once: two lines of at most so many characters, for at most so many seconds. */
const lineLength = 42;
const longestCue = 7;
/** More than fit two lines: a word has a character. */
const mostWords = 2 * lineLength + 2;
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

interface Cue {
  readonly start: number;
  readonly end: number;
  /** One or two lines of words. */
  readonly lines: readonly (readonly TimedWord[])[];
}

/** @param sentences in order of time */
export function formatCaptions(
  sentences: readonly TimedSentence[],
  format: CaptionFormat,
  options: CaptionOptions,
): string {
  if (format === 'json') return `${JSON.stringify({ sentences }, undefined, 2)}\n`;
  const cues = sentences.flatMap(cuesOf);
  if (format === 'srt') return cues.map((cue, index) => `${index + 1}\n${subRip(cue)}\n`).join('\n');
  return `WEBVTT\n\n${cues.map((cue) => `${webVtt(cue, options)}\n`).join('\n')}`;
}

/** A long sentence is cut between words, after punctuation where there is some. */
function cuesOf({ words }: TimedSentence): readonly Cue[] {
  const cues: Cue[] = [];
  for (let start = 0; start < words.length; ) {
    const cue = fitting(words.slice(start, start + mostWords));
    cues.push(cue);
    start += cue.lines.flat().length;
  }
  return cues;
}

/** As many words as fit; if not all do, up to the last punctuation of the second half. */
function fitting(words: readonly TimedWord[]): Cue {
  const start = (words[0] as TimedWord).start;
  let count = 0;
  while (count < words.length) {
    const taken = words.slice(0, count + 1);
    if (count > 0 && (breakLines(taken).length > 2 || (taken.at(-1) as TimedWord).end - start > longestCue)) break;
    count += 1;
  }
  if (count < words.length) {
    const comma = words.slice(0, count).findLastIndex(({ text }) => /[,;:，；：、–—]$/u.test(text));
    if (comma + 1 > count / 2) count = comma + 1;
  }
  const taken = words.slice(0, count);
  return { start, end: (taken.at(-1) as TimedWord).end, lines: breakLines(taken) };
}

function breakLines(words: readonly TimedWord[]): readonly (readonly TimedWord[])[] {
  const lines: TimedWord[][] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || joined([...last, word]).length > lineLength) lines.push([word]);
    else last.push(word);
  }
  return lines;
}

/** Spaces between words, but for scripts without. */
function joined(words: readonly TimedWord[], say: (word: TimedWord) => string = ({ text }) => text): string {
  let line = '';
  for (const [index, word] of words.entries()) {
    const previous = words[index - 1]?.text.at(-1) ?? '';
    const isClose =
      index === 0 ||
      (unspaced.test(word.text[0] ?? '') &&
        /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{P}]/u.test(previous));
    line += (isClose ? '' : ' ') + say(word);
  }
  return line;
}

function clock(seconds: number, point: ',' | '.'): string {
  const milliseconds = Math.round(seconds * 1000);
  const part = (divisor: number, modulus: number, digits: number): string =>
    String(Math.floor(milliseconds / divisor) % modulus).padStart(digits, '0');
  const hours = String(Math.floor(milliseconds / 3_600_000)).padStart(2, '0');
  return `${hours}:${part(60_000, 60, 2)}:${part(1000, 60, 2)}${point}${part(1, 1000, 3)}`;
}

/**
 * SubRip has no escapes. Players take `<i>` and `{\an8}` for tags, and a line with `-->` for times: signs that look alike
 * are text to them.
 */
const untagged = (text: string): string =>
  text
    .replace(/(?<!-)-{2,}>/g, '->')
    .replaceAll('<', '‹')
    .replaceAll('{', '(')
    .replaceAll('}', ')');

const subRip = ({ start, end, lines }: Cue): string =>
  `${clock(start, ',')} --> ${clock(end, ',')}\n${lines.map((line) => untagged(joined(line))).join('\n')}`;

/** `&` and `<` have a meaning in WebVTT, and `-->` ends a cue. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function webVtt({ start, end, lines }: Cue, { highlight }: CaptionOptions): string {
  const first = lines[0]?.[0];
  const say = (word: TimedWord): string =>
    highlight === 'none' || word === first
      ? escaped(word.text)
      : `<${clock(word.start, '.')}><c>${escaped(word.text)}</c>`;
  return `${clock(start, '.')} --> ${clock(end, '.')}\n${lines.map((line) => joined(line, say)).join('\n')}`;
}
