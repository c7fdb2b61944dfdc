/** Options of `svc batch`, for the run and for each line. */
import type { BrokerAddress } from '../../broker/shared/address.ts';
import type { CaptionFormat } from '../../captions/captions.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { type BrokerOptions, chooseBroker, requireBroker } from '../options/broker-choice.ts';
import { type LoraOptions, loraNames } from '../options/lora-options.ts';
import type { ModelOptions } from '../options/model-options.ts';
import { refuseOptions } from '../options/option-values.ts';
import type { OutputOptions } from '../options/output-options.ts';
import type { RecognizerOptions } from '../options/recognizer.ts';
import { fieldsOfOptions, type SpeechOptions, type VoiceOptions } from '../options/speech-options.ts';
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

/** Whether the lines of a batch are texts or JSON objects, one JSON array of them, or the rows of a table. */
export const listFormats = ['text', 'jsonl', 'json', 'csv', 'tsv'] as const;
export type ListFormat = (typeof listFormats)[number];

/** Retries of a line; each takes another worker if there is one. */
export const defaultRetries = 2;

/** Options that belong to workers. */
const modelOptions = ['model', 'modelPath', 'type', 'file', 'hub', 'backend', 'threads', 'ditType'] as const;
const otherOptions = ['lora', 'loraAlpha', 'checkWith'] as const;

/** The address of `--broker`, else of `SVC_BROKER_URL`, which a model option overrides. */
export async function chooseBatchBroker(options: BatchOptions, io: Io): Promise<BrokerAddress | undefined> {
  const isLocal = options.broker === undefined && (options.model ?? options.modelPath) !== undefined;
  if (isLocal) requireBroker(options);
  const address = isLocal ? undefined : await chooseBroker(options, io, 'svc batch --broker');
  if (address === undefined) {
    if (options.retries !== undefined) throw requestError('--retries needs --broker');
    return undefined;
  }
  refuseOptions(options, [...modelOptions, ...otherOptions], 'cannot be combined with --broker; give it to svc worker');
  return address;
}
