export interface TimedWord {
  /** As in the text, with the punctuation beside it. */
  readonly text: string;
  /** Seconds from the beginning of the audio. */
  readonly start: number;
  readonly end: number;
}

export type TimedWords = readonly TimedWord[];

/** Where word times come from: the attention of the language model, or the length of the words alone. */
export const timingMethods = ['attention', 'estimated'] as const;
export type TimingMethod = (typeof timingMethods)[number];

export interface TimedSentence extends TimedWord {
  readonly words: TimedWords;
  readonly method: TimingMethod;
  /** Name of the voice that speaks it, where a script names one. */
  readonly voice?: string | undefined;
}

/** With other times, to the millisecond. */
function retimed(sentences: readonly TimedSentence[], timeOf: (time: number) => number): readonly TimedSentence[] {
  const moved = <Word extends TimedWord>(word: Word): Word => ({
    ...word,
    start: millisecond(timeOf(word.start)),
    end: millisecond(timeOf(word.end)),
  });
  return sentences.map((sentence) => ({ ...moved(sentence), words: sentence.words.map(moved) }));
}

export const shifted = (sentences: readonly TimedSentence[], seconds: number): readonly TimedSentence[] =>
  retimed(sentences, (time) => time + seconds);

/** The same in audio whose speed is changed; a factor above 1 is faster. */
export const atSpeed = (sentences: readonly TimedSentence[], factor: number): readonly TimedSentence[] =>
  retimed(sentences, (time) => time / factor);

export const millisecond = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;
