/** Captions that are cut already, as SubRip, WebVTT or JSON. */
import { type CaptionFormat, serializeCues } from './captions.ts';
import type { Cue, CueWord } from './cues.ts';
import type { SpokenCue } from './read-captions.ts';

/** In lines of about half the text, as long captions have them. */
const longestLine = 42;

export function formatCues(cues: readonly SpokenCue[], format: CaptionFormat): string {
  if (format === 'json') return `${JSON.stringify({ cues }, undefined, 2)}\n`;
  return serializeCues(cues.map(cueOf), format, { highlight: 'none' });
}

function cueOf({ start, end, text, voice }: SpokenCue): Cue {
  const words = text.split(' ');
  const word = (shown: string, index: number): CueWord => ({ text: shown, start, end, space: index === 0 ? '' : ' ' });
  if (text.length <= longestLine) return { start, end, lines: [{ words: words.map(word), voice }] };
  let cut = 1;
  for (let length = 0; cut < words.length && length < text.length / 2; cut += 1)
    length += (words[cut - 1] as string).length + 1;
  const lines = [words.slice(0, cut), words.slice(cut)].filter(({ length }) => length > 0);
  return { start, end, lines: lines.map((line) => ({ words: line.map(word), voice })) };
}
