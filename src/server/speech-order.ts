/** Converts the bodies of all speech routes to one order. */
import { assertCodingRate } from '../audio/coding-rate.ts';
import type { AudioFormatName } from '../audio/format.ts';
import type { Audio } from '../audio/wav.ts';
import { checkLengths, fieldsFrom, ranges, type SynthesisRequest } from '../engine/request.ts';
import { SvcError } from '../errors.ts';
import { requestError } from '../validation.ts';
import { chooseScriptVoices, scriptVoiceNames, withoutAudio } from '../voices/script-voices.ts';
import type { ModelContext } from './context.ts';
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
 * @throws SvcError INVALID_REQUEST, VOICE_NOT_FOUND, FORBIDDEN, UNSUPPORTED_AUDIO, PAYLOAD_TOO_LARGE
 */
export async function orderOfBody(
  context: ModelContext,
  body: SpeechBody,
  { output, signal }: BodyExtras,
): Promise<SpeechOrder> {
  const voice = await voiceOfBody(context, body, signal);
  const request = fieldsFrom(body, bodyNames);
  checkLengths(request, bodyNames);
  const lexicon = body.lexicon && Object.entries(body.lexicon).map(([written, spoken]) => ({ written, spoken }));
  const voices = await scriptVoices(context, body, request);
  if ((request.control ?? '').trim() !== '') requireInstructable(context, voice);
  return finish(context, body, { request: { ...request, lexicon: lexicon ?? undefined }, voice, voices, output });
}

export interface FormExtras {
  /** Uploaded recording of the voice. */
  readonly recording: Audio | undefined;
  readonly output: AudioChoice;
}

export async function orderOfForm(
  context: ModelContext,
  form: TtsForm,
  { recording, output }: FormExtras,
): Promise<SpeechOrder> {
  const request = fieldsFrom(form, formNames);
  checkLengths(request, formNames);
  const name = form.voice?.trim() ?? '';
  const voice: SpeechOrder['voice'] =
    name === '' && recording !== undefined
      ? { kind: 'recording', audio: recording, text: form.prompt_text }
      : await inField('voice', () => context.voices.choose(name));
  return finish(context, form, { request, voice, voices: await scriptVoices(context, form, request), output });
}

interface OrderParts {
  /** Fields other than the text. */
  readonly request: Omit<SynthesisRequest, 'text'>;
  readonly voice: SpeechOrder['voice'];
  readonly voices: SpeechOrder['voices'];
  readonly output: AudioChoice;
}

function finish(
  context: ModelContext,
  { input: text, speed, sample_rate }: Pick<SpeechBody, 'input' | 'speed' | 'sample_rate'>,
  { request: fields, voice, voices, output }: OrderParts,
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
    speed: speed ?? ranges.speed.default,
    sampleRate,
    pieces: request.retryBadcase ? 'parts' : 'patches',
    isSilent: checkSpeech(context, { ...request, voices: withoutAudio(voices) }, voice) === 'silence',
  };
}

/** The voices that a script names: by `voices`, else stored ones of the same name. */
const scriptVoices = (
  { voices: catalog }: ModelContext,
  { input, voices }: Pick<SpeechBody, 'input' | 'voices'>,
  { inputFormat = 'auto' }: Pick<SynthesisRequest, 'inputFormat'>,
): Promise<SpeechOrder['voices']> =>
  chooseScriptVoices((name) => catalog.choose(name), scriptVoiceNames(input, inputFormat, voices ?? {}));

/** A voice name takes precedence over a recording, as in VoxCPMANE. */
async function voiceOfBody(
  context: ModelContext,
  body: SpeechBody,
  signal: AbortSignal,
): Promise<SpeechOrder['voice']> {
  const name = (typeof body.voice === 'string' ? body.voice : (body.voice?.id ?? '')).trim();
  const path = body.prompt_wav_path?.trim() ?? '';
  if (name !== '' || path === '') return inField('voice', () => context.voices.choose(name));
  // Don't decode a file for a request that would be refused.
  if (context.hold === undefined) context.queue.assertRoom();
  const audio = await readPath(path, context.settings, signal);
  return { kind: 'recording', audio, text: body.prompt_text ?? undefined };
}

/** Refuses instructions that the model or voice would ignore. */
function requireInstructable({ engine: { info } }: ModelContext, voice: SpeechOrder['voice']): void {
  if (info.architecture !== 'voxcpm2') {
    throw unsupported('instructions', `instructions need a VoxCPM 2 model; ${info.name} is ${info.architecture}`);
  }
  const isPrompt =
    voice.kind === 'recording'
      ? (voice.text ?? '').trim() !== ''
      : voice.kind === 'named' && voice.roles.includes('prompt');
  if (isPrompt) {
    throw unsupported('instructions', 'instructions cannot be combined with a voice that has a transcript');
  }
}

const unsupported = (param: string, message: string): SvcError =>
  new SvcError('UNSUPPORTED_PARAMETER', message, { param });
