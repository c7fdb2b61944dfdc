/** Start and end of each word and each sentence of a speech. */

export interface TimedWord {
  /** As in the text, with the punctuation beside it. */
  readonly text: string;
  /** Seconds from the beginning of the audio. */
  readonly start: number;
  readonly end: number;
}

/** Where word times come from: the attention of the language model, or the length of the words alone. */
export const timingMethods = ['attention', 'estimated'] as const;
export type TimingMethod = (typeof timingMethods)[number];

export interface TimedSentence extends TimedWord {
  readonly words: readonly TimedWord[];
  readonly method: TimingMethod;
  /** Name of the voice that speaks it, where a script names one. */
  readonly voice?: string | undefined;
}

/** Later by so many seconds. */
export const shifted = (sentences: readonly TimedSentence[], seconds: number): readonly TimedSentence[] =>
  sentences.map((sentence) => ({
    ...move(sentence, seconds),
    words: sentence.words.map((word) => move(word, seconds)),
  }));

const move = <Timed extends { readonly start: number; readonly end: number }>(
  timed: Timed,
  seconds: number,
): Timed => ({ ...timed, start: millisecond(timed.start + seconds), end: millisecond(timed.end + seconds) });

const millisecond = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;
