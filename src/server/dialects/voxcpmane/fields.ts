/** What distinguishes requests of VoxCPMANE from those of the public API, which have the same route. */
import type { AudioFormatName } from '../../../audio/encode/format.ts';
import type { SpeechBody } from '../../schemas/speech.ts';

/** Whether the body has fields of VoxCPMANE only. */
export function hasVoxcpmaneFields(body: Omit<SpeechBody, 'input'>): boolean {
  const own = [
    ...[body.prompt_wav_path, body.prompt_text, body.max_length, body.cfg_value, body.inference_timesteps],
    ...[body.control_instruction, body.reference_wav_path, body.voice_mode],
  ];
  return own.some((value) => value !== undefined);
}

/** The public API requires a voice and has no fields of VoxCPMANE. A body of text is of neither: it has the public defaults. */
export const isVoxcpmane = (body: Omit<SpeechBody, 'input'>): boolean =>
  !('written' in body) && ((body.voice ?? body.speaker ?? undefined) === undefined || hasVoxcpmaneFields(body));

/** Content type of Ogg Opus in VoxCPMANE and VoxCPM-ONNX; VoxCPM.cpp and browsers use `audio/ogg; codecs=opus`. */
export const opusOfFamily = (format: AudioFormatName): { readonly contentType?: string } =>
  format === 'opus' ? { contentType: 'audio/opus' } : {};
