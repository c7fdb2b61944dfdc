/** Options that several commands share: names, help and checks of single values. The engine defines limits and defaults. */
import { type Command, Option } from 'commander';
import { type WeightType, weightTypes } from '../../../export/gguf/tensor-types.ts';
import { type AudioFormatName, audioFormatNames } from '../../audio/encode/format.ts';
import { type SampleFormat, sampleFormats } from '../../audio/encode/wav-encode.ts';
import { type LoudnessTarget, parseLoudness, truePeakRange } from '../../audio/loudness/loudness-target.ts';
import { chapterDepths, type ReadBookOptions } from '../../book/book.ts';
import { type ChapterChoice, type ChapterNumbers, parseChapterNumbers } from '../../book/chapter-numbers.ts';
import { type KeptKind, leftOutKinds } from '../../book/left-out.ts';
import {
  type BackendName,
  backendNames,
  type DeviceChoice,
  type DitType,
  ditTypes,
} from '../../engine/engine-options.ts';
import { checkLengths, fieldsFrom, type SynthesisRequest } from '../../engine/request.ts';
import {
  type Field,
  type FieldName,
  languageField,
  ranges,
  recordingFields,
  requestFields,
} from '../../engine/request-fields.ts';
import { type HubName, hubNames } from '../../hub/hubs.ts';
import { knownModels } from '../../hub/source.ts';
import { didYouMean, quote, show } from '../../messages.ts';
import { describeRange, invalid, type Range, requestError } from '../../validation.ts';
import { parseVoiceNames, type ScriptVoiceNames } from '../../voices/script-voice-names.ts';
import { suggesting } from '../completion/suggested.ts';
import { type LoraOptions, loraOptions } from './lora-options.ts';
import { parseModelOrFolder } from './named-model.ts';
import { checkWithOption, type RecognizerOptions } from './recognizer.ts';

/** Variant of a named model. */
export interface NamedModelOptions {
  readonly type?: WeightType | undefined;
  readonly file?: string | undefined;
  readonly hub?: HubName | undefined;
}

export interface ModelOptions extends NamedModelOptions {
  readonly modelPath?: string | undefined;
  readonly model?: string | undefined;
  readonly backend?: BackendName | undefined;
  readonly device?: DeviceChoice | undefined;
  readonly threads?: number | undefined;
  readonly ditType?: DitType | undefined;
}

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

/** The option of each field of a request, in camel case; `--lora` names adapters with their paths. */
export const fieldNames = {
  control: 'control',
  timesteps: 'inferenceTimesteps',
  cfg: 'cfgValue',
  seed: 'seed',
  minLength: 'minLength',
  maxLength: 'maxLength',
  retryBadcase: 'retryBadcase',
  retryBadcaseMaxTimes: 'retryBadcaseMaxTimes',
  retryBadcaseRatioThreshold: 'retryBadcaseRatioThreshold',
  retryShort: 'retryShort',
  retryClipped: 'retryClipped',
  maxWordErrors: 'maxWordErrors',
  trimSilence: 'trimSilence',
  continueBy: 'continueBy',
  split: 'split',
  clean: 'clean',
  language: 'language',
  normalize: 'normalize',
  inputFormat: 'inputFormat',
  readCode: 'readCode',
  firstClause: 'firstClause',
} as const satisfies Record<Exclude<FieldName, LoraField>, string>;

type LoraField = 'lora' | 'loraWeight';

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
  /** Print what the model gets instead of speaking it. */
  readonly showSpoken?: boolean | undefined;
}

export interface OutputOptions {
  readonly output?: string | undefined;
  readonly responseFormat?: AudioFormatName | undefined;
  readonly sampleFormat?: SampleFormat | undefined;
  readonly speed?: number | undefined;
  readonly captions?: string | undefined;
  readonly captionWords?: boolean | undefined;
  readonly loudness?: LoudnessTarget | undefined;
  /** In dB; overrides that of the loudness. */
  readonly truePeak?: number | undefined;
  /** In seconds. */
  readonly headSilence?: number | undefined;
  readonly tailSilence?: number | undefined;
  /** Picture of an audiobook; false for none. */
  readonly cover?: string | false | undefined;
  readonly json?: boolean | undefined;
  readonly verbose?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

/** Options of audiobooks alone. */
export interface ChapterOptions extends ChapterChoice, ReadBookOptions {
  /** Print the chapters instead of speaking them. */
  readonly list?: boolean | undefined;
  /** Speak the first sentence of each chapter. */
  readonly preview?: boolean | undefined;
  /** Keep what is finished, so that chapters can be spoken again. */
  readonly keepParts?: boolean | undefined;
  /** Chapters to speak again. */
  readonly respeak?: ChapterNumbers | undefined;
  /** Files that say where chapters begin. */
  readonly chapterList?: readonly string[] | undefined;
  /** File with the voices of the characters. */
  readonly cast?: string | undefined;
}

export interface PlaybackOptions {
  readonly play?: boolean | undefined;
}

export type SpeakOptions = ModelOptions &
  TextOptions &
  VoiceOptions &
  SpeechOptions &
  RecognizerOptions &
  LoraOptions &
  OutputOptions &
  ChapterOptions &
  PlaybackOptions;

const backendDefault: BackendName = 'auto';

const numerals = { integer: /^[+-]?\d+$/, number: /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i } as const;

/** Parses a decimal number within the range. */
export function parseNumber(flag: string, range: Range): (text: string) => number {
  return (text) => {
    const value = numerals[range.kind].test(text) ? Number(text) : Number.NaN;
    if (value >= range.minimum && value <= range.maximum) return value;
    throw invalid(describeRange(range), flag, show(text));
  };
}

/** The help of an option, in the one style of all: `what (values) (default: fallback)`. */
export const describeOption = (what: string, values: string, fallback?: string | number): string =>
  `${what} (${values})${fallback === undefined ? '' : ` (default: ${fallback})`}`;

export const describeLimits = ({ minimum, maximum }: Range): string => `${minimum} to ${maximum}`;

/** @param fallback the default in words, where the range has none */
export function numberOption(flag: string, range: Range, what: string, fallback?: string): Option {
  const description = describeOption(what, describeLimits(range), range.default ?? fallback);
  return new Option(`${flag} <number>`, description).argParser(parseNumber(flag, range));
}

/**
 * Refuses an option that was given where it doesn't fit, such as one of a broker that isn't used.
 *
 * @param problem follows the option's flag
 * @throws SvcError INVALID_REQUEST
 */
export function refuseOptions<Options extends object>(
  options: Options,
  flags: Readonly<Partial<Record<keyof Options, string>>>,
  problem: string,
): void {
  for (const name of Object.keys(flags) as (keyof Options)[]) {
    if (options[name] !== undefined) throw requestError(`${flags[name]} ${problem}`);
  }
}

/** Puts options under a heading of the help. */
export const grouped = (heading: string, options: readonly Option[]): readonly Option[] =>
  options.map((option) => option.helpGroup(heading));

const flagOf = (name: keyof typeof fieldNames): string =>
  `--${fieldNames[name].replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`;

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
  if (field.kind === 'text') return new Option(`${flagOf(name)} <text>`, field.help);
  if (field.kind === 'language') return languageOption(flagOf(name), field.help);
  if (field.kind === 'boolean') return new Option(flagOf(name), field.help);
  if (field.kind === 'choice') return nameOption(flagOf(name), field.choices, field.help, field.default);
  return numberOption(flagOf(name), field, field.help, otherwise);
}

/**
 * Parses one of several lower-case names, in any case.
 *
 * @param hint ends the message about an unknown name
 */
export function parseName<Name extends string>(
  flag: string,
  names: readonly Name[],
  hint = (given: string): string => didYouMean(given, names),
): (text: string) => Name {
  return (text) => {
    const given = text.toLowerCase();
    const found = names.find((name) => name === given);
    if (found !== undefined) return found;
    throw invalid(`one of ${names.join(', ')}`, flag, `${show(text)}${hint(given)}`);
  };
}

/** @param fallback the default in words, unless commander has it */
export const nameOption = (flag: string, names: readonly string[], what: string, fallback?: string): Option =>
  suggesting(
    new Option(`${flag} <name>`, describeOption(what, `choices: ${names.join(', ')}`, fallback)).argParser(
      parseName(flag, names),
    ),
    names,
  );

/** Names of devices that are no backends; a processor for graphics is not a misspelled CPU. */
const otherBackends: Readonly<Record<string, BackendName | undefined>> = {
  __proto__: null as never,
  nvidia: 'cuda',
  amd: 'vulkan',
  intel: 'vulkan',
  hip: 'vulkan',
  opencl: 'vulkan',
  rocm: 'vulkan',
  apple: 'metal',
  mps: 'metal',
};

function suggestBackend(given: string): string {
  if (/^[a-z]pus?$/.test(given)) return '; auto uses a GPU if there is one';
  const other = otherBackends[given];
  return other === undefined ? didYouMean(given, backendNames) : `; did you mean ${quote(other)}?`;
}

/** @param name of the option or variable */
export const parseBackend = (name: string): ((text: string) => BackendName) =>
  parseName(name, backendNames, suggestBackend);

const deviceNumber: Range = { kind: 'integer', minimum: 0, maximum: 999 };

/** @throws SvcError INVALID_REQUEST */
export function parseDevice(text: string): DeviceChoice {
  if (text === 'all') return text;
  if (/^\d+$/.test(text)) return parseNumber('--device', deviceNumber)(text);
  throw invalid('the number of a GPU, or "all" (--backend chooses its kind)', '--device', show(text));
}

/** @throws SvcError INVALID_REQUEST */
export const parseWeightType: (text: string) => WeightType = parseName('--type', weightTypes);

export const hubOption = (): Option =>
  nameOption('--hub', hubNames, 'model hub to download from', 'SVC_HUB, or huggingface');

/** Options of a named model. */
export const namedModelOptions = (): readonly Option[] => [
  nameOption('--type', weightTypes, 'quantization type to convert a named model or checkpoint to', 'q8_0'),
  hubOption(),
  new Option('--file <name>', 'use this .gguf file or ONNX folder of the repository instead of its checkpoint'),
];

function parseModelPath(text: string): string {
  if (text !== '') return text;
  throw requestError('--model-path is empty: name a .gguf file or a folder');
}

const modelNameOption = (): Option =>
  suggesting(
    new Option(
      '--model <name>',
      `model name (${Object.keys(knownModels).join(', ')}) or Hugging Face repository, downloaded on first use; or the folder of an official checkpoint`,
    )
      .conflicts('modelPath')
      .argParser((text) => parseModelOrFolder(text, '--model-path')),
    'models',
  );

export const modelOptions = (): readonly Option[] =>
  grouped('Model:', [
    modelNameOption(),
    ...namedModelOptions(),
    new Option(
      '--model-path <path>',
      '.gguf file, folder of ONNX files, or official checkpoint, which is converted on first use (default: SVC_MODELS_DIR, or the bundled demo model)',
    ).argParser(parseModelPath),
    nameOption('--backend', backendNames, 'device to run on', `SVC_DEVICE, or ${backendDefault}`).argParser(
      parseBackend('--backend'),
    ),
    new Option(
      '--device <number>',
      'which of several GPUs, as numbered by svc doctor, or all, which share requests (default: the first that works)',
    ).argParser(parseDevice),
    numberOption('--threads', ranges.threads, 'CPU threads', 'SVC_THREADS, or one per physical core'),
    nameOption('--dit-type', ditTypes, "in-memory format of LocDiT's Q4_K weights; auto picks the faster", 'auto'),
  ]);

const textOptions = (): readonly Option[] =>
  grouped('Text:', [
    new Option('-t, --text <text>', 'text to speak, instead of the argument'),
    new Option('--text-file <file>', 'text file (UTF-8), EPUB or other document to speak (default: standard input)'),
    new Option('--live', 'speak standard input as it arrives, for example from a language model'),
    new Option(
      '--show-spoken',
      'print each passage with its language, as written and as the model gets it, instead of speaking',
    ),
    new Option('--first-clause', `${requestFields.firstClause.help} (default with --live)`),
    new Option('--no-first-clause', 'start live text after its first sentence'),
  ]);

/** Parses an option that may be repeated: its values, in order. */
export const repeated = (value: string, others: readonly string[] = []): readonly string[] => [...others, value];

/** @param what the file holds */
export const lexiconOption = (what: string): Option =>
  new Option('--lexicon <file>', `${what}: PLS, or lines of word = respelling; may be repeated`).argParser(repeated);

/**
 * Options of a script: its format, pronunciations and voices.
 *
 * @param format the option of the format
 */
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
    new Option('--no-split', 'speak a long text in one piece'),
    fieldOption('continueBy'),
    new Option('--no-clean', 'keep typographic quotes, dashes, emoji and invisible characters'),
    fieldOption('language'),
    fieldOption('normalize'),
    new Option('--no-normalize', 'leave numbers, dates and signs to the model'),
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
    new Option('--no-retry-badcase', 'keep the first attempt, unchecked'),
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
    new Option('--prompt-audio <file>', 'recording to clone, with its transcript in --prompt-text'),
    new Option('--prompt-text <text>', 'transcript of the prompt audio').argParser(parseTranscript),
    new Option('--prompt-file <file>', 'transcript of the prompt audio as a text file (UTF-8)').conflicts([
      'promptText',
      'voice',
    ]),
    new Option('--reference-audio <file>', 'recording whose timbre to clone; needs no transcript (VoxCPM 2)'),
    denoiseOption(),
    suggesting(new Option('--voice <name>', "name of a voice (see 'svc voices list')"), 'voices'),
    voiceDirOption(),
    fieldOption('control'),
  ]);

const silenceRange: Range = { kind: 'number', minimum: 0, maximum: 10 };

const outputOptions = (): readonly Option[] =>
  grouped('Output:', [
    new Option('-o, --output <file>', 'audio file to write, or - for standard output (default: play the speech)'),
    new Option('--play', 'play the speech; fail if this machine has no audio output'),
    nameOption('--response-format', audioFormatNames, 'audio format', 'from the file name, or wav'),
    ...waveOptions(),
    new Option(
      '--captions <file>',
      'also write captions, as .srt, .vtt, .ass or .json, or - for SubRip on standard output; for a folder of chapters, a format such as vtt writes a file for each',
    ),
    new Option('--caption-words', 'mark the time of each word, in .ass for karaoke (.vtt and .ass only)'),
    new Option(
      '--loudness <target>',
      'loudness of each file in LUFS, such as -18; or audiobook (-20, for ACX) or podcast (-16)',
    ).argParser((text) => parseLoudness(text, '--loudness')),
    numberOption('--true-peak', truePeakRange, 'highest peak in dB with --loudness', '-3; audiobook -3.5, podcast -1'),
    numberOption('--head-silence', silenceRange, 'seconds of silence at the beginning of each file', '0'),
    numberOption('--tail-silence', silenceRange, 'seconds of silence at the end of each file', '0'),
    new Option('--cover <file>', 'JPEG or PNG cover of an audiobook (default: the cover of the book)'),
    new Option('--no-cover', 'make the audiobook without a cover'),
    new Option('--json', 'print a summary as one line of JSON (on standard error with --output -)'),
    ...verbosityOptions(),
  ]);

const chaptersOption = (flag: string, what: string): Option =>
  new Option(`${flag} <numbers>`, what).argParser((text) => parseChapterNumbers(text, flag));

/** Options for the parts of a book to read, and for its sections. */
export const bookReadingOptions = (): readonly Option[] => [
  numberOption(
    '--chapter-depth',
    chapterDepths,
    'levels of the table of contents that make chapters',
    'deeper ones only in long chapters',
  ),
  suggesting(
    new Option(
      '--keep <kinds>',
      `parts of a book to read although they are left out by default (choices: ${leftOutKinds.join(', ')})`,
    ).argParser((text, others: readonly KeptKind[] = []) => [
      ...others,
      ...text.split(',').map((name) => parseName('--keep', leftOutKinds)(name.trim())),
    ]),
    leftOutKinds,
  ),
];

const chapterOptions = (): readonly Option[] =>
  grouped('Book:', [
    new Option('--list', 'list the chapters with their length instead of speaking'),
    chaptersOption('--chapters', 'chapters to speak, such as 3-7,12, by their numbers in --list (default: all)'),
    chaptersOption('--skip', 'chapters to leave out, by their numbers'),
    new Option('--preview', 'speak only the first sentence of each chapter'),
    ...bookReadingOptions(),
    new Option('--keep-parts', 'keep what is finished beside the book, to speak single chapters again later'),
    chaptersOption('--respeak', 'chapters to speak again in a book made with --keep-parts'),
    new Option(
      '--chapter-list <file>',
      'also write where chapters begin: WebVTT (.vtt) or for YouTube (.txt); may be repeated',
    ).argParser(repeated),
    new Option('--cast <file>', "voices of narrator and characters, pronunciations and pauses (see 'svc book cast')"),
  ]);

export const speedOption = (): Option =>
  numberOption('--speed', ranges.speed, 'speaking rate at unchanged pitch; above 1 is faster');

/** Options of the samples, whatever the format. */
export const waveOptions = (): readonly Option[] => [
  nameOption('--sample-format', sampleFormats, 'sample format of WAV', 's16'),
  speedOption(),
];

/** Options for how much a command prints. */
export const verbosityOptions = (): readonly Option[] => [
  new Option('--verbose', 'print more details on standard error').conflicts('quiet'),
  new Option('--quiet', 'hide progress and warnings'),
];

/** Adds the text argument and all options of `tts` and `clone`. */
export function addSpeakOptions(command: Command): Command {
  command.argument('[text]', 'text to speak (default: --text, --text-file or standard input)');
  for (const option of [
    ...textOptions(),
    ...scriptOptions(),
    ...voiceOptions(),
    ...modelOptions(),
    ...loraOptions('one per run'),
    ...outputOptions(),
    ...chapterOptions(),
    ...speechOptions(),
  ]) {
    command.addOption(option);
  }
  return command;
}
