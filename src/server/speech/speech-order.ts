/** Converts the bodies of all speech routes to one order. */

import type { Audio } from '../../audio/audio.ts';
import { assertCodingRate } from '../../audio/encode/coding-rate.ts';
import type { AudioFormatName } from '../../audio/encode/format.ts';
import type { ModelInfo } from '../../engine/backend.ts';
import { entriesOf } from '../../engine/lexicon/lexicon.ts';
import { parseLexicon } from '../../engine/lexicon/parse-lexicon.ts';
import type { LiveText } from '../../engine/live/live-request.ts';
import {
  checkLengths,
  fieldsFrom,
  mostVoices,
  needsModel2,
  ranges,
  type SynthesisRequest,
} from '../../engine/request.ts';
import { parseScript } from '../../engine/script/parse-script.ts';
import { SvcError } from '../../errors.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import {
  chooseScriptVoices,
  parseVoiceNames,
  type ScriptVoiceNames,
  scriptVoiceNames,
  withoutAudio,
} from '../../voices/script-voices.ts';
import type { ModelContext, ServerContext } from '../context.ts';
import { withErrorParam, withInputParam } from '../http/with-error-param.ts';
import { readPath, readUpload } from '../recordings/recordings.ts';
import {
  bodyNames,
  formNames,
  type LiveBody,
  type ScriptInput,
  type SpeechBody,
  type TtsForm,
} from '../schemas/speech.ts';
import type { ServerSettings } from '../settings.ts';
import { withRequestDefaults } from './request-defaults.ts';
import { checkSpeech, type SpeechOrder } from './speech.ts';

/** Output format. */
export interface AudioChoice {
  readonly format: AudioFormatName;
  /** Default sample rate in Hz. */
  readonly rate: number;
}

export interface BodyExtras {
  readonly output: AudioChoice;
  /** Cancels the reading of a recording. */
  readonly signal: AbortSignal;
}

/**
 * @throws SvcError INVALID_REQUEST, VOICE_NOT_FOUND, FORBIDDEN, UNSUPPORTED_AUDIO, PAYLOAD_TOO_LARGE
 */
export async function orderOfBody(
  context: ModelContext,
  given: SpeechBody,
  { output, signal }: BodyExtras,
): Promise<SpeechOrder> {
  const body = completed(context, given);
  const voice = await voiceOfBody(context, body, signal);
  const fields = fieldsFrom(body, bodyNames);
  checkLengths(fields, bodyNames);
  const { request: followed, warnings: ignored } = followInstructions(context, fields, voice);
  const warnings = [...ignored, ...unusedTranscripts(body), ...unusedDenoising(body, voice)];
  const lexicon = entriesOf(body.lexicon);
  const request = { ...followed, lexicon, ...scriptOf(context, body.input, fields.inputFormat) };
  const voices = await chooseVoices(context, request, body.voices ?? {});
  return finish(context, body, { request, voice, voices, output, timestamps: body.timestamps ?? 'none', warnings });
}

export interface LiveExtras extends BodyExtras {
  readonly text: LiveText;
  readonly timestamps?: SpeechOrder['timestamps'] | undefined;
}

/**
 * For a text that is still being written, of which nothing is known but its format.
 *
 * @throws as `orderOfBody`
 */
export async function orderOfLive(
  context: ModelContext,
  given: LiveBody,
  { text: live, timestamps, ...extras }: LiveExtras,
): Promise<SpeechOrder> {
  const completedBody = completed(context, given, 'live');
  const body = { ...completedBody, input_format: completedBody.input_format ?? 'auto' };
  const order = await orderOfBody(context, { ...body, input: anyWord, timestamps }, extras);
  return { ...order, live, characters: 0, pieces: 'patches' };
}

/**
 * Checks model and voice before there is text, without loading the model.
 *
 * @throws SvcError MODEL_NOT_FOUND, VOICE_NOT_FOUND, INVALID_REQUEST
 */
export async function checkNames({ models, allVoices }: ServerContext, body: LiveBody): Promise<void> {
  models.resolve(body.model);
  const name = nameOf(body);
  if (body.ref_audio || (name === '' && body.prompt_wav_path?.trim())) return;
  await withErrorParam('voice', () => allVoices().choose(name));
}

const nameOf = ({ voice }: { readonly voice?: SpeechBody['voice'] | undefined }): string =>
  (typeof voice === 'string' ? voice : (voice?.id ?? '')).trim();

/** A body with the server's defaults for its model and voice. */
function completed<Body extends Pick<LiveBody, 'model'> & { readonly voice?: SpeechBody['voice'] | undefined }>(
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

/** In place of a text that is not there yet. */
const anyWord = 'Word.';

export interface FormExtras {
  /** Uploaded recording of the voice. */
  readonly recording: Audio | undefined;
  readonly output: AudioChoice;
}

export async function orderOfForm(
  context: ModelContext,
  given: TtsForm,
  { recording, output }: FormExtras,
): Promise<SpeechOrder> {
  const form = completed(context, given, 'form');
  const fields = fieldsFrom(form, formNames);
  checkLengths(fields, formNames);
  const name = form.voice?.trim() ?? '';
  const voice: SpeechOrder['voice'] =
    name === '' && recording !== undefined
      ? { kind: 'recording', audio: recording, text: form.prompt_text }
      : await withErrorParam('voice', () => context.voices.choose(name));
  const lexicon = parseLexicon(form.lexicon ?? '', 'lexicon');
  const warnings = [...lexicon.warnings, ...unusedDenoising(form, voice)];
  const request = { ...fields, lexicon: lexicon.entries, ...scriptOf(context, form.input, fields.inputFormat) };
  const named = form.voices?.trim() ? parseVoiceNames(form.voices, 'voices') : {};
  const voices = await chooseVoices(context, request, named);
  return finish(context, form, { request, voice, voices, output, timestamps: 'none', warnings });
}

interface OrderParts extends Pick<SpeechOrder, 'request' | 'voice' | 'voices' | 'timestamps' | 'warnings'> {
  readonly output: AudioChoice;
}

async function finish(
  context: ModelContext,
  { input, speed, sample_rate, lora_name }: Pick<SpeechBody, 'input' | 'speed' | 'sample_rate' | 'lora_name'>,
  { request: given, output, ...order }: OrderParts,
): Promise<SpeechOrder> {
  const { settings } = context;
  const sampleRate = sample_rate ?? output.rate;
  assertCodingRate(output.format, sampleRate);
  const lora = given.lora ?? lora_name ?? settings.defaultLora;
  if (given.loraWeight !== undefined && !lora) {
    throw requestError(
      `${bodyNames.loraWeight} needs the name of an adapter in ${bodyNames.lora}`,
      bodyNames.loraWeight,
    );
  }
  const request = { timesteps: settings.timesteps, ...given, lora };
  const { info } = context.engine;
  if (request.continueBy === 'reference' && info.architecture !== 'voxcpm2') {
    throw needsModel2('continuing by reference', info, bodyNames.continueBy);
  }
  const adapter = lora ? context.pinAdapter(lora) : undefined;
  const checked = { ...request, voices: withoutAudio(order.voices) };
  const isSilent = (await withInputParam(() => checkSpeech(context, checked, order.voice))) === 'silence';
  assertPauses(settings, checked);
  return {
    ...order,
    request,
    adapter,
    characters: [...textOf(input)].length,
    speed: speed ?? ranges.speed.default,
    sampleRate,
    pieces: request.retryBadcase || order.timestamps !== 'none' ? 'parts' : 'patches',
    isSilent,
  };
}

/** Refuses a short text whose pauses would be hours of audio. @throws SvcError INVALID_REQUEST */
function assertPauses(
  { limits: { pausesSeconds: most } }: ServerSettings,
  { text, inputFormat: format = 'auto', voices = {}, readCode }: SynthesisRequest,
): void {
  const { statedSeconds } = parseScript(text, {
    format,
    voices: Object.keys(voices),
    code: readCode ? 'read' : 'skip',
  });
  if (statedSeconds <= most) return;
  throw requestError(`the pauses of input last ${Math.round(statedSeconds)} s; the limit is ${most} s`, 'input');
}

/** The text alone. */
const textOf = (input: ScriptInput): string =>
  typeof input === 'string' ? input : input.map(({ text }) => text).join('');

/**
 * An array of turns as the JSON text that the engine reads.
 *
 * @throws SvcError INVALID_REQUEST for a text beyond the limit
 */
function scriptOf(
  { settings }: ModelContext,
  input: ScriptInput,
  inputFormat: SynthesisRequest['inputFormat'],
): Pick<SynthesisRequest, 'text' | 'inputFormat'> {
  const most = settings.limits.inputCharacters;
  const { length } = textOf(input);
  if (length > most) throw requestError(`input has ${length} characters; the limit is ${most}`, 'input');
  if (typeof input === 'string') return { text: input, inputFormat };
  const format = inputFormat === 'turns' ? 'plain' : (inputFormat ?? 'plain');
  return {
    text: JSON.stringify(input.map((turn) => ({ ...turn, format: turn.format ?? format }))),
    inputFormat: 'turns',
  };
}

/** The voices that a script names: those of `voices`, else stored ones of the same name. */
async function chooseVoices(
  { voices: catalog }: ModelContext,
  { text, inputFormat = 'auto' }: Pick<SynthesisRequest, 'text' | 'inputFormat'>,
  given: ScriptVoiceNames,
): Promise<SpeechOrder['voices']> {
  const names = await withInputParam(() => scriptVoiceNames(text, inputFormat, given));
  const count = Object.keys(names).length;
  if (count > mostVoices) {
    throw requestError(`the script has ${count} voices; the limit is ${mostVoices}`, 'input');
  }
  const choose = (stored: string, name: string) =>
    withErrorParam(Object.hasOwn(given, name) ? 'voices' : 'input', () => catalog.choose(stored));
  return withInputParam(() => chooseScriptVoices(choose, names, { text, inputFormat }));
}

/**
 * A voice name takes precedence over a recording on the server, as in VoxCPMANE; a recording in the request over both, as
 * in vLLM-Omni, because clients of the public API must send a name.
 */
async function voiceOfBody(
  context: ModelContext,
  body: SpeechBody,
  signal: AbortSignal,
): Promise<SpeechOrder['voice']> {
  const name = nameOf(body);
  const path = body.prompt_wav_path?.trim() ?? '';
  const { denoise } = body;
  // Don't decode a file for a request that would be refused.
  const assertRoom = (): void => {
    if (context.hold === undefined) context.queue.assertRoom();
  };
  if (body.ref_audio) {
    if (path !== '') throw requestError('ref_audio and prompt_wav_path cannot be combined', 'ref_audio');
    assertRoom();
    const audio = await readUpload({ buffer: body.ref_audio }, 'ref_audio', context.settings, { signal, denoise });
    return { kind: 'recording', audio, text: body.x_vector_only_mode ? undefined : (body.ref_text ?? undefined) };
  }
  if (name !== '' || path === '') return withErrorParam('voice', () => context.voices.choose(name));
  assertRoom();
  const audio = await readPath(path, context.settings, { signal, denoise });
  return { kind: 'recording', audio, text: body.prompt_text ?? undefined };
}

/** About the transcript of a recording that the request lacks. */
const unusedTranscripts = ({ ref_audio, ref_text }: SpeechBody): readonly string[] =>
  ref_text?.trim() && !ref_audio ? ['ref_text needs ref_audio; it is ignored'] : [];

/** About denoising without a recording in the request: stored voices are denoised when they are added. */
const unusedDenoising = (
  { denoise }: Pick<SpeechBody, 'denoise'>,
  { kind }: SpeechOrder['voice'],
): readonly string[] =>
  denoise && kind !== 'recording' ? ['denoise needs a recording in the request; it is ignored'] : [];

type Instructed = Omit<SynthesisRequest, 'text'>;

/**
 * Removes instructions that the model or the voice can't follow.
 *
 * @throws SvcError UNSUPPORTED_PARAMETER for such instructions if the server is strict
 */
function followInstructions<Fields extends Instructed>(
  { engine: { info }, modelName, settings }: ModelContext,
  request: Fields,
  voice: SpeechOrder['voice'],
): { readonly request: Fields; readonly warnings: readonly string[] } {
  const reason =
    (request.control ?? '').trim() === '' ? undefined : whyNotInstructable({ ...info, name: modelName }, voice);
  if (reason === undefined) return { request, warnings: [] };
  const problem = `${bodyNames.control} ${reason}`;
  if (settings.instructions === 'strict') {
    throw new SvcError('UNSUPPORTED_PARAMETER', problem, { param: bodyNames.control });
  }
  return { request: { ...request, control: undefined }, warnings: [`${problem}; they are ignored`] };
}

/** Why instructions would have no effect; completes `instructions …`. */
function whyNotInstructable(info: ModelInfo, voice: SpeechOrder['voice']): string | undefined {
  if (info.architecture !== 'voxcpm2') return `need a VoxCPM 2 model; ${quote(info.name)} is an earlier one`;
  const isPrompt =
    voice.kind === 'recording'
      ? (voice.text ?? '').trim() !== ''
      : voice.kind === 'named' && voice.roles.includes('prompt');
  return isPrompt ? 'cannot be combined with a voice that has a transcript' : undefined;
}
