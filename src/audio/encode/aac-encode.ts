/** Encodes AAC in ADTS with Mediabunny's FFmpeg encoder, which runs in a worker thread. */
import { loadLibrary } from '../libraries/load-library.ts';
import { addSamples, loadMediabunny } from '../libraries/mediabunny.ts';
import type { Encoded, Encoder } from '../transform.ts';
import { assertCodingRate, bitsPerSecond } from './coding-rate.ts';

const frameSamples = 1_024;
/** Samples needed after a frame before it is encoded: those of the next frame. */
const aheadSamples = frameSamples;
/** Longest wait for the worker thread; if it has failed, the next call throws. */
const patienceMilliseconds = 1_000;

/**
 * Creates an encoder of AAC-LC in ADTS. The stream begins with the codec's 1,024 samples of silence, as ADTS cannot
 * declare them.
 *
 * The worker thread starts with the first samples, which would take longer than a patch. So it gets a frame of silence
 * at once, and its first packet, with the encoder's own silence, is dropped: the stream begins with one frame of
 * silence, as usual.
 *
 * @throws SvcError UNSUPPORTED_AUDIO for a sample rate that AAC lacks, BACKEND_UNAVAILABLE if a package is missing
 */
export async function createAacEncoder(sampleRate: number): Promise<Encoder> {
  assertCodingRate('aac', sampleRate);
  const library = await loadMediabunny('aac');
  await loadAacEncoder();
  const { AdtsOutputFormat, AudioSampleSource, NullTarget, Output } = library;
  let count = 0;
  const frames: Uint8Array[] = [];
  let arrived = 0;
  let onArrival = (): void => undefined;
  const onFrame = (frame: Uint8Array): void => {
    if (arrived > 0) frames.push(frame);
    arrived += 1;
    onArrival();
  };
  const output = new Output({ format: new AdtsOutputFormat({ onFrame }), target: new NullTarget() });
  const source = new AudioSampleSource({ codec: 'aac', bitrate: bitsPerSecond(sampleRate) });
  output.addAudioTrack(source);
  await output.start();
  const add = async (samples: Float32Array): Promise<void> => {
    const at = count;
    count += samples.length;
    await addSamples(library, source, { data: samples, at, sampleRate });
  };
  const untilArrived = (expected: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, patienceMilliseconds);
      onArrival = () => {
        if (arrived < expected) return;
        clearTimeout(timer);
        resolve();
      };
      onArrival();
    });
  const take = (): Encoded => frames.splice(0).map((bytes) => ({ bytes }));
  await add(new Float32Array(frameSamples));
  return {
    async push(samples) {
      if (samples.length === 0) return [];
      await add(samples);
      await untilArrived(Math.floor((count - aheadSamples) / frameSamples));
      return take();
    },
    async flush() {
      // The format cannot be empty.
      if (count === frameSamples) await add(new Float32Array(1));
      await output.finalize();
      return take();
    },
    close: () => void output.cancel().catch(() => undefined),
  };
}

let registration: Promise<void> | undefined;

/** Registers the encoder once; a second registration would try encoders twice. */
export function loadAacEncoder(): Promise<void> {
  registration ??= (async () => {
    const name = '@mediabunny/aac-encoder';
    (await loadLibrary(name, 'aac', () => import('@mediabunny/aac-encoder'))).registerAacEncoder();
  })();
  return registration;
}
