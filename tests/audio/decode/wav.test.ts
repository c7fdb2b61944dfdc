import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readAudioFile } from '../../../src/audio/decode/read-audio.ts';
import { decodeWav } from '../../../src/audio/decode/wav.ts';
import { errorWith, expectErrorWith } from '../../support/errors.ts';
import { sharedFolder } from '../../support/test-folder.ts';
import { countedCopy, growthOf, workOf } from '../../support/work.ts';
import { cases } from '../cases.ts';
import { format, type Layout, riff, wav } from './write-wav.ts';

const counted = await countedCopy<typeof import('../../../src/audio/decode/wav.ts')>('src/audio/decode/wav.ts');

const fixtures = join(import.meta.dirname, '../../fixtures');

/** WAVE_FORMAT_EXTENSIBLE of a sub-format. */
const extensible = (subFormat: number, layout: Layout = {}): Uint8Array => {
  const extension = Buffer.alloc(24);
  extension.writeUInt16LE(22, 0);
  extension.writeUInt16LE(layout.bits ?? 16, 2);
  extension.writeUInt16LE(subFormat, 8);
  Buffer.from('000000001000800000aa00389b71', 'hex').copy(extension, 10);
  return Buffer.concat([format({ ...layout, tag: 0xfffe }), extension]);
};

const pcm16 = (...values: readonly number[]): Uint8Array => new Uint8Array(Int16Array.from(values).buffer);
const samplesOf = (bytes: Uint8Array): number[] => [...decodeWav(bytes).samples];
const refusal = (message: string) => errorWith('UNSUPPORTED_AUDIO', message);

describe('decodeWav', () => {
  it.each([
    ['8', [0, 64, 128, 255], [-1, -0.5, 0, 127 / 128]],
    ['16', [-32_768, -1, 0, 32_767], [-1, -1 / 32_768, 0, 32_767 / 32_768]],
    ['24', [-8_388_608, -1, 0, 8_388_607], [-1, -1 / 8_388_608, 0, 8_388_607 / 8_388_608]],
    ['32', [-2_147_483_648, 0, 1_073_741_824], [-1, 0, 0.5]],
    ['32f', [-1, 0.25, 1.5], [-1, 0.25, 1.5]],
    ['64', [-1, 0.1, 1.5], [-1, Math.fround(0.1), 1.5]],
    ['8a', [0x55, 0xd5, 0x2a, 0xaa], [-8 / 32_768, 8 / 32_768, -32_256 / 32_768, 32_256 / 32_768]],
    ['8m', [0x00, 0x80, 0xff], [-32_124 / 32_768, 32_124 / 32_768, 0]],
  ] as const)('scales %s samples to full scale 1', (depth, stored, expected) => {
    const audio = decodeWav(wav(depth, [stored]));
    expect([...audio.samples]).toEqual(expected);
    expect(audio).toMatchObject({ sampleRate: 24_000, channels: 1 });
  });

  it('mixes channels by their mean', () => {
    const [left, right, middle] = ['16384 0', '-16384 16384', '32767 32'].map((pair) => pair.split(' ').map(Number));
    const audio = decodeWav(wav('16', [left ?? [], right ?? [], middle ?? []]));
    expect(audio.channels).toBe(3);
    expect([...audio.samples]).toEqual([32_767 / 3 / 32_768, 16_416 / 3 / 32_768].map(Math.fround));
  });

  it('gives the same samples for any number of blocks', () => {
    const values = Array.from({ length: 150_001 }, (_, index) => ((index * 7_919) % 65_536) - 32_768);
    const actual = decodeWav(wav('16', [values, values])).samples;
    expect(actual).toEqual(Float32Array.from(values, (value) => value / 32_768));
  });

  it('decodes the recordings of the fixtures', async () => {
    const audio = decodeWav(await readFile(join(fixtures, 'tiny-v1/prompt_b.wav')));
    expect(audio).toMatchObject({ sampleRate: 24_000, channels: 2 });
    expect(audio.samples).toHaveLength(14_400);
  });

  it.each([
    [1, 16, pcm16(16_384, -16_384), [0.5, -0.5]],
    [3, 32, new Uint8Array(Float32Array.of(0.5, -0.25).buffer), [0.5, -0.25]],
    [7, 8, Uint8Array.of(0xff), [0]],
  ])('reads the extensible form of format %d', (tag, bits, data, expected) => {
    expect(samplesOf(riff(['fmt ', extensible(tag, { bits })], ['data', data]))).toEqual(expected);
  });

  it('reads 20 bits in three bytes and 24 bits in four by their high bits', () => {
    expect(samplesOf(riff(['fmt ', format({ bits: 20 })], ['data', Uint8Array.of(0, 0, 0x40)]))).toEqual([0.5]);
    const wide = format({ bits: 24, container: 4 });
    expect(samplesOf(riff(['fmt ', wide], ['data', Uint8Array.of(0, 0, 0, 0xc0)]))).toEqual([-0.5]);
  });

  it('skips other chunks, of odd size too, padded or not', () => {
    const data = ['data', pcm16(8_192)] as const;
    const odd = ['LIST', Uint8Array.of(1, 2, 3)] as const;
    expect(samplesOf(riff(['JUNK', new Uint8Array(28)], odd, ['fmt ', format()], odd, data, odd))).toEqual([0.25]);
    const unpadded = Buffer.concat([riff(['fmt ', format()]), Buffer.from('note\x03\0\0\0abc', 'latin1')]);
    expect(samplesOf(Buffer.concat([unpadded, riff(data).subarray(12)]))).toEqual([0.25]);
  });

  it('finds the format behind the data', () => {
    expect(samplesOf(riff(['data', pcm16(8_192)], ['fmt ', format()]))).toEqual([0.25]);
  });

  it.each([0, 0xffffffff, 0x7fffffff, 6])('takes what is there when the data size is %d', (size) => {
    expect(samplesOf(riff(['fmt ', format()], ['data', pcm16(8_192, -8_192), size]))).toEqual([0.25, -0.25]);
  });

  it('believes a data size of 0 when chunks follow', () => {
    const empty = riff(['fmt ', format()], ['data', pcm16()], ['LIST', pcm16(1, 2, 3)]);
    expect(() => decodeWav(empty)).toThrow(refusal('the WAV file contains no samples'));
  });

  it('reads an RF64 file by its 64-bit size', () => {
    const sizes = new Uint8Array(28);
    sizes[8] = 2;
    const file = riff(['ds64', sizes], ['fmt ', format()], ['data', pcm16(8_192), 0xffffffff], ['LIST', pcm16(1, 2)]);
    file.set(Buffer.from('RF64'));
    expect(samplesOf(file)).toEqual([0.25]);
  });

  it('drops a frame that is cut off', () => {
    const file = riff(['fmt ', format({ channels: 2 })], ['data', pcm16(8_192, 8_192, 1, 1)]);
    expect(samplesOf(file.subarray(0, -1))).toEqual([0.25]);
  });

  it('reads a view into a larger buffer', () => {
    const file = riff(['fmt ', format()], ['data', pcm16(8_192)]);
    const larger = Buffer.concat([Buffer.from('abc'), file, Buffer.from('RIFF')]);
    expect(samplesOf(larger.subarray(3, 3 + file.length))).toEqual([0.25]);
  });

  it.each(cases('no WAV'))('names what $given is', ({ given, expected }) => {
    expect(() => decodeWav(Buffer.from(given, 'latin1'))).toThrow(refusal(expected));
  });

  it.each([
    [format({ channels: 0 }), 'the WAV file has 0 channels; 1 to 256 are supported'],
    [format({ channels: 65_535 }), 'the WAV file has 65535 channels; 1 to 256 are supported'],
    [format({ rate: 0 }), 'the WAV file has an unsupported sample rate of 0 Hz'],
    [format({ rate: 0xffffffff }), 'the WAV file has an unsupported sample rate of 4294967295 Hz'],
    [format({ bits: 0, container: 0 }), 'the WAV file has unsupported 0-bit PCM samples'],
    [format({ bits: 64 }), 'the WAV file has unsupported 64-bit PCM samples'],
    [format({ tag: 3, bits: 16 }), 'the WAV file has unsupported 16-bit float samples'],
    [format({ tag: 2, bits: 4 }), 'the WAV file has the unsupported format 0x0002; use PCM, float, A-law or µ-law'],
    [format({ tag: 0xfffe }), 'the WAV file has the unsupported format 0xfffe; use PCM, float, A-law or µ-law'],
    [new Uint8Array(14), 'the WAV file has a broken format chunk'],
  ])('refuses format %#', (chunk, message) => {
    expect(() => decodeWav(riff(['fmt ', chunk], ['data', pcm16(1, 2, 3, 4)]))).toThrow(refusal(message));
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1e39])('refuses a sample of %d', (value) => {
    expect(() => decodeWav(wav('64', [[0, value]]))).toThrow(refusal('the WAV file contains infinite or NaN samples'));
  });

  it('is done at once with headers that promise too much', async () => {
    const cue = Buffer.alloc(28, 0xff);
    const file = riff(['cue ', cue], ['LIST', cue, 0], ['fmt ', format()], ['data', pcm16(8_192), 0xfffffff0]);
    const honest = riff(['fmt ', format()], ['data', pcm16(8_192)]);
    const work = await workOf(() => expect(() => counted.decodeWav(file)).not.toThrow(RangeError));
    expect(work).toBeLessThan(20 * (await workOf(() => counted.decodeWav(honest))));
    const decode = (count: number): void => {
      const manyChunks = riff(['fmt ', format()], ['data', new Uint8Array(2 * count), 0]);
      expect(counted.decodeWav(manyChunks).samples).toHaveLength(count);
    };
    expect(await growthOf(decode, 5_000, 20_000)).toBeLessThan(4.3);
  });

  it('ends on bytes at random in an accepted or a refused file', () => {
    const file = riff(['LIST', new Uint8Array(5)], ['fmt ', extensible(1)], ['data', pcm16(1, 2, 3, 4, 5, 6)]);
    let state = 1;
    for (let round = 0; round < 3_000; round += 1) {
      const broken = Uint8Array.from(file);
      for (let change = 0; change < 3; change += 1) {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        broken[state % broken.length] = state >>> 24;
      }
      try {
        decodeWav(broken.subarray(0, state % 3 === 0 ? state % broken.length : broken.length));
      } catch (error) {
        expect(error).toMatchObject({ code: 'UNSUPPORTED_AUDIO' });
      }
    }
  });
});

describe('readAudioFile', () => {
  const folder = sharedFolder();

  it('reads a file', async () => {
    const path = join(folder, 'ä b.wav');
    await writeFile(path, wav('16', [[16_384]], 16_000));
    expect(await readAudioFile(path)).toEqual({ samples: Float32Array.of(0.5), sampleRate: 16_000, channels: 1 });
  });

  it('says what is wrong with a path, in one line', async () => {
    const missing = join(folder, 'missing.wav');
    const text = join(folder, 'text.wav');
    await writeFile(text, '.snd');
    await mkdir(join(folder, 'folder.wav'));
    const cases = [
      [missing, 'INVALID_REQUEST', ': no such file'],
      [join(text, 'below.wav'), 'INVALID_REQUEST', ': no such file'],
      [join(folder, 'folder.wav'), 'INVALID_REQUEST', ': it is a folder'],
      ['/dev/zero', 'INVALID_REQUEST', ': it is a device'],
      [text, 'UNSUPPORTED_AUDIO', `${text}: unsupported audio format: AU file (supported: `],
    ] as const;
    for (const [path, code, message] of cases) {
      await expectErrorWith(readAudioFile(path), code, message);
      await expectErrorWith(readAudioFile(path), code, path);
      await expect(readAudioFile(path)).rejects.toThrow(/^[^\n]*$/);
    }
  });
});
