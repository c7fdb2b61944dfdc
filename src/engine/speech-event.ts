/** Events of a speech, one after another, whether it is generated for a listener or for a file. */
import { concatenate } from '../float-arrays.ts';
import type { Attempt } from './long-text/speak-part.ts';
import type { TimedSentence } from './timing/timed-text.ts';

/**
 * Some audio of one part of a text: all of a finished part if it may be retracted, else that of one patch or of several. The
 * samples of all events together are the speech.
 */
export interface SpeechEvent {
  /** 0-based number of the part. */
  readonly part: number;
  /** In the first event of a part: the text that is spoken. */
  readonly text?: string | undefined;
  /** Mono PCM in [-1, 1]; may be empty at the end of a part. */
  readonly samples: Float32Array;
  /** Number of patches generated since the event before. */
  readonly patches: number;
  /** The patch, where an event has one: `patchSize × featureDim`. Not known of another machine. */
  readonly patch?: Float32Array | undefined;
  /**
   * With `timestamps`, at the end of a part: the times of its sentences and words. Words are those that were spoken: respelled,
   * cleaned and normalized. A silent part of several has none.
   */
  readonly sentences?: readonly TimedSentence[] | undefined;
  /** At the end of a part: whether the model stopped by itself or a limit was reached. */
  readonly end?: 'stop' | 'limit' | undefined;
  /** At the end of a part: the seed of the attempt that counts. */
  readonly seed?: number | undefined;
  /** At the end of a part: what was found in each attempt at it, in order. */
  readonly attempts?: readonly Attempt[] | undefined;
  /** Set for the last event of the speech. */
  readonly isLast?: true | undefined;
  /** Unexpected but usable results since the event before, one line each. */
  readonly warnings?: readonly string[] | undefined;
}

/** Two events as one, which belongs to the part of the second and keeps its text. */
export function joinEvents(first: SpeechEvent, second: SpeechEvent): SpeechEvent {
  const joined = <Item>(one: readonly Item[] | undefined, other: readonly Item[] | undefined) =>
    one === undefined ? other : other === undefined ? one : [...one, ...other];
  return {
    ...second,
    text: second.text ?? first.text,
    samples: first.samples.length === 0 ? second.samples : concatenate([first.samples, second.samples]),
    patches: first.patches + second.patches,
    sentences: joined(first.sentences, second.sentences),
    end: second.end ?? first.end,
    seed: second.seed ?? first.seed,
    attempts: joined(first.attempts, second.attempts),
    warnings: joined(first.warnings, second.warnings),
  };
}
