/** What the command line says about a batch, and about each of its utterances. */
import type { ModelOptions, OutputOptions, SpeechOptions, VoiceOptions } from '../options/options.ts';
import type { RecordDefaults } from './record.ts';
import type { InputFormat } from './utterances.ts';

export type BatchOptions = ModelOptions &
  VoiceOptions &
  Omit<SpeechOptions, 'text' | 'textFile'> &
  Omit<OutputOptions, 'output'> & {
    readonly input?: string;
    readonly outputDir?: string;
    readonly inputFormat?: InputFormat;
    readonly maxBatch?: number;
  };

/** The fields that a line may have and doesn't, from the options of the same meaning. */
export function defaultsOf(options: BatchOptions): RecordDefaults {
  const { voice, promptAudio, promptText, referenceAudio, control, seed, minLength, maxLength } = options;
  const { retryBadcase, split, clean, normalize, sampleFormat, speed } = options;
  const { cfgValue: cfg, inferenceTimesteps: timesteps, responseFormat: format } = options;
  const all = {
    ...{ voice, promptAudio, promptText: promptText?.trim(), referenceAudio, control },
    ...{ seed, cfg, timesteps, minLength, maxLength, retryBadcase, split, clean, normalize },
    ...{ format, sampleFormat, speed },
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
