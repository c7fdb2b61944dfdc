import { describe, expect, it } from '@jest/globals';
import type { Audio } from '../../../src/audio/audio.ts';
import { decodeAiff } from '../../../src/audio/decode/aiff.ts';
import { limitsFor } from '../../../src/audio/decode/decode-limits.ts';
import { errorWith } from '../../support/errors.ts';
import { cases } from '../cases.ts';

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
/** A description in JSON, with data in hexadecimal digits. */
const descriptionOf = (json: string): File =>
  JSON.parse(json, (key, value) => (key === 'data' ? Buffer.from(value, 'hex') : value));

describe('decodeAiff', () => {
  it.each(cases('AIFF'))('reads $case', ({ given }) => {
    expect([...decode(file(descriptionOf(given))).samples]).toEqual([0.5, -0.5]);
  });

  it('reads fractions of a Hertz and averages channels', () => {
    // 22,254.54 Hz, of the first Macintosh.
    const stereo = file({ rate: '400daddd1745d1745d17', channels: 2, data: Buffer.of(0x40, 0, 0xe0, 0) });
    const { sampleRate, channels, samples } = decode(stereo);
    expect([sampleRate, channels, [...samples]]).toEqual([22_255, 2, [0.125]]);
  });

  it.each(cases('refused AIFF'))('refuses $case', ({ given, expected }) => {
    const refusal = errorWith('UNSUPPORTED_AUDIO', `the AIFF file ${expected}`);
    expect(() => decode(file(descriptionOf(given)))).toThrow(refusal);
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
