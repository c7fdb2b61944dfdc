/** ElevenLabs' `output_format`: codec, sample rate in Hz and kilobits per second, such as `mp3_44100_128`. */
import { type AudioFormatName, audioFormats, type EncoderOptions } from '../../../audio/encode/format.ts';
import { oneOf } from '../../../validation.ts';

const outputFormatNames = [
  ...['mp3_22050_32', 'mp3_24000_48', 'mp3_44100_32', 'mp3_44100_64', 'mp3_44100_96', 'mp3_44100_128', 'mp3_44100_192'],
  ...['pcm_8000', 'pcm_16000', 'pcm_22050', 'pcm_24000', 'pcm_32000', 'pcm_44100', 'pcm_48000'],
  ...['wav_8000', 'wav_16000', 'wav_22050', 'wav_24000', 'wav_32000', 'wav_44100', 'wav_48000'],
  ...['opus_48000_32', 'opus_48000_64', 'opus_48000_96', 'opus_48000_128', 'opus_48000_192'],
  ...['ulaw_8000', 'alaw_8000'],
] as const;

export const defaultOutputFormat = 'mp3_44100_128';

export const outputFormat = oneOf(outputFormatNames);

type Coding = Pick<EncoderOptions, 'sampleFormat' | 'bitRate'>;

/** @param name as `outputFormat` accepts it @returns the rate in Hz */
export function readOutputFormat(name: string) {
  const [codec = '', hertz, kilobits] = name.split('_');
  const rate = Number(hertz);
  const isCompanded = codec === 'ulaw' || codec === 'alaw';
  const format = isCompanded ? 'pcm' : (codec as AudioFormatName);
  const bitRate = kilobits === undefined ? undefined : Number(kilobits) * 1000;
  const coding: Coding = isCompanded ? { sampleFormat: codec } : { bitRate };
  const contentType = isCompanded ? { ulaw: 'audio/basic', alaw: 'audio/PCMA' }[codec] : audioFormats[format].mimeType;
  return { format, rate, coding, contentType };
}
