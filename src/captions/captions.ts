/** Timed sentences as SubRip, WebVTT, Advanced SubStation Alpha or JSON. */
import type { TimedSentence } from '../engine/timing/timed-text.ts';
import { SvcError } from '../errors.ts';
import { didYouMean, show } from '../messages.ts';
import { assFile } from './ass.ts';
import { type Cue, type CueLine, type CueWord, cuesOf, lineText } from './cues.ts';

export const captionFormats = ['srt', 'vtt', 'ass', 'json'] as const;
export type CaptionFormat = (typeof captionFormats)[number];

export interface CaptionOptions {
  /** WebVTT and ASS mark each word with its time, so that players highlight it. */
  readonly highlight: 'words' | 'none';
}

const isTimed = (sentence: unknown): boolean => {
  const { words } = Object(sentence) as { readonly words?: unknown };
  return Array.isArray(words) && words.every((word) => typeof Object(word).text === 'string');
};

/**
 * @param sentences in order of time
 * @throws SvcError INVALID_REQUEST for another format
 */
export function formatCaptions(
  sentences: readonly TimedSentence[],
  format: CaptionFormat,
  options: CaptionOptions,
): string {
  // No schema: a web page needs no validation for it.
  if (!captionFormats.includes(format)) {
    const hint = typeof format === 'string' ? didYouMean(format, captionFormats) : '';
    const problem = `format must be one of ${captionFormats.join(', ')}, got ${show(format)}${hint}`;
    throw new SvcError('INVALID_REQUEST', problem, { param: 'format' });
  }
  if (!Array.isArray(sentences) || !sentences.every(isTimed)) {
    const problem = `sentences must be a list of sentences with their words, got ${show(sentences)}`;
    throw new SvcError('INVALID_REQUEST', problem, { param: 'sentences' });
  }
  if (format === 'json') return `${JSON.stringify({ sentences }, undefined, 2)}\n`;
  return serializeCues(cuesOf(sentences), format, options);
}

/** @param cues in order of time */
export function serializeCues(
  cues: readonly Cue[],
  format: Exclude<CaptionFormat, 'json'>,
  options: CaptionOptions,
): string {
  if (format === 'ass') return assFile(cues, options.highlight);
  if (format === 'srt') return cues.map((cue, index) => `${index + 1}\n${subRip(cue)}\n`).join('\n');
  return `WEBVTT\n\n${cues.map((cue) => `${webVtt(cue, options)}\n`).join('\n')}`;
}

/** `00:00:01,500`. */
export function clock(seconds: number, point: ',' | '.'): string {
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

/** Lines of two speakers begin with a hyphen, as subtitles have it. */
function subRip({ start, end, lines }: Cue): string {
  const dash = hasTwoVoices(lines) ? '- ' : '';
  const shown = lines.map((line) => dash + untagged(lineText(line)));
  return `${clock(start, ',')} --> ${clock(end, ',')}\n${shown.join('\n')}`;
}

const hasTwoVoices = (lines: readonly CueLine[]): boolean => new Set(lines.map(({ voice }) => voice)).size > 1;

/** `&` and `<` have a meaning in WebVTT, and `-->` ends a cue. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function webVtt({ start, end, lines }: Cue, { highlight }: CaptionOptions): string {
  const first = lines[0]?.words[0];
  const say = (word: CueWord): string =>
    // A time must lie within its cue, which ends before the next one.
    highlight === 'none' || word === first || word.start <= start || word.start >= end
      ? escaped(word.text)
      : `<${clock(word.start, '.')}><c>${escaped(word.text)}</c>`;
  const isDialogue = hasTwoVoices(lines);
  const shown = lines.map((line, index) => {
    const spoken = lineText(line, say);
    if (line.voice === undefined || (index > 0 && !isDialogue)) return spoken;
    return `<v ${escaped(line.voice).replace(/\s+/gu, ' ')}>${spoken}${isDialogue ? '</v>' : ''}`;
  });
  return `${clock(start, '.')} --> ${clock(end, '.')}\n${shown.join('\n')}`;
}
