/** Accepts the bodies of all speech routes as one kind of request. */
import type { Audio } from '../../audio/audio.ts';
import { assertCodingRate } from '../../audio/encode/coding-rate.ts';
import type { AudioFormatName } from '../../audio/encode/format.ts';
import { type Accepted, withVoices } from '../../engine/accepted.ts';
import type { ModelInfo } from '../../engine/backend.ts';
import { entriesOf } from '../../engine/lexicon/lexicon.ts';
import { parseLexicon } from '../../engine/lexicon/parse-lexicon.ts';
import type { LiveSpeech } from '../../engine/live/live-request.ts';
import type { LiveText } from '../../engine/live/live-text.ts';
import type { CatalogAdapter } from '../../engine/lora/adapter-catalog.ts';
import { type ParsedRequest, parseRequestText } from '../../engine/parsed-request.ts';
import type { TextPreview } from '../../engine/plan/preview.ts';
import { readingFieldsOf } from '../../engine/reading-fields.ts';
import {
  checkLengths,
  fieldsFrom,
  needsModel2,
  type RequestFields,
  resolveFields,
  type UnwrittenRequest,
} from '../../engine/request.ts';
import { ranges } from '../../engine/request-fields.ts';
import type { Turn } from '../../engine/script/turns.ts';
import { mostVoices, type VoiceFields } from '../../engine/voice-fields.ts';
import { inTurns } from '../../event-loop.ts';
import { requestError } from '../../validation.ts';
import { parseVoiceNames, type ScriptVoiceNames } from '../../voices/script-voice-names.ts';
import { chooseScriptVoices, type ScriptVoiceChoices, storedNames } from '../../voices/script-voices.ts';
import type { ModelContext, ServerContext } from '../context/context.ts';
import { withRequestDefaults } from '../context/request-defaults.ts';
import type { ServerSettings } from '../context/settings.ts';
import type { StatedBody } from '../context/speech-dialect.ts';
import { warnOfUnknown } from '../http/unknown-fields.ts';
import { withErrorParam, withInputParam } from '../http/with-error-param.ts';
import {
  bodyNames,
  formNames,
  type LiveBody,
  type ScriptInput,
  type SpeechBody,
  type TtsForm,
} from '../schemas/speech.ts';
import type { TimestampLevel } from '../schemas/timestamps.ts';
import { followInstructions, instructionsOf } from './instructions.ts';
import { type ChosenVoice, nameOf, type RecordedChoice, voiceOfBody } from './voice-of-body.ts';

export interface AudioChoice {
  readonly format: AudioFormatName;
  /** Default sample rate in Hz. */
  readonly rate: number;
}

export interface AcceptedRequest {
  /** All but the audio of the server's own voices, which is loaded when it is spoken. */
  readonly speech: Accepted | LiveSpeech;
  /** The adapter that the request named when it was accepted. */
  readonly adapter?: CatalogAdapter | undefined;
  readonly voice: ChosenVoice;
  readonly voices: ScriptVoiceChoices;
  /** Length of the text; 0 while it is being written. */
  readonly characters: number;
  readonly timestamps: TimestampLevel;
  readonly warnings: readonly string[];
  /** In Hz. */
  readonly sampleRate: number;
  readonly volume: number;
  /** Whether parts are regenerated if something is wrong with them; else audio is sent as it is generated. */
  readonly mayRetract: boolean;
  /** The text has no words (an emoji, `...`): answered with a short silence for clients that send single sentences. */
  readonly isSilent: boolean;
}

interface BodyExtras {
  readonly output: AudioChoice;
  readonly recording?: RecordedChoice | undefined;
}

/** @throws SvcError INVALID_REQUEST, VOICE_NOT_FOUND, FORBIDDEN, UNSUPPORTED_AUDIO, PAYLOAD_TOO_LARGE */
export async function acceptJson(
  context: ModelContext,
  stated: SpeechBody,
  { output, recording }: BodyExtras,
): Promise<AcceptedRequest> {
  const body = completed(context, withPublicFields(context, stated));
  const given = await readBody(context, body, recording);
  const timestamps = body.timestamps ?? 'none';
  return acceptText(context, body, { ...given, names: body.voices ?? {}, output, timestamps });
}

/** The text of a body as the model gets it, without speech. @throws as `acceptJson` */
export async function previewJson(context: ModelContext, body: SpeechBody, extras: BodyExtras): Promise<TextPreview> {
  const { speech, warnings } = await acceptJson(context, body, extras);
  if (!('passages' in speech)) throw new Error('expected a text that is complete');
  const { text } = scriptOf(context, body.input, undefined);
  const signal = text.length > longText ? context.admit() : context.signal;
  const preview = await inTurns(context.engine.preview(speech, text), signal);
  return { ...preview, warnings: [...new Set([...warnings, ...preview.warnings])] };
}

const withPublicFields = <Body extends StatedBody>({ dialects }: ServerContext, stated: Body): Body =>
  dialects.reduce((body, { withPublicFields: read }) => read?.(body) ?? body, stated);

async function readBody(context: ModelContext, body: LiveBody, recording?: RecordedChoice) {
  const unknown = warnOfUnknown(body.unknownFields, context.settings);
  const { voice, warnings: unused } =
    recording === undefined ? await voiceOfBody(context, body) : { voice: recording, warnings: [] };
  const fields = { ...fieldsFrom(body, bodyNames), control: instructionsOf(body) };
  checkLengths(fields, bodyNames);
  const { request, warnings: ignored } = followInstructions(context, fields, voice);
  const warnings = [...unknown, ...unused, ...ignored, ...unusedTranscripts(body), ...unusedDenoising(body, voice)];
  return { voice, fields: { ...request, lexicon: entriesOf(body.lexicon) }, warnings };
}

interface LiveExtras extends BodyExtras {
  readonly text: LiveText;
  readonly timestamps?: TimestampLevel | undefined;
}

/** Accepts a request whose text is still being written. @throws as `acceptJson` */
export async function acceptLiveJson(
  context: ModelContext,
  stated: LiveBody,
  { text, timestamps = 'none', output }: LiveExtras,
): Promise<AcceptedRequest> {
  const body = completed(context, withPublicFields(context, stated), 'live');
  const { voice, fields: given, warnings } = await readBody(context, body);
  const { fields, adapter, sampleRate } = resolve(context, body, { fields: given, output, voice });
  const voices = await chooseVoices(context, body.voices ?? {});
  const live = await withInputParam(() =>
    context.engine.acceptLive({ ...fields, ...readingOfChosen(context, voice, voices) }, { adapter }),
  );
  const speech = { ...withRecording(live, voice, context.engine.info), text };
  const common = { speech, adapter, voice, voices, timestamps, warnings, sampleRate, volume: volumeOf(body) };
  return { ...common, characters: 0, mayRetract: false, isSilent: false };
}

/** Checks model and voice without loading them. @throws SvcError MODEL_NOT_FOUND, VOICE_NOT_FOUND, INVALID_REQUEST */
export async function checkNames(context: ServerContext, stated: LiveBody): Promise<void> {
  const { models, allVoices } = context;
  const body = withPublicFields(context, stated);
  models.resolve(body.model);
  const name = nameOf(body);
  const { prompt_wav_path: path, reference_wav_path: reference } = body;
  if (body.ref_audio || body.prompt_audio || (name === '' && (path?.trim() || reference?.trim()))) return;
  await withErrorParam('voice', () => allVoices().choose(name));
}

function completed<Body extends Partial<Pick<LiveBody, 'model' | 'voice' | 'speaker'>>>(
  { settings, modelName }: ModelContext,
  body: Body,
  kind: 'json' | 'live' | 'form' = 'json',
): Body {
  const { requestDefaults, voiceAliases, defaultVoice } = settings;
  if (requestDefaults === undefined) return body;
  const voice = nameOf(body) || (defaultVoice ?? '');
  const scope = { models: [modelName, body.model ?? ''], voices: [voiceAliases?.get(voice) ?? voice, voice] };
  return withRequestDefaults(body, requestDefaults, scope, kind);
}

/** @param recording uploaded recording of the voice */
export async function acceptForm(
  context: ModelContext,
  stated: TtsForm,
  recording: Audio | undefined,
  output: AudioChoice,
): Promise<AcceptedRequest> {
  const form = completed(context, stated, 'form');
  const fields = fieldsFrom(form, formNames);
  checkLengths(fields, formNames);
  const name = form.voice?.trim() ?? '';
  const voice: ChosenVoice =
    name === '' && recording !== undefined
      ? { kind: 'recording', audio: recording, text: form.prompt_text }
      : await withErrorParam('voice', () => context.voices.choose(name));
  const lexicon = parseLexicon(form.lexicon ?? '', 'lexicon');
  const unknown = warnOfUnknown(form.unknownFields, context.settings);
  const warnings = [...unknown, ...lexicon.warnings, ...unusedDenoising(form, voice)];
  const names = form.voices?.trim() ? parseVoiceNames(form.voices, 'voices') : {};
  const given = { fields: { ...fields, lexicon: lexicon.entries }, voice, names, warnings };
  return acceptText(context, form, { ...given, output, timestamps: 'none' });
}

interface Given {
  readonly fields: UnwrittenRequest;
  readonly voice: ChosenVoice;
  readonly output: AudioChoice;
}

interface GivenText extends Given, Pick<AcceptedRequest, 'timestamps' | 'warnings'> {
  readonly names: ScriptVoiceNames;
}

/** In UTF-16 code units: texts from which reading takes more than a few milliseconds. */
const longText = 4096;

async function acceptText(
  context: ModelContext,
  body: Pick<SpeechBody, 'input' | 'speed' | 'sample_rate' | 'lora_name'> &
    Partial<Pick<SpeechBody, 'volume_multiplier'>>,
  { names, timestamps, warnings, ...given }: GivenText,
): Promise<AcceptedRequest> {
  const { engine, settings } = context;
  const { voice } = given;
  const { text, turns, inputFormat } = scriptOf(context, body.input, given.fields.inputFormat);
  const { fields, adapter, sampleRate } = resolve(context, body, given);
  const signal = text.length > longText ? context.admit() : undefined;
  const parsed = await withInputParam(() =>
    inTurns(parseRequestText({ ...fields, text, inputFormat }, { turns, listed: Object.keys(names) }), signal),
  );
  const voices = await chooseVoices(context, names, parsed);
  assertPauses(settings, parsed.statedSeconds);
  const pronounced = { ...parsed, ...readingOfChosen(context, voice, voices) };
  const accepted = await withInputParam(() => inTurns(engine.accept(pronounced, { adapter }), signal));
  const speech = await withInputParam(() => withRecording(accepted, voice, engine.info));
  return {
    ...{ speech, adapter, voice, voices, timestamps, warnings, sampleRate, volume: volumeOf(body) },
    characters: codePointsOf(textOf(body.input)),
    mayRetract: given.fields.retryBadcase === true || timestamps !== 'none',
    isSilent: !accepted.hasWords,
  };
}

const volumeOf = ({ volume_multiplier }: Partial<Pick<SpeechBody, 'volume_multiplier'>>): number =>
  volume_multiplier ?? ranges.volume.default;

function resolve(
  context: ModelContext,
  { speed, sample_rate, lora_name }: Pick<SpeechBody, 'speed' | 'sample_rate' | 'lora_name'>,
  { fields: given, voice, output }: Given,
): Pick<AcceptedRequest, 'adapter' | 'sampleRate'> & { readonly fields: RequestFields } {
  const { settings, engine } = context;
  const sampleRate = sample_rate ?? output.rate;
  assertCodingRate(output.format, sampleRate);
  const lora = given.lora ?? lora_name ?? settings.defaultLora;
  if (given.loraWeight !== undefined && !lora) {
    const field = bodyNames.loraWeight;
    throw requestError(`${field} needs the name of an adapter in ${bodyNames.lora}`, field);
  }
  if (given.continueBy === 'reference' && engine.info.architecture !== 'voxcpm2') {
    throw needsModel2('continuing by reference', engine.info, bodyNames.continueBy);
  }
  // The request's seed takes precedence over the voice's.
  const seed = given.seed ?? (voice.kind === 'own' ? voice.seed : undefined);
  const fields = resolveFields({
    timesteps: settings.timesteps,
    documentLanguage: settings.language,
    ...given,
    lora,
    seed,
    speed: speed ?? undefined,
  });
  return { fields, sampleRate, adapter: lora ? context.pinAdapter(lora) : undefined };
}

/** Refuses a short text whose pauses would be hours of audio. @throws SvcError INVALID_REQUEST */
function assertPauses({ limits: { pausesSeconds: most } }: ServerSettings, seconds: number): void {
  if (seconds <= most) return;
  throw requestError(`the pauses of input last ${Math.round(seconds)} s; the limit is ${most} s`, 'input');
}

const textOf = (input: ScriptInput): string =>
  typeof input === 'string' ? input : input.map(({ text }) => text).join('');

function codePointsOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

interface InputScript extends Pick<RequestFields, 'inputFormat'> {
  readonly text: string;
  /** In place of the text. */
  readonly turns?: readonly Turn[];
}

function scriptOf(
  context: ModelContext,
  input: ScriptInput,
  inputFormat: UnwrittenRequest['inputFormat'],
): InputScript {
  const most = context.settings.limits.inputCharacters;
  const text = textOf(input);
  if (text.length > most) throw requestError(`input has ${text.length} characters; the limit is ${most}`, 'input');
  if (typeof input === 'string') return { text: input, inputFormat: inputFormat ?? 'auto' };
  const format = inputFormat === 'turns' ? 'plain' : (inputFormat ?? 'plain');
  return {
    text: input.map((turn) => turn.text).join('\n'),
    turns: input.map((turn) => ({ ...turn, format: turn.format ?? format })),
    inputFormat: 'turns',
  };
}

/** The voices that a script names: those of `voices`, else stored ones of the same name. */
async function chooseVoices({ voices: catalog }: ModelContext, given: ScriptVoiceNames, script?: ParsedRequest) {
  const names = script === undefined ? given : storedNames(script, given);
  const count = Object.keys(names).length;
  if (count > mostVoices) throw requestError(`the script has ${count} voices; the limit is ${mostVoices}`, 'input');
  const choose = (stored: string, name: string) =>
    withErrorParam(Object.hasOwn(given, name) ? 'voices' : 'input', () => catalog.choose(stored));
  return withInputParam(() => chooseScriptVoices(choose, names, script));
}

/** Fields of the chosen voices that change how the text is read; their audio follows. */
const readingOfChosen = ({ settings }: ModelContext, voice: ChosenVoice, voices: ScriptVoiceChoices) =>
  voice.kind === 'recording'
    ? { ...readingFieldsOf(undefined, voices), voiceLexicon: settings.lexicon }
    : readingFieldsOf(voice, voices);

const withRecording = <Speech extends Parameters<typeof withVoices>[0]>(
  accepted: Speech,
  voice: ChosenVoice,
  info: ModelInfo,
): Speech =>
  voice.kind === 'recording' ? withVoices(accepted, { own: voiceOfRecording(voice, info) }, info) : accepted;

/** Without a transcript a recording is a reference; VoxCPM 1 lacks references and continues it without a transcript. */
function voiceOfRecording(
  { audio, text = '', reference: referenceAudio }: RecordedChoice,
  { architecture }: ModelInfo,
): VoiceFields {
  if (audio === undefined) return { referenceAudio };
  const promptText = text.trim();
  if (promptText === '' && architecture === 'voxcpm2') return { referenceAudio: audio };
  return { promptAudio: audio, promptText, referenceAudio };
}

const unusedTranscripts = ({ ref_audio, ref_text }: LiveBody): readonly string[] =>
  ref_text?.trim() && !ref_audio ? ['ref_text needs ref_audio; it is ignored'] : [];

/** About denoising without a recording in the request: stored voices are denoised when they are added. */
const unusedDenoising = ({ denoise }: Pick<SpeechBody, 'denoise'>, { kind }: ChosenVoice): readonly string[] =>
  denoise && kind !== 'recording' ? ['denoise needs a recording in the request; it is ignored'] : [];
