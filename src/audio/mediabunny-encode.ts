/** MP3 (LAME) and AAC in ADTS (FFmpeg) by Mediabunny's encoders, which compute in a worker thread. */
import type { Output as MediaOutput } from 'mediabunny';
import { SvcError } from '../errors.ts';
import type { AudioEncoder, Patch, WriteBytes } from './audio-encoder.ts';
import { loadLibrary } from './load-library.ts';
import { loadMediabunny } from './load-mediabunny.ts';
import { createMp3InfoWriter } from './mp3-info.ts';

/** Rates of the MPEG standards. */
const sampleRates = {
  mp3: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000],
  aac: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000],
} as const;

/** Mono speech; transparent enough, and allowed at every rate of the standards. */
const bitsPerSecond = (sampleRate: number): number => (sampleRate < 32_000 ? 64_000 : 96_000);

/** MP3 of a constant bit rate, its first frame telling players what to cut; patched with the length. */
export async function createMp3Encoder(sampleRate: number, write: WriteBytes): Promise<AudioEncoder> {
  const info = createMp3InfoWriter(write);
  return openEncoder('mp3', sampleRate, info.write, info.patches);
}

/** AAC-LC in ADTS. Begins with the 1,024 samples of silence that the codec needs and ADTS has no field for. */
export const createAacEncoder = (sampleRate: number, write: WriteBytes): Promise<AudioEncoder> =>
  openEncoder('aac', sampleRate, write, () => []);

async function openEncoder(
  codec: keyof typeof sampleRates,
  sampleRate: number,
  write: WriteBytes,
  patchesFor: (samples: number) => readonly Patch[],
): Promise<AudioEncoder> {
  if (!sampleRates[codec].some((rate) => rate === sampleRate)) {
    const expected = sampleRates[codec].join(', ');
    throw new SvcError('UNSUPPORTED_AUDIO', `expected one of ${expected} Hz for ${codec}, received ${sampleRate} Hz`);
  }
  const library = await loadMediabunny(codec);
  await register[codec]();
  const { AdtsOutputFormat, AudioSample, AudioSampleSource, Mp3OutputFormat, Output, StreamTarget } = library;
  const output: MediaOutput = new Output({
    format: codec === 'mp3' ? new Mp3OutputFormat({ xingHeader: false }) : new AdtsOutputFormat(),
    target: new StreamTarget(new WritableStream({ write: ({ data }) => write(data) })),
  });
  const source = new AudioSampleSource({ codec, bitrate: bitsPerSecond(sampleRate) });
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
  return {
    async write(samples) {
      if (samples.length > 0) await add(samples);
    },
    async finish() {
      // Neither format can be empty.
      if (count === 0) await add(new Float32Array(1));
      await output.finalize();
      return patchesFor(count);
    },
    close: () => output.cancel().catch(() => undefined),
  };
}

const once = (work: () => Promise<void>): (() => Promise<void>) => {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
};

/** Registering a second time would try encoders twice. */
const register = {
  mp3: once(async () => {
    const name = '@mediabunny/mp3-encoder';
    (await loadLibrary(name, 'mp3', () => import('@mediabunny/mp3-encoder'))).registerMp3Encoder();
  }),
  aac: once(async () => {
    const name = '@mediabunny/aac-encoder';
    (await loadLibrary(name, 'aac', () => import('@mediabunny/aac-encoder'))).registerAacEncoder();
  }),
} as const;
