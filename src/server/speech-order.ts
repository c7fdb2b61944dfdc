/** From the bodies of the family's routes to one order. */
import { assertCodingRate } from '../audio/coding-rate.ts';
import type { AudioFormatName } from '../audio/format.ts';
import type { Audio } from '../audio/wav.ts';
import { isWordless } from '../engine/long-text/plan.ts';
import { parseRequest, type SynthesisRequest } from '../engine/request.ts';
import { SvcError } from '../errors.ts';
import type { ServerContext } from './context.ts';
import { readPath } from './recordings.ts';
import { invalid } from './schemas/parse.ts';
import type { SpeechBody, TtsForm } from './schemas/speech.ts';
import { checkOrder, type SpeechOrder } from './speech.ts';

/** How the audio leaves. */
export interface Output {
  readonly format: AudioFormatName;
  /** Hz, unless the request says. */
  readonly rate: number;
}

export interface BodyExtras {
  readonly output: Output;
  /** Ends the reading of a recording. */
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
  const instructions = body.instructions?.trim() ?? '';
  if (instructions !== '') requireInstructable(context, voice);
  const control = instructions === '' ? undefined : instructions;
  return finish(context, body, voice, { minLength: body.min_length, maxLength: body.max_length, control, output });
}

export interface FormExtras {
  /** An upload that the speech continues. */
  readonly recording: Audio | undefined;
  readonly output: Output;
}

export async function orderOfForm(
  context: ServerContext,
  form: TtsForm,
  { recording, output }: FormExtras,
): Promise<SpeechOrder> {
  // The model's name is of no meaning to clients of these forms.
  const name = form.voice?.trim() ?? '';
  const voice: SpeechOrder['voice'] =
    name === '' && recording !== undefined
      ? { kind: 'recording', audio: recording, text: form.prompt_text }
      : await context.voices.choose(name);
  return finish(context, form, voice, { minLength: form.min_len, maxLength: form.max_len, control: undefined, output });
}

interface Particulars {
  readonly minLength: number | null | undefined;
  readonly maxLength: number | null | undefined;
  readonly control: string | undefined;
  readonly output: Output;
}

type Common = Pick<
  SpeechBody,
  'input' | 'speed' | 'cfg_value' | 'inference_timesteps' | 'seed' | 'retry_badcase' | 'normalize' | 'sample_rate'
>;

function finish(
  context: ServerContext,
  body: Common,
  voice: SpeechOrder['voice'],
  particulars: Particulars,
): SpeechOrder {
  const { settings } = context;
  const { output, ...lengths } = particulars;
  const sampleRate = body.sample_rate ?? output.rate;
  assertCodingRate(output.format, sampleRate);
  const most = settings.limits.inputCharacters;
  if (body.input.length > most) throw invalid(`at most ${most} characters`, 'input', `${body.input.length}`);
  const request = withoutAbsent({
    text: body.input,
    cfg: body.cfg_value,
    timesteps: body.inference_timesteps ?? settings.timesteps,
    seed: body.seed,
    normalize: body.normalize,
    retryBadcase: body.retry_badcase,
    ...lengths,
  });
  const order: SpeechOrder = {
    request,
    voice,
    speed: body.speed ?? 1,
    sampleRate,
    pieces: body.retry_badcase ? 'parts' : 'patches',
    isSilent: isWordless(parseRequest(request), context.engine.info),
  };
  checkOrder(context, order);
  return order;
}

type Values = { readonly [Key in keyof SynthesisRequest]: SynthesisRequest[Key] | null };

function withoutAbsent(values: Values & { readonly text: string }): SynthesisRequest {
  const present = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(present) as unknown as SynthesisRequest;
}

function checkModel({ settings: { modelName, modelMatch } }: ServerContext, model: string | null | undefined): void {
  if (modelMatch === 'any' || model === undefined || model === null || model === modelName) return;
  throw new SvcError(
    'MODEL_NOT_FOUND',
    `expected ${modelName} for model, received ${JSON.stringify(model.slice(0, 80))}`,
  );
}

/** As in B, a voice that is named goes before a recording. */
async function voiceOfBody(
  context: ServerContext,
  body: SpeechBody,
  signal: AbortSignal,
): Promise<SpeechOrder['voice']> {
  const name = (typeof body.voice === 'string' ? body.voice : (body.voice?.id ?? '')).trim();
  const path = body.prompt_wav_path?.trim() ?? '';
  if (name !== '' || path === '') return context.voices.choose(name);
  // A file is not decoded for a request that will be refused.
  context.queue.assertRoom();
  const audio = await readPath(path, context.settings, signal);
  return { kind: 'recording', audio, text: body.prompt_text ?? undefined };
}

/** Refused rather than ignored: nobody should wonder why the speech is not as it was asked for. */
function requireInstructable({ engine: { info } }: ServerContext, voice: SpeechOrder['voice']): void {
  if (info.architecture !== 'voxcpm2') throw unsupported('instructions', 'this model');
  const isPrompt =
    voice.kind === 'recording'
      ? (voice.text ?? '').trim() !== ''
      : voice.kind === 'named' && voice.roles.includes('prompt');
  if (isPrompt) throw unsupported('instructions', 'a voice that is a prompt');
}

const unsupported = (param: string, subject: string): SvcError =>
  new SvcError('UNSUPPORTED_PARAMETER', `expected no ${param} with ${subject}, received some`, { param });
