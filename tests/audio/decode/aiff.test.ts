import { describe, expect, it } from '@jest/globals';
import type { Audio } from '../../../src/audio/audio.ts';
import { decodeAiff } from '../../../src/audio/decode/aiff.ts';
import { limitsFor } from '../../../src/audio/decode/decode-limits.ts';
import { errorWith } from '../../support/errors.ts';

interface File {
  readonly channels?: number;
  readonly bits?: number;
  /** The 80 bits of the sample rate. */
  readonly rate?: string;
  /** Makes it AIFF-C. */
  readonly compression?: string;
  readonly data?: Buffer;
  /** Stated size of the sound. */
  readonly size?: number;
  readonly offset?: number;
  readonly order?: 'common first' | 'sound first';
}

/** 44,100 Hz. */
const usualRate = '400eac44000000000000';

function chunk(id: string, content: Buffer, size = content.length): Buffer {
  const header = Buffer.alloc(8);
  header.write(id, 'latin1');
  header.writeUInt32BE(size, 4);
  return Buffer.concat([header, content, Buffer.alloc(content.length % 2)]);
}

function file({ channels = 1, bits = 16, rate = usualRate, compression, ...sound }: File): Buffer {
  const { data = Buffer.of(0x40, 0, 0xc0, 0), size, offset = 0, order = 'common first' } = sound;
  const common = Buffer.alloc(18);
  common.writeUInt16BE(channels, 0);
  common.writeUInt32BE(0xffffffff, 2);
  common.writeUInt16BE(bits, 6);
  common.write(rate, 8, 'hex');
  const start = Buffer.alloc(8);
  start.writeUInt32BE(offset);
  const coding = Buffer.from(compression === undefined ? '' : `${compression}\0\0`, 'latin1');
  const chunks = [chunk('COMM', Buffer.concat([common, coding])), chunk('SSND', Buffer.concat([start, data]), size)];
  if (order === 'sound first') chunks.reverse();
  const form = compression === undefined ? 'AIFF' : 'AIFC';
  return Buffer.concat([Buffer.from(`FORM\0\0\0\0${form}`), chunk('NAME', Buffer.from('odd')), ...chunks]);
}

const decode = (bytes: Buffer): Audio => decodeAiff(bytes, limitsFor());
const samplesOf = (description: File): number[] => [...decode(file(description)).samples];

describe('decodeAiff', () => {
  it.each([
    ['16 bits', {}],
    ['8 bits, which are signed', { bits: 8, data: Buffer.of(0x40, 0xc0) }],
    ['12 bits, in the high bits of two bytes', { bits: 12 }],
    ['24 bits', { bits: 24, data: Buffer.of(0x40, 0, 0, 0xc0, 0, 0) }],
    ['32 bits', { bits: 32, data: Buffer.of(0x40, 0, 0, 0, 0xc0, 0, 0, 0) }],
    ['little-endian', { compression: 'sowt', data: Buffer.of(0, 0x40, 0, 0xc0) }],
    ['unsigned', { compression: 'raw ', bits: 8, data: Buffer.of(0xc0, 0x40) }],
    ['float', { compression: 'fl32', data: Buffer.from('3f000000bf000000', 'hex') }],
    ['double', { compression: 'FL64', data: Buffer.from('3fe0000000000000bfe0000000000000', 'hex') }],
    ['the sound first', { order: 'sound first' }],
    ['the sound behind an offset', { offset: 2, data: Buffer.of(9, 9, 0x40, 0, 0xc0, 0) }],
    ['no size, as from a pipe', { size: 0 }],
    ['a size that is too large', { size: 0xfffffff0 }],
  ] as const)('reads %s', (_name, description) => {
    expect(samplesOf(description)).toEqual([0.5, -0.5]);
  });

  it('reads fractions of a Hertz and averages channels', () => {
    // 22,254.54 Hz, of the first Macintosh.
    const stereo = file({ rate: '400daddd1745d1745d17', channels: 2, data: Buffer.of(0x40, 0, 0xe0, 0) });
    const { sampleRate, channels, samples } = decode(stereo);
    expect([sampleRate, channels, [...samples]]).toEqual([22_255, 2, [0.125]]);
  });

  it.each([
    ['no channels', { channels: 0 }, 'has 0 channels; 1 to 256 are supported'],
    ['65,535 channels', { channels: 0xffff }, 'has 65535 channels; 1 to 256 are supported'],
    ['a rate of 0', { rate: '00000000000000000000' }, 'has an unsupported sample rate of 0 Hz'],
    ['an endless rate', { rate: '7ffeffffffffffffffff' }, 'has an unsupported sample rate of Infinity Hz'],
    ['a negative rate', { rate: 'c00eac44000000000000' }, 'has an unsupported sample rate of -44100 Hz'],
    ['64 bits', { bits: 64 }, 'has unsupported 64-bit PCM samples'],
    ['no samples', { data: Buffer.alloc(0) }, 'contains no samples'],
    ['an offset behind the end', { offset: 0xffffffff }, 'contains no samples'],
    ['a compression', { compression: 'ima4' }, 'has the unsupported compression "ima4"'],
    ['a strange compression', { compression: '\n\u0007__' }, String.raw`has the unsupported compression "\n\u0007__"`],
  ])('refuses %s', (_name, description, message) => {
    expect(() => decode(file(description))).toThrow(errorWith('UNSUPPORTED_AUDIO', `the AIFF file ${message}`));
  });

  it('refuses or reads every truncation', () => {
    const whole = file({ compression: 'NONE' });
    const outcomes = Array.from({ length: whole.length }, (_, end) => {
      try {
        return decode(whole.subarray(0, end)).samples.length;
      } catch (error) {
        expect(error).toMatchObject({ code: 'UNSUPPORTED_AUDIO' });
        return 0;
      }
    });
    expect(new Set(outcomes)).toEqual(new Set([0, 1]));
  });
});
