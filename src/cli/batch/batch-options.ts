/** Options of `svc batch`, for the run and for each line. */
import type { CaptionFormat } from '../../captions/captions.ts';
import type { BrokerOptions } from '../options/broker-choice.ts';
import { type LoraOptions, loraNames } from '../options/lora-options.ts';
import type { ModelOptions } from '../options/model-options.ts';
import type { OutputOptions } from '../options/output-options.ts';
import type { RecognizerOptions } from '../options/recognizer.ts';
import { fieldsOfOptions, type SpeechOptions, type VoiceOptions } from '../options/speech-options.ts';
import type { ListFormat } from './list-formats.ts';
import type { RecordDefaults } from './record.ts';

export type BatchOptions = ModelOptions &
  VoiceOptions &
  Omit<SpeechOptions, 'inputFormat'> &
  RecognizerOptions &
  BrokerOptions &
  LoraOptions &
  Omit<OutputOptions, 'output' | 'captions'> & {
    readonly input?: string;
    readonly outputDir?: string;
    readonly manifest?: string;
    readonly retries?: number;
    readonly inputFormat?: ListFormat;
    /** Format of each text. */
    readonly textFormat?: SpeechOptions['inputFormat'];
    readonly lexicon?: readonly string[];
    readonly captions?: CaptionFormat;
    readonly check?: boolean;
    /** Print what the model gets of each line instead of speaking it. */
    readonly showSpoken?: boolean;
    readonly maxBatch?: number;
  };

/** Fields for lines that leave them out, from the options of the same meaning. */
export function defaultsOf(options: BatchOptions): RecordDefaults {
  const { voice, promptAudio, promptText, referenceAudio, denoise, voices, lexicon } = options;
  const { responseFormat: format, sampleFormat, speed, captions, captionWords } = options;
  const voiceFields = { voice, promptAudio, promptText: promptText?.trim(), referenceAudio, denoise, voices };
  const [lora, ...more] = loraNames(options);
  const beside = {
    ...voiceFields,
    // Lines choose one of several adapters.
    lora: more.length === 0 ? lora : undefined,
    lexicon: lexicon && [...lexicon],
    format,
    sampleFormat,
    speed,
    captions,
    captionWords,
  };
  const given = Object.entries(beside).filter(([, value]) => value !== undefined);
  return { ...fieldsOfOptions({ ...options, inputFormat: options.textFormat }), ...Object.fromEntries(given) };
}
