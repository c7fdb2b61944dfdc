/** Times of sentences and words, in the shapes of the official command line. */
import { z } from 'zod';
import { type TimedSentence, type TimedWord, timingMethods } from '../../engine/timing/timed-text.ts';

export const timestampLevels = ['none', 'sentence', 'word'] as const;
export type TimestampLevel = (typeof timestampLevels)[number];

export const seconds = (what: string) =>
  z.number().describe(`When ${what}, in seconds from the beginning of the audio.`);

/** As in the file of the official `--timestamps`, with the method and the sentence beside. */
export const timestampItem = z.object({
  text: z.string().describe('The sentence or word, as it is written.'),
  start: seconds('it begins'),
  end: seconds('it ends'),
  level: z.enum(['segment', 'word']).describe('`segment` for a sentence, or `word`.'),
  sentence: z.int().describe('Number of the sentence, from 0.'),
  method: z
    .enum(timingMethods)
    .describe('How words were timed: by the attention of the model, or estimated from sound and syllables.'),
});

export type TimestampItem = Readonly<z.output<typeof timestampItem>>;

export function createTimestamps(
  level: Exclude<TimestampLevel, 'none'>,
): (sentences: readonly TimedSentence[]) => readonly TimestampItem[] {
  let count = 0;
  return (sentences) =>
    sentences.flatMap(({ words, method, ...whole }) => {
      const sentence = count;
      count += 1;
      const timed = level === 'word' ? words : [whole];
      return timed.map(({ text, start, end }: TimedWord) => ({
        text,
        start,
        end,
        level: level === 'word' ? level : 'segment',
        sentence,
        method,
      }));
    });
}

export const speechTimestamps = z.object({
  sample_rate: z.int().describe('Sample rate of the audio, in Hz.'),
  backend: z.string().describe('`svc`.'),
  level: z.enum(['segment', 'word']).describe('`segment` for sentences, or `word`.'),
  text: z.string().describe('The text as it is written.'),
  items: z.array(timestampItem).describe('The sentences or words, in order.'),
});

export const timestampsOf = (
  sentences: readonly TimedSentence[],
  level: Exclude<TimestampLevel, 'none'>,
  sampleRate: number,
): z.input<typeof speechTimestamps> => ({
  sample_rate: sampleRate,
  backend: 'svc',
  level: level === 'word' ? level : 'segment',
  text: sentences.map(({ text }) => text).join(' '),
  items: [...createTimestamps(level)(sentences)],
});
