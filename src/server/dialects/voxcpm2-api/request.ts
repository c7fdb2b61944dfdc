/** Requests of `voxcpm2-api` (PyPI), over HTTP and its WebSocket, as requests to the public API. */
import { z } from 'zod';
import { asLanguage, schemaOf } from '../../../engine/request-fields.ts';
import { spokenText } from '../../../engine/script/turns.ts';
import { transcript } from '../../../engine/voice-fields.ts';
import { oneOf, parse, path, requestError, text, truth } from '../../../validation.ts';
import type { UnknownFields } from '../../http/unknown-fields.ts';
import { encodedRecording } from '../../schemas/encoded-recording.ts';
import { type SpeechBody, speechBody } from '../../schemas/speech.ts';

const unused = 'Has no effect, as in `voxcpm2-api`.';
const onServer = 'A recording on the server, in its voice folder.';

export const synthesisBody = z.object({
  text: spokenText.describe('Text to speak, up to 65,536 characters.'),
  language: text.nullish().describe('Language of the text, in which numbers are read, such as `de`.'),
  prompt_text: transcript.nullish().describe('Transcript of the prompt audio, which needs it.'),
  prompt_audio_path: path.nullish().describe(onServer),
  prompt_audio_base64: encodedRecording.describe('Recording to continue, in base64.'),
  reference_audio_path: path.nullish().describe(onServer),
  reference_audio_base64: encodedRecording.describe('Recording whose timbre is taken, in base64.'),
  cfg_value: schemaOf('cfg').nullish().describe('Guidance scale.'),
  inference_timesteps: schemaOf('timesteps').nullish().describe('Flow-matching steps.'),
  min_len: z.int().nullish().describe(unused),
  max_len: z.int().nullish().describe(unused),
  normalize_text: truth.nullish().describe('Read out numbers, dates, units, currencies and abbreviations.'),
  denoise_conditioning_audio: truth.nullish().describe('Denoise the recordings.'),
  retry_badcase: truth.nullish().describe('Regenerate speech that is far too long or silent.'),
  response_format: oneOf(['wav', 'base64']).nullish().describe('`base64`: an object with a WAV file in base64.'),
});

export type SynthesisBody = Omit<z.output<typeof synthesisBody>, 'response_format'> & {
  readonly unknownFields?: UnknownFields | undefined;
};

/** The same request to the public API. @throws SvcError INVALID_REQUEST */
export function speechOf(given: SynthesisBody): SpeechBody {
  const { prompt_audio_path, prompt_audio_base64, reference_audio_path, reference_audio_base64 } = given;
  for (const [one, other] of [
    ['prompt_audio_path', 'prompt_audio_base64'],
    ['reference_audio_path', 'reference_audio_base64'],
  ] as const) {
    if (given[one] && given[other]) throw requestError(`${one} and ${other} cannot be combined`, other);
  }
  const hasPrompt = Boolean(prompt_audio_path || prompt_audio_base64);
  if (hasPrompt && !given.prompt_text?.trim()) {
    throw requestError('prompt_text is required with prompt audio', 'prompt_text');
  }
  const body = parse(speechBody, {
    input: given.text,
    prompt_text: hasPrompt ? given.prompt_text : undefined,
    prompt_wav_path: prompt_audio_path,
    reference_wav_path: reference_audio_path,
    cfg_value: given.cfg_value,
    inference_timesteps: given.inference_timesteps,
    language: asLanguage(given.language),
    normalize: given.normalize_text,
    denoise: given.denoise_conditioning_audio,
    retry_badcase: given.retry_badcase,
  });
  // Decoded already.
  const recordings = { prompt_audio: prompt_audio_base64, ref_audio: reference_audio_base64 };
  return { ...body, ...recordings, unknownFields: given.unknownFields };
}
