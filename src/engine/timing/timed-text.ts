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
