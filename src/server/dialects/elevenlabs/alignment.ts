/** Times of each character, in ElevenLabs' shapes. Words are timed; their characters share the time evenly. */
import { z } from 'zod';
import type { TimedSentence, TimedWord } from '../../../engine/timing/timed-text.ts';
import { jsonLines, jsonObject } from '../../speech/speech-json.ts';

function spread(text: string, start: number, end: number): readonly TimedWord[] {
  const characters = [...text];
  const each = (end - start) / characters.length;
  return characters.map((character, index) => {
    return { text: character, start: start + index * each, end: start + (index + 1) * each };
  });
}

/** Characters between two words last from the end of the one to the beginning of the other. */
export function charactersOf({ text, start, end, words }: TimedSentence): readonly TimedWord[] {
  const characters: TimedWord[] = [];
  let position = 0;
  let time = start;
  for (const word of words) {
    const found = text.indexOf(word.text, position);
    if (found === -1) continue;
    characters.push(...spread(text.slice(position, found), time, word.start));
    characters.push(...spread(word.text, word.start, word.end));
    position = found + word.text.length;
    time = word.end;
  }
  return [...characters, ...spread(text.slice(position), time, Math.max(time, end))];
}

const seconds = (what: string) => z.array(z.number()).describe(`When each character ${what}, in seconds.`);

export const alignment = z.object({
  characters: z.array(z.string()).describe('Characters of the text, as it is written.'),
  character_start_times_seconds: seconds('begins'),
  character_end_times_seconds: seconds('ends'),
});

const rounded = (value: number): number => Number(value.toFixed(3));

/** Aligns the sentences of one speech in turn, with a space between two; times never go back. Null without any. */
export function createAlignments(): (sentences: readonly TimedSentence[]) => z.output<typeof alignment> | null {
  let time: number | undefined;
  const forward = ({ text, ...times }: TimedWord): TimedWord => {
    const start = Math.max(times.start, time ?? 0);
    time = Math.max(times.end, start);
    return { text, start, end: time };
  };
  return (sentences) => {
    const characters = sentences.flatMap((sentence) => {
      const space = time === undefined ? [] : spread(' ', time, sentence.start);
      return [...space, ...charactersOf(sentence)].map(forward);
    });
    if (characters.length === 0) return null;
    return {
      characters: characters.map(({ text }) => text),
      character_start_times_seconds: characters.map(({ start }) => rounded(start)),
      character_end_times_seconds: characters.map(({ end }) => rounded(end)),
    };
  };
}

function beginAlignments(): (sentences: readonly TimedSentence[]) => object {
  const align = createAlignments();
  return (sentences) => {
    const alignment = align(sentences);
    return { alignment, normalized_alignment: alignment };
  };
}

export const alignedObject = jsonObject({ audio: 'audio_base64', last: (sentences) => beginAlignments()(sentences) });

export const alignedLines = jsonLines(() => {
  const alignmentOf = beginAlignments();
  return (audio, sentences) => ({ audio_base64: audio, ...alignmentOf(sentences) });
});

/** Times of the characters of a WebSocket message, in milliseconds. */
export interface MessageAlignment {
  readonly chars: readonly string[];
  readonly charStartTimesMs: readonly number[];
  readonly charDurationsMs: readonly number[];
}

/**
 * Aligns the sentences of one speech in turn, with a space after each, which ends its last word for clients. Null without
 * any.
 *
 * @param clock `speech` counts from the beginning of the speech; `message` from the end of the last alignment, as clients
 *   add up the lengths of alignments
 */
export function createMessageAlignments(
  clock: 'speech' | 'message',
): (sentences: readonly TimedSentence[]) => MessageAlignment | null {
  let time = 0;
  return (sentences) => {
    if (sentences.length === 0) return null;
    const zero = clock === 'speech' ? 0 : time;
    const chars: string[] = [];
    const charStartTimesMs: number[] = [];
    const charDurationsMs: number[] = [];
    for (const sentence of sentences) {
      for (const { text, start, end } of [...charactersOf(sentence), ...spread(' ', sentence.end, sentence.end)]) {
        const from = Math.max(time, Math.round(start * 1000));
        time = Math.max(from, Math.round(end * 1000));
        chars.push(text);
        charStartTimesMs.push(from - zero);
        charDurationsMs.push(time - from);
      }
    }
    return { chars, charStartTimesMs, charDurationsMs };
  };
}
