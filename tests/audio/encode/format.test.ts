import { readdir, readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { decodeAudio, readAudioFile } from '../../../src/audio/decode/read-audio.ts';
import {
  type AudioFormatName,
  audioFormatNames,
  audioFormats,
  type ByteOverwrite,
  createAudioFile,
  createAudioStream,
  createEncoder,
  encodeAudio,
  encodeWav as encodeCheckedWav,
  formatOfPath,
} from '../../../src/audio/encode/format.ts';
import { encodePcm, encodeWav } from '../../../src/audio/encode/wav-encode.ts';
import { errorOf, expectErrorWith } from '../../support/errors.ts';
import { rounds } from '../../support/rounds.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { freshFolder } from '../../support/test-folder.ts';
import { frequencyOf, tone } from '../tone.ts';

/** Samples per frame of a codec, at the file's sample rate. */
const frameSamples = { wav: 0, flac: 0, pcm: 0, mp3: 1_152, opus: 960, ogg: 960, aac: 1_024 };
/** Encoder delay of AAC, which ADTS can't declare. */
const priming = { aac: 1_024 } as Readonly<Partial<Record<AudioFormatName, number>>>;
/** Output sample rates of VoxCPM-0.5B, 1.5 and 2. */
const modelRates = [16_000, 44_100, 48_000] as const;
const compressed = audioFormatNames.filter((name) => name !== 'pcm');

interface Encoded {
  readonly streamed: Buffer;
  readonly patched: Buffer;
  /** Total bytes after each piece. */
  readonly progress: readonly number[];
}

async function encode(format: AudioFormatName, sampleRate: number, pieces: readonly Float32Array[]): Promise<Encoded> {
  const parts: Uint8Array[] = [];
  const progress: number[] = [];
  const encoder = await createEncoder({ format, sampleRate }, async (bytes) => void parts.push(bytes.slice()));
  for (const piece of pieces) {
    await encoder.write(piece);
    progress.push(parts.reduce((sum, part) => sum + part.length, 0));
  }
  const patches = await encoder.finish();
  const streamed = Buffer.concat(parts);
  return { streamed, patched: applyPatches(streamed, patches), progress };
}

function applyPatches(bytes: Buffer, patches: readonly ByteOverwrite[]): Buffer {
  const patched = Buffer.from(bytes);
  for (const { position, bytes: replacement } of patches) {
    expect(position + replacement.length).toBeLessThanOrEqual(bytes.length);
    patched.set(replacement, position);
  }
  return patched;
}

/** Pieces of 0.16 s, like the engine's. */
const cut = (samples: Float32Array, sampleRate: number): readonly Float32Array[] => {
  const length = Math.round(sampleRate * 0.16);
  return Array.from({ length: Math.ceil(samples.length / length) }, (_, index) =>
    samples.subarray(index * length, (index + 1) * length),
  );
};

/** Avoids printing a failed comparison of many values, which takes minutes. */
const sameSamples = (left: Float32Array, right: Float32Array): boolean =>
  Buffer.from(left.buffer).equals(Buffer.from(right.buffer));

describe.each(modelRates)('formats at %d Hz', (sampleRate) => {
  const samples = tone(220, 1.2345, sampleRate);

  it.each(compressed)('%s keeps its sample rate, and its duration within one frame', async (format) => {
    const { streamed, patched } = await encode(format, sampleRate, cut(samples, sampleRate));
    const { sampleRate: storedRate } = { sampleRate, ...audioFormats[format] };
    for (const bytes of [patched, streamed]) {
      const decoded = await decodeAudio(bytes);
      expect(decoded.sampleRate).toBe(storedRate);
      const expected = (samples.length * storedRate) / sampleRate + (priming[format] ?? 0);
      // An MP3 stream can't declare its end at the start, but the first frame is still cut.
      const delay = format === 'mp3' && bytes === streamed ? 1_105 : 0;
      expect(Math.abs(decoded.samples.length - delay - expected)).toBeLessThanOrEqual(frameSamples[format] + 1);
      expect(frequencyOf(decoded.samples, storedRate)).toBeCloseTo(220, 0);
    }
  });

  it('opus keeps its exact duration, whatever the length of the last page', async () => {
    // Resampling comes before the pages, which are the same at every rate.
    const isAll = sampleRate === 48_000;
    for (const packets of isAll ? rounds([1, 5, 6], [1, 3, 5, 6, 20, 21]) : [6]) {
      for (const rest of isAll ? [0, 100, 700] : [700]) {
        const length = Math.round(((packets * 960 + rest) * sampleRate) / 48_000);
        const { streamed } = await encode('opus', sampleRate, [tone(220, length / sampleRate, sampleRate)]);
        const expected = (length * 48_000) / sampleRate;
        expect(Math.abs((await decodeAudio(streamed)).samples.length - expected)).toBeLessThanOrEqual(1);
      }
    }
  });

  it.each(['wav', 'flac'] as const)('%s preserves 16-bit samples', async (format) => {
    const noise = Float32Array.from(samples, (sample, index) => sample + Math.sin(index * index) / 2.1);
    const { patched, streamed } = await encode(format, sampleRate, cut(noise, sampleRate));
    const { samples: expected } = await decodeAudio(encodeWav(noise, sampleRate));
    expect(sameSamples((await decodeAudio(patched)).samples, expected)).toBe(true);
    expect(sameSamples((await decodeAudio(streamed)).samples, expected)).toBe(true);
  });
});

describe.each(audioFormatNames)('%s', (format) => {
  const sampleRate = 48_000;
  const samples = tone(220, 0.5, sampleRate);

  it('returns the same bytes for any piece boundaries', async () => {
    const whole = await encode(format, sampleRate, [samples]);
    const again = await encode(format, sampleRate, cut(samples, sampleRate));
    const pieces = [samples.subarray(0, 1), samples.subarray(1, 7_001), samples.subarray(7_001)];
    const ragged = await encode(format, sampleRate, pieces);
    expect(again.patched.equals(whole.patched)).toBe(true);
    expect(ragged.patched.equals(whole.patched)).toBe(true);
    expect(again.streamed.equals(whole.streamed)).toBe(true);
  });

  it('returns bytes long before the end', async () => {
    const { progress, streamed } = await encode(format, sampleRate, cut(samples, sampleRate));
    expect(progress[Math.floor(progress.length / 2)]).toBeGreaterThan(streamed.length / 20);
  });

  it('is a valid file without samples', async () => {
    const { patched } = await encode(format, sampleRate, []);
    if (format === 'pcm') expect(patched).toHaveLength(0);
    else expect(patched.length).toBeGreaterThan(20);
  });

  it('can be closed early and repeatedly', async () => {
    const encoder = await createEncoder({ format, sampleRate }, async () => undefined);
    await encoder.write(samples.subarray(0, 5_000));
    await encoder.close();
    await encoder.close();
  });

  it('passes on errors of the byte consumer', async () => {
    const encoder = await createEncoder({ format, sampleRate }, () => Promise.reject(new Error('no more')));
    const writing = (async () => {
      for (const piece of cut(samples, sampleRate)) await encoder.write(piece);
      await encoder.finish();
    })();
    await expect(writing).rejects.toThrow('no more');
    await encoder.close();
  });
});

describe('raw PCM', () => {
  it('is 16-bit little-endian', async () => {
    const { patched } = await encode('pcm', 16_000, [Float32Array.of(0, 0.5, -1, 2)]);
    expect(patched.toString('hex')).toBe('00000040' + '0080ff7f');
    expect([...encodePcm(Float32Array.of(0.25), 'f32')]).toEqual([0, 0, 128, 62]);
  });
});

describe('MP3', () => {
  it('declares its constant bit rate, as revision 0 of the tag', async () => {
    const { patched } = await encode('mp3', 16_000, [Float32Array.of(0.5)]);
    const tag = patched.indexOf('LAME3.100');
    expect([tag, patched[tag + 9]]).toEqual([expect.any(Number), 1]);
  });
});

describe('float WAV', () => {
  it('preserves the samples', async () => {
    const parts: Uint8Array[] = [];
    const samples = Float32Array.of(0.1, -0.3, 1.5);
    const options = { format: 'wav', sampleRate: 16_000, sampleFormat: 'f32' } as const;
    const encoder = await createEncoder(options, async (bytes) => void parts.push(bytes));
    await encoder.write(samples);
    const bytes = applyPatches(Buffer.concat(parts), await encoder.finish());
    expect(await decodeAudio(bytes)).toEqual({ samples, sampleRate: 16_000, channels: 1 });
  });

  it('is the only float format', async () => {
    const options = { format: 'mp3', sampleRate: 16_000, sampleFormat: 'f32' } as const;
    const refusal = errorOf('INVALID_REQUEST', 'sample format f32 needs the format wav, not mp3');
    await expect(createEncoder(options, async () => undefined)).rejects.toEqual(refusal);
  });
});

it.each(['mp3', 'aac'] as const)('%s names its sample rates', async (format) => {
  const creation = createEncoder({ format, sampleRate: 17_000 }, async () => undefined);
  await expectErrorWith(creation, 'UNSUPPORTED_AUDIO', '17000');
});

it('determines the format of a file name', () => {
  const names = ['a.WAV', 'b/c.mp3', 'x.ogg', 'x.opus', 'x.aac', 'x.pcm', 'x.flac', 'x.m4a', 'wav'];
  expect(names.map(formatOfPath).join(' ')).toBe('wav mp3 ogg opus aac pcm flac  ');
});

describe('files and streams', () => {
  const folder = freshFolder();
  const samples = tone(220, 0.5, 16_000);

  it.each(audioFormatNames)('%s is complete or absent', async (format) => {
    const path = folder.join(`out.${format}`);
    const sink = await createAudioFile(path, { format, sampleRate: 16_000 });
    await sink.write(samples);
    expect(await readdir(folder.path)).toEqual([expect.stringMatching(/\.tmp$/)]);
    await sink.abort();
    expect(await readdir(folder.path)).toEqual([]);
    const second = await createAudioFile(path, { format, sampleRate: 16_000 });
    await second.write(samples);
    await second.finish();
    expect(await readdir(folder.path)).toEqual([`out.${format}`]);
    expect(await readFile(path)).toEqual((await encode(format, 16_000, [samples])).patched);
  });

  it.each(audioFormatNames)('%s to a stream ends with CANCELLED when its reader has closed it', async (format) => {
    const stream = new PassThrough({ highWaterMark: 1 });
    stream.once('data', () => stream.destroy());
    const sink = createAudioStream(stream, { format, sampleRate: 16_000 });
    const writing = (async () => {
      for (let count = 0; count < 200; count += 1) await sink.write(samples);
      await sink.finish();
    })();
    await expect(writing).rejects.toMatchObject({ code: 'CANCELLED' });
    await sink.abort();
  });
});

describe('encodeAudio', () => {
  const folder = freshFolder();

  it.each(audioFormatNames)('gives the bytes of a %s file', async (format) => {
    const path = folder.join(`tone${audioFormats[format].extension}`);
    const samples = tone(220, 0.4, 48_000);
    const file = await createAudioFile(path, { format, sampleRate: 48_000 });
    await file.write(samples);
    await file.finish();
    expect(await encodeAudio(samples, { format, sampleRate: 48_000 })).toEqual(new Uint8Array(await readFile(path)));
  });

  it('says in the first frame of an MP3 file how long the file is', async () => {
    const file = Buffer.from(await encodeAudio(tone(220, 0.4, 48_000), { format: 'mp3', sampleRate: 48_000 }));
    const info = file.indexOf('Info');
    // After the flags of the fields and the number of frames.
    expect(file.readUInt32BE(info + 12)).toBe(file.length);
  });

  it('takes a sample format, and refuses one that the format lacks', async () => {
    const samples = tone(220, 0.1, 16_000);
    const float = { format: 'wav', sampleRate: 16_000, sampleFormat: 'f32' } as const;
    expect(await encodeAudio(samples, float)).toEqual(encodeWav(samples, 16_000, 'f32'));
    await expect(encodeAudio(samples, { ...float, format: 'mp3' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });
});

describe('values from callers without types', () => {
  const samples = new Float32Array(10);
  const wrong = (value: unknown) => value as never;
  const formats = audioFormatNames.join(', ');
  const unknown = `format must be one of ${formats}, got "mp4"; did you mean "mp3"?`;
  const wav = { format: 'wav', sampleRate: 16_000 } as const;
  it.each<[string, string, () => unknown]>([
    ['a format', unknown, () => encodeAudio(samples, wrong({ format: 'mp4' }))],
    ['no options', 'the encoder options must be an object, got nothing', () => encodeAudio(samples, wrong(undefined))],
    ['no rate', 'sampleRate is required', () => encodeAudio(samples, wrong({ format: 'wav' }))],
    ['text as samples', 'samples must be a Float32Array, got "x"', () => encodeAudio(wrong('x'), wav)],
    ['no rate of a WAV file', 'sampleRate is required', async () => encodeCheckedWav(samples, wrong(undefined))],
    ['an encoder', unknown, () => createEncoder(wrong({ format: 'mp4' }), async () => {})],
    ['no function', 'write must be a function, got nothing', () => createEncoder(wav, wrong(undefined))],
    ['no path', 'path must be a file name, got nothing', () => createAudioFile(wrong(undefined), wrong(undefined))],
    ['no bytes', 'bytes must be a Uint8Array, got "x"', () => decodeAudio(wrong('x'))],
    ['no path to read', 'path must be a file name, got nothing', () => readAudioFile(wrong(undefined))],
  ])('%s: %s', async (_, message, call) => {
    await expect(call()).rejects.toMatchObject({ name: 'SvcError', code: 'INVALID_REQUEST', message });
  });

  it.each([undefined, { format: 'mp4', sampleRate: 16_000 }])('leave no file with the options %j', async (options) => {
    await using folder = await temporaryFolder();
    const creation = createAudioFile(folder.join('x.mp4'), wrong(options));
    await expect(creation).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect(await readdir(folder.path)).toEqual([]);
  });
});
