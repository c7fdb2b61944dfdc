/** AAC in ADTS by Mediabunny's encoder (FFmpeg's), which computes in a worker thread. */
import type { AudioEncoder, WriteBytes } from './audio-encoder.ts';
import { assertCodingRate, bitsPerSecond } from './coding-rate.ts';
import { loadLibrary, loadMediabunny } from './load-library.ts';

const frameSamples = 1_024;

/**
 * AAC-LC in ADTS. Begins with the 1,024 samples of silence that the codec needs and ADTS has no field for.
 *
 * The worker thread starts with the first samples, which would take longer than a patch. Hence it gets the frame of
 * silence at once, and its first packet, which holds the encoder's own silence before that, is dropped: what is left
 * begins with one frame of silence as any ADTS does.
 *
 * @throws SvcError UNSUPPORTED_AUDIO for a rate that AAC lacks, BACKEND_UNAVAILABLE when a package is missing.
 */
export async function createAacEncoder(sampleRate: number, write: WriteBytes): Promise<AudioEncoder> {
  assertCodingRate('aac', sampleRate);
  const library = await loadMediabunny('aac');
  await register();
  const { AdtsOutputFormat, AudioSample, AudioSampleSource, Output, StreamTarget } = library;
  /** Bytes of the first packet. */
  let dropped = 0;
  const onFrame = (frame: Uint8Array, position: number): void => {
    if (position === 0) dropped = frame.length;
  };
  const output = new Output({
    format: new AdtsOutputFormat({ onFrame }),
    target: new StreamTarget(
      new WritableStream({
        async write({ data, position }) {
          const kept = data.subarray(Math.max(0, dropped - position));
          if (kept.length > 0) await write(kept);
        },
      }),
    ),
  });
  const source = new AudioSampleSource({ codec: 'aac', bitrate: bitsPerSecond(sampleRate) });
  output.addAudioTrack(source);
  await output.start();
  let count = 0;
  const add = async (samples: Float32Array): Promise<void> => {
    const timestamp = count / sampleRate;
    const sample = new AudioSample({ data: samples, format: 'f32', numberOfChannels: 1, sampleRate, timestamp });
    count += samples.length;
    try {
      await source.add(sample);
    } finally {
      sample.close();
    }
  };
  await add(new Float32Array(frameSamples));
  return {
    async write(samples) {
      if (samples.length > 0) await add(samples);
    },
    async finish() {
      // The format can't be empty.
      if (count === frameSamples) await add(new Float32Array(1));
      await output.finalize();
      return [];
    },
    close: () => output.cancel().catch(() => undefined),
  };
}

let registration: Promise<void> | undefined;

/** Once: registering a second time would try encoders twice. */
function register(): Promise<void> {
  registration ??= (async () => {
    const name = '@mediabunny/aac-encoder';
    (await loadLibrary(name, 'aac', () => import('@mediabunny/aac-encoder'))).registerAacEncoder();
  })();
  return registration;
}
