import { describe, expect, it } from '@jest/globals';
import type { Audio } from '../../../src/audio/audio.ts';
import { decodeCaf } from '../../../src/audio/decode/caf.ts';
import { limitsFor } from '../../../src/audio/decode/decode-limits.ts';
import { errorWith } from '../../support/errors.ts';

interface File {
  readonly rate?: number;
  readonly codec?: string;
  readonly flags?: number;
  readonly bytesPerPacket?: number;
  readonly channels?: number;
  readonly bits?: number;
  readonly data?: Buffer;
  /** Stated size of the data. */
  readonly size?: bigint;
}

function chunk(type: string, content: Buffer, size = BigInt(content.length)): Buffer {
  const header = Buffer.alloc(12);
  header.write(type, 'latin1');
  header.writeBigInt64BE(size, 4);
  return Buffer.concat([header, content]);
}

function file(description: File): Buffer {
  const { rate = 44_100, codec = 'lpcm', flags = 0, bytesPerPacket = 2, channels = 1, bits = 16, size } = description;
  const about = Buffer.alloc(32);
  about.writeDoubleBE(rate, 0);
  about.write(codec, 8, 'latin1');
  for (const [index, value] of [flags, bytesPerPacket, 1, channels, bits].entries()) {
    about.writeUInt32BE(value, 12 + index * 4);
  }
  const { data = Buffer.of(0x40, 0, 0xc0, 0) } = description;
  return Buffer.concat([
    Buffer.from('caff\0\x01\0\0'),
    chunk('desc', about),
    chunk('free', Buffer.alloc(5)),
    chunk('data', Buffer.concat([Buffer.alloc(4), data]), size),
  ]);
}

const decode = (bytes: Buffer): Audio => decodeCaf(bytes, limitsFor());

describe('decodeCaf', () => {
  it.each([
    ['16 bits', {}],
    ['8 bits', { bits: 8, bytesPerPacket: 1, data: Buffer.of(0x40, 0xc0) }],
    ['20 high bits of 32', { bits: 20, bytesPerPacket: 4, data: Buffer.from('40000000c0000000', 'hex') }],
    ['24 bits, little-endian', { bits: 24, bytesPerPacket: 3, flags: 2, data: Buffer.of(0, 0, 0x40, 0, 0, 0xc0) }],
    ['float', { bits: 32, bytesPerPacket: 4, flags: 1, data: Buffer.from('3f000000bf000000', 'hex') }],
    [
      'double, little-endian',
      { bits: 64, bytesPerPacket: 8, flags: 3, data: Buffer.from('000000000000e03f000000000000e0bf', 'hex') },
    ],
    ['a size of -1, as from a recorder', { size: -1n }],
    ['a size that is too large', { size: 2n ** 62n }],
    ['a negative size', { size: -(2n ** 62n) }],
  ])('reads %s', (_name, description: File) => {
    const { samples, sampleRate } = decode(file(description));
    expect([sampleRate, [...samples]]).toEqual([44_100, [0.5, -0.5]]);
  });

  it('averages channels', () => {
    const stereo = decode(file({ channels: 2, bytesPerPacket: 4, data: Buffer.of(0x40, 0, 0xe0, 0) }));
    expect(stereo).toMatchObject({ channels: 2, samples: Float32Array.of(0.125) });
  });

  it.each([
    ['no channels', { channels: 0 }, 'has 0 channels; 1 to 256 are supported'],
    ['four billion channels', { channels: 0xffffffff }, 'has 4294967295 channels; 1 to 256 are supported'],
    ['a rate of 1e300', { rate: 1e300 }, 'has an unsupported sample rate of 1e+300 Hz'],
    ['a rate that is no number', { rate: Number.NaN }, 'has an unsupported sample rate of NaN Hz'],
    ['packets of 4 GB', { bytesPerPacket: 0xffffffff }, 'has unsupported 34359738360-bit PCM samples'],
    ['no samples', { data: Buffer.alloc(0) }, 'contains no samples'],
    ['no room for the edits', { size: 2n }, 'contains no samples'],
    ['AAC', { codec: 'aac ' }, 'has the unsupported codec "aac"; only PCM, float, A-law and µ-law are supported'],
  ])('refuses %s', (_name, description, message) => {
    expect(() => decode(file(description))).toThrow(errorWith('UNSUPPORTED_AUDIO', `the CAF file ${message}`));
  });

  it('refuses NaN samples, and data without a description', () => {
    const nan = { bits: 32, bytesPerPacket: 4, flags: 1, data: Buffer.from('7fc00000', 'hex') };
    expect(() => decode(file(nan))).toThrow('the CAF file contains infinite or NaN samples');
    const whole = file({});
    const undescribed = Buffer.concat([whole.subarray(0, 8), whole.subarray(8 + 12 + 32)]);
    expect(() => decode(undescribed)).toThrow('the CAF file does not describe its audio');
  });

  it('refuses or reads every truncation', () => {
    const whole = file({});
    for (let end = 8; end < whole.length; end += 1) {
      try {
        expect(decode(whole.subarray(0, end)).samples).toHaveLength(1);
      } catch (error) {
        expect(error).toMatchObject({ code: 'UNSUPPORTED_AUDIO' });
      }
    }
  });
});
