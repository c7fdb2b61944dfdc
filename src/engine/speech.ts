/** A whole speech: what its events are together. */
import type { Attempt } from './long-text/speak-part.ts';
import type { SpeechEvent } from './speech-event.ts';
import type { TimedSentence } from './timing/timed-text.ts';

export interface Speech {
  /** Mono PCM in [-1, 1]. */
  readonly samples: Float32Array;
  readonly sampleRate: number;
  readonly patches: number;
  /** Whether the model stopped by itself or a limit was reached, where the speech or a part of it may be cut off. */
  readonly end: 'stop' | 'limit';
  /** Repeats these samples with the same request. For a text of one part, the seed of the returned attempt. */
  readonly seed: number;
  /** Largest number of attempts at a part. */
  readonly attempts: number;
  /** Findings of each attempt at each part, in order. */
  readonly tries: readonly Attempt[];
  /** Number of parts that the text was split into. */
  readonly parts: number;
  /** With `timestamps`. */
  readonly sentences?: readonly TimedSentence[] | undefined;
  /** Unexpected but usable results, one line each. */
  readonly warnings: readonly string[];
}

export interface SpeechSummary extends Omit<Speech, 'samples' | 'end' | 'sentences' | 'attempts'> {
  /** Number of samples, at the speed of the request. */
  readonly samples: number;
  /** Undefined for live text without a part. */
  readonly end: 'stop' | 'limit' | undefined;
  readonly sentences: readonly TimedSentence[];
}

/** Summarizes the events of a speech. @param speech its seed, and warnings before the speech */
export function createSummary(
  speech: Pick<Speech, 'seed' | 'warnings'>,
  { sampleRate, mayRetract = false }: { readonly sampleRate: number; readonly mayRetract?: boolean | undefined },
) {
  const sentences: TimedSentence[] = [];
  const tries: Attempt[] = [];
  const warnings = [...speech.warnings];
  let [samples, patches, parts, seed] = [0, 0, 0, speech.seed];
  let end: SpeechSummary['end'] = mayRetract ? 'stop' : undefined;
  return {
    add(event: SpeechEvent): void {
      samples += event.samples.length;
      patches += event.patches;
      parts = event.part + 1;
      sentences.push(...(event.sentences ?? []));
      warnings.push(...(event.warnings ?? []));
      if (event.end !== undefined && end !== 'limit') end = event.end;
      if (!mayRetract) return;
      tries.push(...(event.attempts ?? []));
      // A text of one part may have been regenerated with another seed.
      seed = event.part === 0 && event.seed !== undefined ? event.seed : speech.seed;
    },
    result: (): SpeechSummary => ({ samples, sampleRate, patches, seed, end, parts, sentences, tries, warnings }),
  };
}
