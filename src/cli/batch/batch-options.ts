/** Options of `svc batch`, for the run and for each line. */
import {
  fieldsOfOptions,
  type ModelOptions,
  type OutputOptions,
  type SpeechOptions,
  type VoiceOptions,
} from '../options/options.ts';
import type { RecognizerOptions } from '../options/recognizer.ts';
import type { RecordDefaults } from './record.ts';
import type { InputFormat } from './utterances.ts';

export type BatchOptions = ModelOptions &
  VoiceOptions &
  Omit<SpeechOptions, 'inputFormat'> &
  RecognizerOptions &
  Omit<OutputOptions, 'output'> & {
    readonly input?: string;
    readonly outputDir?: string;
    readonly inputFormat?: InputFormat;
    readonly maxBatch?: number;
  };

/** Fields for lines that leave them out, from the options of the same meaning. */
export function defaultsOf(options: BatchOptions): RecordDefaults {
  const { voice, promptAudio, promptText, referenceAudio, responseFormat: format, sampleFormat, speed } = options;
  const beside = { voice, promptAudio, promptText: promptText?.trim(), referenceAudio, format, sampleFormat, speed };
  const given = Object.entries(beside).filter(([, value]) => value !== undefined);
  return { ...fieldsOfOptions({ ...options, inputFormat: undefined }), ...Object.fromEntries(given) };
}
