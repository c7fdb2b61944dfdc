/** MP3 by LAME, frame by frame. */
import type { AudioEncoder, WriteBytes } from './audio-encoder.ts';
import { assertCodingRate, bitsPerSecond } from './coding-rate.ts';
import { createFrameCutter } from './frame-cutter.ts';
import { type LibavFrame, monoLayout, openLibav } from './libav.ts';
import { createMp3InfoWriter } from './mp3-info.ts';

/**
 * MP3 of a constant bit rate, its first frame telling players what to cut; patched with the length.
 *
 * Without the bit reservoir: with it a frame is complete only when the next one is coded, and a listener waits for that.
 *
 * @throws SvcError UNSUPPORTED_AUDIO for a rate that MP3 lacks, BACKEND_UNAVAILABLE when the package is missing.
 */
export async function createMp3Encoder(sampleRate: number, write: WriteBytes): Promise<AudioEncoder> {
  assertCodingRate('mp3', sampleRate);
  const libav = await openLibav('mp3');
  const format = libav.AV_SAMPLE_FMT_S16P;
  const [, encoder, frame, packet, frameSize] = libav.ff_init_encoder_sync('libmp3lame', {
    ctx: {
      sample_fmt: format,
      sample_rate: sampleRate,
      bit_rate: bitsPerSecond(sampleRate),
      channel_layout: monoLayout,
      channels: 1,
    },
    time_base: [1, sampleRate],
    options: { flags: '+bitexact', reservoir: '0' },
  });
  const cutter = createFrameCutter({ frameSize, sampleRate, format, layout: 'planar' });
  const info = createMp3InfoWriter(write);
  let count = 0;
  const encode = async (frames: readonly LibavFrame[], end: 'more' | 'end'): Promise<void> => {
    if (frames.length === 0 && end === 'more') return;
    for (const { data } of libav.ff_encode_multi_sync(encoder, frame, packet, [...frames], end === 'end')) {
      await info.write(data);
    }
  };
  const push = async (samples: Float32Array): Promise<void> => {
    count += samples.length;
    await encode(cutter.push(samples), 'more');
  };
  const close = async (): Promise<void> => libav.terminate();
  return {
    write: push,
    async finish() {
      // There is no empty MP3.
      if (count === 0) await push(new Float32Array(1));
      await encode(cutter.flush(), 'end');
      await close();
      return info.patches(count);
    },
    close,
  };
}
