/** Options for what is spoken, and how. The engine defines limits and defaults. */
import { Option } from 'commander';
import { checkLengths, fieldsFrom, type SynthesisRequest } from '../../engine/request.ts';
import {
  type Field,
  type FieldName,
  languageField,
  recordingFields,
  requestFields,
} from '../../engine/request-fields.ts';
import { show } from '../../messages.ts';
import { invalid, requestError } from '../../validation.ts';
import { parseVoiceNames, type ScriptVoiceNames } from '../../voices/script-voice-names.ts';
import { suggesting } from '../completion/suggested.ts';
import { flagOf, grouped, nameOption, numberOption, repeated } from './option-values.ts';
import { checkWithOption } from './recognizer.ts';

export interface VoiceOptions {
  readonly promptAudio?: string | undefined;
  readonly promptText?: string | undefined;
  readonly promptFile?: string | undefined;
  readonly referenceAudio?: string | undefined;
  readonly denoise?: boolean | undefined;
  readonly voice?: string | undefined;
  readonly voiceDir?: string | undefined;
  /** Names of stored voices by the speakers of a dialogue. */
  readonly voices?: Readonly<Record<string, string>> | undefined;
}

type LoraField = 'lora' | 'loraWeight';

const renamed = { timesteps: 'inferenceTimesteps', cfg: 'cfgValue' } as const;

/** The option of each field of a request, in camel case; `--lora` names adapters with their paths. */
export const fieldNames = Object.fromEntries(
  Object.keys(requestFields)
    .filter((name) => name !== 'lora' && name !== 'loraWeight')
    .map((name) => [name, (renamed as Readonly<Record<string, string>>)[name] ?? name]),
) as {
  readonly [Name in Exclude<FieldName, LoraField>]: Name extends keyof typeof renamed ? (typeof renamed)[Name] : Name;
};

export type SpeechOptions = {
  readonly [Name in keyof typeof fieldNames as (typeof fieldNames)[Name]]?: SynthesisRequest[Name];
};

/** The request fields that options set. @throws SvcError INVALID_REQUEST when lengths contradict each other */
export function fieldsOfOptions(options: SpeechOptions) {
  const fields = fieldsFrom(options, fieldNames);
  checkLengths(fields, { minLength: flagOf('minLength'), maxLength: flagOf('maxLength') });
  return fields;
}

export interface TextOptions {
  readonly text?: string | undefined;
  readonly textFile?: string | undefined;
  readonly live?: boolean | undefined;
  readonly lexicon?: readonly string[] | undefined;
  readonly showSpoken?: boolean | undefined;
}

/** An option whose value is a BCP 47 tag. */
export const languageOption = (flag: string, help: string): Option =>
  new Option(`${flag} <tag>`, help).argParser((tag) => {
    const { data, error } = languageField.safeParse(tag);
    if (data !== undefined) return data;
    throw invalid(error.issues[0]?.message ?? 'a language tag', flag, show(tag));
  });

/** The option of a request field, with help and range from the engine's table. */
export function fieldOption(name: keyof typeof fieldNames, otherwise?: string): Option {
  const field: Field = requestFields[name];
  const flag = flagOf(fieldNames[name]);
  if (field.kind === 'text') return new Option(`${flag} <text>`, field.help);
  if (field.kind === 'language') return languageOption(flag, field.help);
  if (field.kind === 'boolean') return new Option(flag, field.help);
  if (field.kind === 'choice') return nameOption(flag, field.choices, field.help, field.default);
  return numberOption(flag, field, field.help, otherwise);
}

export const textOptions = (): readonly Option[] =>
  grouped('Text:', [
    '-t, --text <text>: text to speak, instead of the argument',
    '--text-file <file>: text file (UTF-8), EPUB or other document to speak (default: standard input)',
    '--live: speak standard input as it arrives, for example from a language model',
    '--show-spoken: print each passage with its language, as written and as the model gets it, instead of speaking',
    `--first-clause: ${requestFields.firstClause.help} (default with --live)`,
    '--no-first-clause: start live text after its first sentence',
  ]);

/** @param what the file holds */
export const lexiconOption = (what: string): Option =>
  new Option('--lexicon <file>', `${what}: PLS, or lines of word = respelling; may be repeated`).argParser(repeated);

const inputFormatOption = (): Option =>
  nameOption(
    '--input-format',
    requestFields.inputFormat.choices,
    requestFields.inputFormat.help,
    'auto; with --live plain, or script with --voices',
  );

export const scriptOptions = (format = inputFormatOption()): readonly Option[] => [
  ...grouped('Text:', [format, fieldOption('readCode'), lexiconOption('pronunciations')]),
  ...grouped('Voice:', [
    new Option(
      '--voices <pairs>',
      'voices of the speakers in a dialogue, such as Anna=iris,Ben=bruno for lines that begin with "Anna:"',
    ).argParser((names: string, others?: ScriptVoiceNames) => parseVoiceNames(names, '--voices', others)),
  ]),
];

export const speechOptions = (): readonly Option[] => [
  ...grouped('Text:', [
    '--no-split: speak a long text in one piece',
    fieldOption('continueBy'),
    '--no-clean: keep typographic quotes, dashes, emoji and invisible characters',
    fieldOption('language'),
    fieldOption('normalize'),
    '--no-normalize: leave numbers, dates and signs to the model',
  ]),
  ...grouped('Advanced:', [
    fieldOption('timesteps'),
    fieldOption('cfg'),
    fieldOption('seed', 'random'),
    fieldOption('minLength'),
    fieldOption('maxLength'),
  ]),
  ...grouped('Checks:', [
    fieldOption('retryBadcase'),
    '--no-retry-badcase: keep the first attempt, unchecked',
    fieldOption('retryBadcaseMaxTimes'),
    fieldOption('retryBadcaseRatioThreshold'),
    fieldOption('retryShort'),
    fieldOption('retryClipped'),
    checkWithOption('recognizer to check the spoken words and to transcribe prompts'),
    fieldOption('maxWordErrors'),
    fieldOption('trimSilence'),
  ]),
];

export const voiceDirOption = (): Option =>
  new Option(
    '--voice-dir <folder>',
    "folder of stored voices (default: the user's data folder; see svc voices --help)",
  );

function parseTranscript(text: string): string {
  if (text.trim() !== '') return text;
  throw requestError('--prompt-text is empty: give the transcript of the prompt audio');
}

export const denoiseOption = (): Option => new Option('--denoise', recordingFields.denoise.help);

export const voiceOptions = (): readonly Option[] =>
  grouped('Voice:', [
    '--prompt-audio <file>: recording to clone, with its transcript in --prompt-text',
    new Option('--prompt-text <text>', 'transcript of the prompt audio').argParser(parseTranscript),
    new Option('--prompt-file <file>', 'transcript of the prompt audio as a text file (UTF-8)').conflicts([
      'promptText',
      'voice',
    ]),
    '--reference-audio <file>: recording whose timbre to clone; needs no transcript (VoxCPM 2)',
    denoiseOption(),
    suggesting(new Option('--voice <name>', "name of a voice (see 'svc voices list')"), 'voices'),
    voiceDirOption(),
    fieldOption('control'),
  ]);
