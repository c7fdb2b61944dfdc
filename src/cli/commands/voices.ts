import { Argument, type Command } from 'commander';
import { SvcError } from '../../errors.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { RecordedVoice } from '../../voices/recorded-voices.ts';
import { parseNewVoiceId, parseVoiceId } from '../../voices/voice-id.ts';
import type { VoiceRecord } from '../../voices/voice-store.ts';
import { suggesting } from '../completion/suggested.ts';
import type { Io } from '../io.ts';
import { chooseEngine } from '../model/model-choice.ts';
import { type ModelOptions, modelOptions } from '../options/model-options.ts';
import { commandWith } from '../options/option-values.ts';
import type { OutputOptions } from '../options/output-options.ts';
import { checkWithOption, chooseRecognizer, type RecognizerOptions, transcribe } from '../options/recognizer.ts';
import { denoiseOption, languageOption, lexiconOption, voiceDirOption } from '../options/speech-options.ts';
import { readLexicons } from '../options/text-input.ts';
import {
  findVoiceOption,
  listVoices,
  openVoices,
  openWritableVoices,
  type VoiceStoreOptions,
} from '../options/voice-choice.ts';
import { printColumns, printJson, printLine, printNote } from '../output/messages.ts';
import { createWarner } from '../output/warnings.ts';

type StoreOptions = VoiceStoreOptions & Pick<OutputOptions, 'json' | 'quiet'>;

type AddOptions = ModelOptions &
  StoreOptions &
  RecognizerOptions & {
    readonly audio?: string;
    readonly text?: string;
    readonly reference?: boolean;
    readonly lexicon?: readonly string[];
    readonly language?: string;
    readonly replace?: boolean;
    readonly discardRecording?: boolean;
    readonly trimSilence?: boolean;
    readonly denoise?: boolean;
  };

const examples = `
Examples:
  svc voices add anna --audio anna.wav --text "What Anna says in anna.wav."
  svc voices add anna --audio anna.wav --reference --replace --model voxcpm-2
  svc voices add ben --audio ben.wav --text "Ben's words." --lexicon names.txt
  svc tts --voice anna --text "Something Anna never said." --output hello.wav
  svc voices remove anna

With --text, the recording becomes prompt audio; with --reference or without
--text, reference audio (VoxCPM 2); with both options, both.

SVC_SQLITE_PATH names the file that stores voices, SVC_VOICE_DIR its folder.

Recordings in --voice-dir that have a transcript of the same name (anna.wav,
anna.txt) are voices too, and so are the preset voices.`;

/** `svc voices`: stores recordings of voices under names. */
export function voicesCommand(io: Io): Command {
  const name = () => suggesting(new Argument('<name>', 'name of the voice'), 'voices');
  const json = '--json: print one line of JSON';
  const quiet = '--quiet: print errors only on standard error';
  const add = commandWith('add', '', [
    '--audio <file>: the recording (required)',
    '--text <text>: transcript of the recording',
    checkWithOption('recognizer to transcribe the recording if --text is not given'),
    '--trim-silence: shorten leading and trailing silence to 0.2 s',
    denoiseOption(),
    '--reference: use the recording as reference audio, for its timbre (VoxCPM 2)',
    lexiconOption('pronunciations of this voice'),
    languageOption('--language', 'language that the voice speaks, such as "de", in which it reads numbers'),
    '--replace: replace an existing voice of this name',
    '--discard-recording: store only the encoding of the recording by this model',
    ...[...modelOptions(), json, quiet],
  ])
    .description('Store a recording as a voice.')
    .argument('<name>', '1 to 64 letters, digits, dots, hyphens and underscores')
    .action((voice: string, options: AddOptions) => addVoiceFile(voice, options, io));
  const list = commandWith('list', '', [json])
    .description('List the voices.')
    .action((options: StoreOptions) => printVoices(options, io));
  const show = commandWith('show', '', [json])
    .description('Show a voice.')
    .addArgument(name())
    .action((voice: string, options: StoreOptions) => printVoice(voice, options, io));
  const remove = commandWith('remove', '', [quiet])
    .description('Remove a voice.')
    .addArgument(name())
    .action((voice: string, options: StoreOptions) => removeVoice(voice, options, io));
  const voices = commandWith('voices', examples, []);
  for (const command of [add, list, show, remove]) voices.addCommand(command.addOption(voiceDirOption()));
  return voices;
}

const note = (line: string, { quiet }: StoreOptions, io: Io): void => {
  if (!quiet) printNote(line, io);
};

async function addVoiceFile(name: string, options: AddOptions, io: Io): Promise<void> {
  const { audio: file, text: given, reference, replace, discardRecording, trimSilence, denoise, json, quiet } = options;
  // Report everything that is wrong without the model before loading it.
  const id = parseNewVoiceId(name);
  if (!file) throw requestError('--audio is required: name a recording');
  if (given !== undefined && given.trim() === '')
    throw requestError('--text is empty: give the transcript of the recording');
  const recognize = await chooseRecognizer(options, io);
  const lexicon = await readLexicons(options, io);
  const [{ readAudioFile }, { trimRecording }, { checkPrompt }, { measureRecording }, { noteQuality, plainQuality }] =
    await Promise.all([
      import('../../audio/decode/read-audio.ts'),
      import('../../audio/analyze/trim-silence.ts'),
      import('../../audio/analyze/prompt-check.ts'),
      import('../../audio/analyze/recording-quality.ts'),
      import('../output/recording-quality.ts'),
    ]);
  const read = await readAudioFile(file, { denoise, signal: io.signal });
  const audio = trimSilence ? trimRecording(read) : read;
  await using writable = await openWritableVoices(options, io);
  const { store } = writable;
  const { addVoice } = await import('../../voices/voice-service.ts');
  if (!replace && (await store.get(id)) !== undefined)
    throw new SvcError('CONFLICT', `voice ${quote(id)} exists; use another name, or --replace to overwrite it`);
  const recorded = { audio, path: file, flag: '--text', quiet };
  const text = given ?? (recognize && (await transcribe(recognize, recorded, io)));
  await using engine = await io.openEngine({ ...(await chooseEngine(options, io)), maxBatch: 1 });
  const isModel2 = engine.info.architecture === 'voxcpm2';
  if (text === undefined && !reference && !isModel2)
    throw requestError('a voice needs --text with the transcript of the recording, unless the model is VoxCPM 2');
  const warner = createWarner(options, io);
  warner.report(lexicon.warnings);
  const isReference = reference || text === undefined;
  const roles = [...(text === undefined ? [] : ['prompt' as const]), ...(isReference ? ['reference' as const] : [])];
  for (const role of roles) warner.report(checkPrompt(audio, engine.info, role, denoise ? undefined : '--denoise'));
  const recording = { id, audio, roles, text, lexicon: lexicon.entries, language: options.language };
  const record = await addVoice(engine, store, recording, {
    mode: replace ? 'replace' : 'create',
    keepRecording: discardRecording ? 'discard' : 'keep',
    signal: io.signal,
  });
  const warnings = warner.reported.length === 0 ? {} : { warnings: warner.reported };
  const quality = measureRecording(audio);
  if (json) return printJson({ ...plain(record), quality: plainQuality(quality), ...warnings }, io);
  const [, use, length, , models] = describe(record);
  note(`added voice ${id}: ${use}, ${length}, ${models}`, options, io);
  const { listPresets } = await import('../../voices/recorded-voices.ts');
  if ((await listPresets()).some((preset) => preset.id === id)) {
    note(`it takes precedence over the voice ${id} that comes with svc`, options, io);
  }
  if (!quiet) noteQuality('recording', quality, io);
}

async function printVoices(options: StoreOptions, io: Io): Promise<void> {
  await using voices = openVoices(options, io);
  const { stored, recorded } = await listVoices(voices);
  const all = [...stored.map(plain), ...recorded.map(plainRecording)];
  if (options.json) return printJson({ voices: all }, io);
  const header = ['NAME', 'USE', 'LENGTH', 'SOURCE', 'MODELS'];
  printColumns([header, ...stored.map(describe), ...recorded.map(describeRecording)], io);
}

async function printVoice(name: string, options: StoreOptions, io: Io): Promise<void> {
  await using voices = openVoices(options, io);
  const found = await findVoiceOption(name, voices);
  const isRecorded = found.origin === 'recorded';
  if (options.json) return printJson(isRecorded ? plainRecording(found.voice) : plain(found.voice), io);
  const lines = isRecorded ? linesOfRecording(found.voice) : linesOf(found.voice);
  for (const [key, value] of lines) printLine(`${key.padEnd(10)} ${value}`, io);
}

type Lines = readonly (readonly [key: string, value: string | undefined])[];

function linesOf(record: VoiceRecord): Lines {
  const { recording, language, lexicon } = record;
  const [id, use, length] = describe(record);
  return [
    ['name', id],
    ['use', use],
    ['text', record.text ?? '-'],
    ['recording', `${length} at ${recording.sampleRate} Hz${recording.kept ? '' : ', not kept'}`],
    ...(language === undefined ? [] : [['language', language] as const]),
    ...(lexicon === undefined ? [] : [['lexicon', entryCount(lexicon.length)] as const]),
    ['added', record.createdAt.toISOString()],
    ['changed', record.updatedAt.toISOString()],
    ...record.encodings.map(({ role, model, patchCount, patchSize, featureDim }) => {
      return [role, `${patchCount} patches of ${patchSize} × ${featureDim} for ${model}`] as const;
    }),
  ];
}

function linesOfRecording(voice: RecordedVoice): Lines {
  const [id, use, length, source] = describeRecording(voice);
  return [
    ['name', id],
    ['use', use],
    ['text', voice.text],
    ['recording', `${length} at ${voice.audio.sampleRate} Hz`],
    ['source', source],
    ...(voice.isPreset ? [] : [['changed', voice.changedAt.toISOString()] as const]),
  ];
}

async function removeVoice(name: string, options: StoreOptions, io: Io): Promise<void> {
  const id = parseVoiceId(name);
  await using voices = openVoices(options, io);
  const { store } = await voices.sources();
  if (!(await store.remove(id))) {
    // Says so if there is none.
    const found = await findVoiceOption(name, voices);
    const isPreset = found.origin === 'recorded' && found.voice.isPreset;
    const source = isPreset ? 'it comes with svc' : 'it is a file in --voice-dir';
    throw new SvcError('FORBIDDEN', `cannot remove voice ${quote(id)}: ${source}`);
  }
  note(`removed voice ${id}`, options, io);
}

const entryCount = (count: number): string => `${count} ${count === 1 ? 'entry' : 'entries'}`;

const lengthOf = (samples: number, sampleRate: number): string => `${(samples / sampleRate).toFixed(1)} s`;

/** Name, use, length, source, models. */
function describe({ id, roles, recording, encodings }: VoiceRecord): readonly string[] {
  const length = lengthOf(recording.sampleCount, recording.sampleRate);
  const models = new Set(encodings.map(({ model }) => model));
  return [id, roles.join(' and '), length, 'stored', [...models].join(', ') || '-'];
}

/** The same columns. */
function describeRecording({ id, audio: { samples, sampleRate }, isPreset }: RecordedVoice): readonly string[] {
  return [id, 'prompt', lengthOf(samples.length, sampleRate), isPreset ? 'svc' : '--voice-dir', '-'];
}

const plainRecording = ({ id, text, audio: { samples, sampleRate }, changedAt, isPreset }: RecordedVoice): object => ({
  id,
  text,
  roles: ['prompt'],
  recording: { sampleRate, sampleCount: samples.length, kept: true },
  // An installation gives its files any time.
  ...(isPreset ? {} : { createdAt: changedAt, updatedAt: changedAt }),
  preset: isPreset,
  encodings: [],
});

/** A record for JSON, without fields that only the store uses. */
const plain = ({ revision, encodings, lexicon, ...record }: VoiceRecord): object => ({
  ...record,
  preset: false,
  ...(lexicon && { lexicon: Object.fromEntries(lexicon.map(({ written, spoken }) => [written, spoken])) }),
  encodings: encodings.map(({ role, model, sampleRate, patchCount, patchSize, featureDim }) => {
    return { role, model, sampleRate, patchCount, patchSize, featureDim };
  }),
});
