/** Converts the bodies of all speech routes to one order. */
import { assertCodingRate } from '../audio/coding-rate.ts';
import type { AudioFormatName } from '../audio/format.ts';
import type { Audio } from '../audio/wav.ts';
import type { ModelInfo } from '../engine/backend.ts';
import { checkLengths, fieldsFrom, ranges, type SynthesisRequest } from '../engine/request.ts';
import { SvcError } from '../errors.ts';
import { requestError, show } from '../validation.ts';
import { chooseScriptVoices, scriptVoiceNames, withoutAudio } from '../voices/script-voices.ts';
import type { ServerContext } from './context.ts';
import { inField } from './in-field.ts';
import { readPath } from './recordings.ts';
import { bodyNames, formNames, type SpeechBody, type TtsForm } from './schemas/speech.ts';
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
 * @throws SvcError INVALID_REQUEST, MODEL_NOT_FOUND, VOICE_NOT_FOUND, FORBIDDEN, UNSUPPORTED_AUDIO, PAYLOAD_TOO_LARGE
 */
export async function orderOfBody(
  context: ServerContext,
  body: SpeechBody,
  { output, signal }: BodyExtras,
): Promise<SpeechOrder> {
  checkModel(context, body.model);
  const voice = await voiceOfBody(context, body, signal);
  const fields = fieldsFrom(body, bodyNames);
  checkLengths(fields, bodyNames);
  const { request, warnings } = followInstructions(context, fields, voice);
  const lexicon = body.lexicon && Object.entries(body.lexicon).map(([written, spoken]) => ({ written, spoken }));
  const voices = await scriptVoices(context, body, request);
  const parts = { request: { ...request, lexicon: lexicon ?? undefined }, voice, voices, output, warnings };
  return finish(context, body, parts);
}

export interface FormExtras {
  /** Uploaded recording of the voice. */
  readonly recording: Audio | undefined;
  readonly output: AudioChoice;
}

export async function orderOfForm(
  context: ServerContext,
  form: TtsForm,
  { recording, output }: FormExtras,
): Promise<SpeechOrder> {
  const request = fieldsFrom(form, formNames);
  checkLengths(request, formNames);
  // Clients of these forms ignore the model's name.
  const name = form.voice?.trim() ?? '';
  const voice: SpeechOrder['voice'] =
    name === '' && recording !== undefined
      ? { kind: 'recording', audio: recording, text: form.prompt_text }
      : await inField('voice', () => context.voices.choose(name));
  const voices = await scriptVoices(context, form, request);
  return finish(context, form, { request, voice, voices, output, warnings: [] });
}

interface OrderParts {
  /** Fields other than the text. */
  readonly request: Omit<SynthesisRequest, 'text'>;
  readonly voice: SpeechOrder['voice'];
  readonly voices: SpeechOrder['voices'];
  readonly output: AudioChoice;
  readonly warnings: readonly string[];
}

function finish(
  context: ServerContext,
  { input: text, speed, sample_rate }: Pick<SpeechBody, 'input' | 'speed' | 'sample_rate'>,
  { request: fields, voice, voices, output, warnings }: OrderParts,
): SpeechOrder {
  const { settings } = context;
  const sampleRate = sample_rate ?? output.rate;
  assertCodingRate(output.format, sampleRate);
  const most = settings.limits.inputCharacters;
  if (text.length > most) {
    throw requestError(`input has ${text.length} characters; the limit is ${most}`, 'input');
  }
  const request = { timesteps: settings.timesteps, ...fields, text };
  return {
    request,
    voice,
    voices,
    warnings,
    speed: speed ?? ranges.speed.default,
    sampleRate,
    pieces: request.retryBadcase ? 'parts' : 'patches',
    isSilent: checkSpeech(context, { ...request, voices: withoutAudio(voices) }, voice) === 'silence',
  };
}

/** The voices that a script names: by `voices`, else stored ones of the same name. */
const scriptVoices = (
  { voices: catalog }: ServerContext,
  { input, voices }: Pick<SpeechBody, 'input' | 'voices'>,
  { inputFormat = 'auto' }: Pick<SynthesisRequest, 'inputFormat'>,
): Promise<SpeechOrder['voices']> =>
  chooseScriptVoices((name) => catalog.choose(name), scriptVoiceNames(input, inputFormat, voices ?? {}));

function checkModel({ settings: { modelName, modelMatch } }: ServerContext, model: string | null | undefined): void {
  if (modelMatch === 'any' || model === undefined || model === null || model === modelName) return;
  throw new SvcError('MODEL_NOT_FOUND', `unknown model ${show(model)} (available: ${modelName})`, { param: 'model' });
}

/** A voice name takes precedence over a recording, as in VoxCPMANE. */
async function voiceOfBody(
  context: ServerContext,
  body: SpeechBody,
  signal: AbortSignal,
): Promise<SpeechOrder['voice']> {
  const name = (typeof body.voice === 'string' ? body.voice : (body.voice?.id ?? '')).trim();
  const path = body.prompt_wav_path?.trim() ?? '';
  if (name !== '' || path === '') return inField('voice', () => context.voices.choose(name));
  // Don't decode a file for a request that would be refused.
  context.queue.assertRoom();
  const audio = await readPath(path, context.settings, signal);
  return { kind: 'recording', audio, text: body.prompt_text ?? undefined };
}

type Instructed = Omit<SynthesisRequest, 'text'>;

/**
 * Removes instructions that the model or the voice can't follow.
 *
 * @throws SvcError UNSUPPORTED_PARAMETER for such instructions if the server is strict
 */
function followInstructions<Fields extends Instructed>(
  { engine: { info }, settings }: ServerContext,
  request: Fields,
  voice: SpeechOrder['voice'],
): { readonly request: Fields; readonly warnings: readonly string[] } {
  const reason = (request.control ?? '').trim() === '' ? undefined : whyNotInstructable(info, voice);
  if (reason === undefined) return { request, warnings: [] };
  const problem = `${bodyNames.control} ${reason}`;
  if (settings.instructions === 'strict') {
    throw new SvcError('UNSUPPORTED_PARAMETER', problem, { param: bodyNames.control });
  }
  return { request: { ...request, control: undefined }, warnings: [`${problem}; they are ignored`] };
}

/** Why instructions would have no effect; completes `instructions …`. */
function whyNotInstructable(info: ModelInfo, voice: SpeechOrder['voice']): string | undefined {
  if (info.architecture !== 'voxcpm2') return `need a VoxCPM 2 model (${info.name} is ${info.architecture})`;
  const isPrompt =
    voice.kind === 'recording'
      ? (voice.text ?? '').trim() !== ''
      : voice.kind === 'named' && voice.roles.includes('prompt');
  return isPrompt ? 'cannot be combined with a voice that has a transcript' : undefined;
}
