import type { Command } from 'commander';
import { audioFormatNames } from '../../audio/encode/format.ts';
import { captionFormats } from '../../captions/captions.ts';
import { ranges } from '../../engine/request-fields.ts';
import { inputFormats } from '../../engine/script/input-formats.ts';
import type { Range } from '../../validation.ts';
import { type BatchOptions, defaultRetries, listFormats } from '../batch/batch-options.ts';
import type { Io } from '../io.ts';
import { brokerOptions } from '../options/broker-choice.ts';
import { loraOptions } from '../options/lora-options.ts';
import { modelOptions } from '../options/model-options.ts';
import { commandWith, grouped, nameOption, numberOption } from '../options/option-values.ts';
import { verbosityOptions, waveOptions } from '../options/output-options.ts';
import { scriptOptions, speechOptions, voiceOptions } from '../options/speech-options.ts';
import { helpText } from '../short-help.ts';

const retries: Range = { kind: 'integer', minimum: 0, maximum: 20, default: defaultRetries };

const examples = `
Examples:
  svc batch --input texts.txt --output-dir spoken
  svc batch --input lines.jsonl --output-dir spoken --voice anna --json
  svc batch --input table.csv --check
  svc batch --input lines.jsonl --show-spoken
  svc batch --input lines.jsonl --broker redis://10.0.0.5 \\
    --output-dir s3://bucket/spoken   (see svc worker --help)
  echo '{"id": "hello", "text": "Hello there.", "seed": 7}' |
    svc batch --input - --output-dir spoken`;

const details = `
A line is a text, or a JSON object or table row with "text" and any of these
fields: id, voice, promptAudio, promptText, referenceAudio, denoise, voices,
control, seed, cfg, timesteps, minLength, maxLength, format, sampleFormat,
speed, split, continueBy, clean, normalize, inputFormat, readCode, lexicon,
captions, captionWords, retryBadcase, retryBadcaseMaxTimes,
retryBadcaseRatioThreshold, retryShort, retryClipped, maxWordErrors,
trimSilence, lora, loraWeight. The first row of a table (.csv, .tsv) names its
columns. Options apply to lines that leave a field out. Audio files are named
after the ids, or output_001 and so on.

manifest.jsonl in the output folder records each line. Run the same command
again to generate only what is missing, changed or failed. The exit code is 0
when every line is spoken; otherwise that of the failures, or 1 if they differ.

With --broker, workers speak the lines and prefer the requests of listeners.
Files for S3 are written by the workers; the SDK's own variables set store and
credentials: AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, AWS_REGION,
AWS_ACCESS_KEY_ID and so on. SVC_BROKER_URL is the same as --broker; a model
option overrides it.`;

/** `svc batch`: speaks many texts, one per line. */
export function batchCommand(io: Io): Command {
  return commandWith('batch', helpText(examples, details), [
    ...grouped('Batch:', [
      '--input <file>: file (UTF-8) with one text or JSON object per line, or a table; - for standard input (required)',
      '--output-dir <folder>: folder for the audio files and manifest.jsonl, or a bucket such as s3://bucket/prefix (required)',
      '--manifest <file>: manifest (default: manifest.jsonl in a folder; for S3, in the cache folder)',
      '--show-spoken: print each line as the model gets it instead of speaking; needs no --output-dir',
      '--check: check all lines, voices and recordings without speaking; needs no --output-dir',
      nameOption('--input-format', listFormats, 'format of the list', 'from the file name or the first line'),
      numberOption(
        '--max-batch',
        ranges.maxBatch,
        'utterances generated at once; with --broker, lines in flight, by default twice what the workers can run',
      ),
    ]),
    ...brokerOptions('Redis or Valkey, such as redis://host:6379, whose workers speak the lines'),
    ...grouped('Broker:', [
      numberOption('--retries', retries, 'with --broker, further attempts at a line that failed'),
    ]),
    ...modelOptions(),
    ...loraOptions('may be repeated; a single one applies to lines without "lora"'),
    ...speechOptions(),
    ...scriptOptions(
      nameOption('--text-format', inputFormats, 'format of each text, as --input-format of svc tts', 'auto'),
    ),
    ...voiceOptions(),
    ...grouped('Output:', [
      nameOption('--response-format', audioFormatNames, 'audio format', 'wav'),
      ...waveOptions(),
      nameOption('--captions', captionFormats, 'also write captions in this format, beside each audio file'),
      '--caption-words: mark the time of each word (vtt only)',
      '--json: print a summary as one line of JSON',
      ...verbosityOptions(),
    ]),
  ]).action(async (given: BatchOptions) => (await import('../batch/run-batch.ts')).runBatch(given, io));
}
