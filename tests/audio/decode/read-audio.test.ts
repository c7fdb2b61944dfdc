import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { limitsFor } from '../../../src/audio/decode/decode-limits.ts';
import { createMonoCollector } from '../../../src/audio/decode/mono-collector.ts';
import { decodeAudio, readAudioFile } from '../../../src/audio/decode/read-audio.ts';
import { encodeAudio } from '../../../src/audio/encode/format.ts';
import { concatenate } from '../../../src/float-arrays.ts';
import { errorOf, expectErrorWith } from '../../support/errors.ts';
import { rounds } from '../../support/rounds.ts';
import { cases } from '../cases.ts';
import { frequencyOf, peakOf, tone } from '../tone.ts';
import { wav } from './write-wav.ts';

const fixtures = join(import.meta.dirname, '../../fixtures/audio');
const fixture = (name: string): string => join(fixtures, name);

describe('files of other encoders', () => {
  // Duration: 0.6 s, plus padding that AAC can't declare.
  it.each(cases('file'))('$case', async ({ case: name, given, expected }) => {
    const [sampleRate, surplus, seconds] = [Number(given), Number(expected), 0.6];
    const audio = await readAudioFile(fixture(name));
    expect(audio.sampleRate).toBe(sampleRate);
    expect(audio.samples.length).toBeGreaterThanOrEqual(seconds * sampleRate);
    expect(audio.samples.length).toBeLessThanOrEqual(seconds * sampleRate + surplus);
    expect(Math.abs(frequencyOf(audio.samples, sampleRate) / 220 - 1)).toBeLessThan(0.005);
    // Mean of both channels; lossy codecs overshoot.
    expect(peakOf(audio.samples)).toBeGreaterThan(0.33);
    expect(peakOf(audio.samples)).toBeLessThan(0.56);
    // The tone begins after 0.1 s: the encoder delay is cut, except for ADTS and this Matroska, which don't declare it.
    const onset = audio.samples.findIndex((sample) => Math.abs(sample) > 0.1) / sampleRate;
    expect(Math.abs(onset - 0.115 - (/\.(?:aac|mka)$/.test(name) ? 1_024 / sampleRate : 0))).toBeLessThan(0.01);
  });

  it.each([
    // 24 bits in FLAC, 16 bits in Ogg.
    ['stereo-24-bit.flac', 2 ** -22],
    ['stereo-flac.ogg', 2 ** -15],
    ['stereo-24-bit.aiff', 2 ** -22],
    ['stereo-sowt.aifc', 2 ** -15],
    ['stereo-float.aifc', 2 ** -22],
    ['stereo-ulaw.aifc', 0.02],
    ['stereo-24-bit.caf', 2 ** -22],
    ['stereo-float.caf', 2 ** -22],
    ['stereo-alaw.caf', 0.02],
  ])('%s is within %d of the tone', async (name, tolerance) => {
    const { samples, sampleRate, channels } = await readAudioFile(fixture(name));
    expect([sampleRate, channels, samples.length]).toEqual([44_100, 2, 4_410]);
    const worst = samples.reduce((most, sample, index) => {
      const level = 0.375 * Math.min(1, index / sampleRate / 0.05);
      return Math.max(most, Math.abs(sample - level * Math.sin(2 * Math.PI * 220 * (index / sampleRate + 0.1))));
    }, 0);
    expect(worst).toBeLessThan(tolerance);
  });

  it("reads what Chromium's MediaRecorder writes", async () => {
    const { samples, sampleRate } = await readAudioFile(fixture('mediarecorder.webm'));
    expect(sampleRate).toBe(48_000);
    expect(Math.abs(samples.length / sampleRate - 0.78)).toBeLessThan(0.01);
    expect(Math.abs(frequencyOf(samples, sampleRate) / 220 - 1)).toBeLessThan(0.005);
    expect(Math.abs(peakOf(samples) - 0.375)).toBeLessThan(0.02);
  });

  it.each(cases('refused file'))('$case is refused in one line', async ({ case: name, expected }) => {
    const path = fixture(name);
    await expectErrorWith(readAudioFile(path), 'UNSUPPORTED_AUDIO', expected);
    await expect(readAudioFile(path)).rejects.toThrow(new RegExp(`^${path}: [^\\n]*$`));
  });
});

const compressed = ['stereo-24-bit.flac', 'stereo.mp3', 'stereo.opus', 'stereo-vorbis.ogg', 'stereo.m4a', 'stereo.aac'];
const others = ['stereo.webm', 'stereo-vorbis.webm', 'mediarecorder.webm', 'stereo-sowt.aifc', 'stereo-float.caf'];

describe.each([...compressed, ...others])('%s, damaged', (name) => {
  const count = rounds(6, 12);
  const outcome = async (bytes: Uint8Array): Promise<string> => {
    try {
      const { samples, sampleRate } = await decodeAudio(bytes);
      expect(samples.every(Number.isFinite)).toBe(true);
      return samples.length / sampleRate < 1 ? 'audio' : `${samples.length / sampleRate} seconds`;
    } catch (error) {
      expect(error).toMatchObject({ code: 'UNSUPPORTED_AUDIO', message: expect.not.stringContaining('\n') });
      return 'refused';
    }
  };

  it('returns the audio so far, or one line, if it is truncated', async () => {
    const bytes = await readFile(fixture(name));
    for (let end = 1; end < bytes.length; end += Math.ceil(bytes.length / count)) {
      expect(['audio', 'refused']).toContain(await outcome(bytes.subarray(0, end)));
    }
  });

  it('returns audio or one line if bytes are changed', async () => {
    const bytes = await readFile(fixture(name));
    for (let seed = 1; seed <= count; seed += 1) {
      const changed = Uint8Array.from(bytes);
      for (let count = 0; count < 8; count += 1) {
        // Arbitrary but reproducible positions.
        const position = (seed * 7_919 + count * 104_729 * seed) % bytes.length;
        changed[position] = (changed[position] as number) ^ (1 + ((seed * 31 + count) % 255));
      }
      expect(await outcome(changed)).not.toBe('');
    }
  });
});

describe('a file behind other bytes', () => {
  /** An ID3v2.4 tag with 300 bytes of padding. */
  const tag = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\x02\x2c', 'latin1'), Buffer.alloc(300)]);
  const garbage = Buffer.from(Array.from({ length: 1_500 }, (_, index) => (index * 7_919) % 251));

  it.each(['stereo.aac', 'mono-16-khz.aiff', 'mono-16-khz.caf', 'stereo.m4a', 'stereo.opus', 'stereo.mp3'])(
    'is read behind tags (%s)',
    async (name) => {
      const bytes = await readFile(fixture(name));
      expect(await decodeAudio(Buffer.concat([tag, tag, bytes]))).toEqual(await decodeAudio(bytes));
    },
  );

  it.each(['stereo.mp3', 'mono-16-khz.mp3'])('is read behind zeros and garbage (%s)', async (name) => {
    const bytes = await readFile(fixture(name));
    const audio = await decodeAudio(bytes);
    for (const front of [Buffer.alloc(1), Buffer.alloc(5_000), garbage, Buffer.concat([tag, garbage])])
      expect(await decodeAudio(Buffer.concat([front, bytes]))).toEqual(audio);
  });

  it('of FLAC is read up to the tag behind it', async () => {
    const bytes = await readFile(fixture('stereo-24-bit.flac'));
    const last = Buffer.concat([Buffer.from('TAGTitle'), Buffer.alloc(120)]);
    const audio = await decodeAudio(bytes);
    for (const front of [[], [tag], [last, tag]])
      expect(await decodeAudio(Buffer.concat([...front, bytes, last]))).toEqual(audio);
    expect(await decodeAudio(Buffer.concat([last, bytes]))).toEqual(audio);
  });

  it('is not looked for far away, nor taken for two bytes alone', async () => {
    const bytes = await readFile(fixture('mono-16-khz.mp3'));
    const two = Buffer.concat([Buffer.alloc(5), bytes.subarray(0, 300), Buffer.alloc(70_000)]);
    for (const front of [Buffer.alloc(70_000), two])
      await expect(decodeAudio(Buffer.concat([front, bytes]))).rejects.toMatchObject({ code: 'UNSUPPORTED_AUDIO' });
  });
});

describe('stereo in opposite phase', () => {
  const sampleRate = 16_000;
  const channel = tone(220, 0.5, sampleRate);

  const stereo = (left: Float32Array, right: Float32Array) => wav('32f', [left, right], sampleRate);
  const opposite = channel.map((value) => -value);

  it('is heard, as one of its channels', async () => {
    expect((await decodeAudio(stereo(channel, opposite))).samples).toEqual(channel);
  });

  it('is averaged as soon as the channels differ otherwise', async () => {
    const right = channel.map((value, index) => (index < channel.length / 2 ? -value : value));
    const { samples } = await decodeAudio(stereo(channel, right));
    expect(samples).toEqual(channel.map((value, index) => (value + (right[index] as number)) / 2));
  });

  it('is heard in compressed files too', () => {
    const collector = createMonoCollector('FLAC file', limitsFor());
    const silence = new Float32Array(100);
    collector.add([silence, silence], sampleRate);
    collector.add([channel, opposite], sampleRate);
    expect(collector.finish().samples).toEqual(concatenate([silence, channel]));
    const other = createMonoCollector('FLAC file', limitsFor());
    other.add([channel, opposite], sampleRate);
    other.add([channel, channel], sampleRate);
    expect(other.finish().samples).toEqual(concatenate([channel.map(() => 0), channel]));
  });
});

describe('decodeAudio', () => {
  it.each([
    ['nothing', new Uint8Array(0), 'unsupported audio format: empty file'],
    ['MP3 without frames', Buffer.from(`ID3${'x'.repeat(5_000)}`), 'the MP3 file is damaged'],
    ['FLAC without a description', Buffer.from(`fLaC${'x'.repeat(5_000)}`), 'the FLAC file is damaged'],
    ['Ogg of something else', Buffer.from(`OggS${'x'.repeat(5_000)}`), 'the OGG file has an unsupported codec'],
    ['other WebM', Buffer.from(`\x1aE\xdf\xa3${'x'.repeat(5_000)}`, 'latin1'), 'the WebM or Matroska file is damaged'],
    ['AIFF without sound', Buffer.from(`FORM\0\0\0\0AIFF${'\0'.repeat(100)}`), 'the AIFF file has no COMM chunk'],
    ['CAF without audio', Buffer.from(`caff\0\x01\0\0${'\0'.repeat(100)}`), 'the CAF file has no audio'],
    ['MP4 without tracks', Buffer.from(`\0\0\0\x14ftypM4A ${'\0'.repeat(100)}`, 'latin1'), 'the M4A or MP4 file '],
  ])('refuses %s', async (_name, bytes, message) => {
    await expectErrorWith(decodeAudio(bytes), 'UNSUPPORTED_AUDIO', message);
  });

  it('reads at most 15 minutes of any file', async () => {
    const bytes = await encodeAudio(new Float32Array(8_000 * (15 * 60 + 1)), { format: 'flac', sampleRate: 8_000 });
    expect(bytes.length).toBeLessThan(200_000);
    const refusal = errorOf('PAYLOAD_TOO_LARGE', 'the recording is longer than the limit of 15 minutes');
    await expect(decodeAudio(bytes)).rejects.toEqual(refusal);
  });

  it('reads our own encoders at any sample rate', async () => {
    const samples = tone(220, 0.3, 22_050);
    const decoded = await decodeAudio(await encodeAudio(samples, { format: 'flac', sampleRate: 22_050 }));
    expect(decoded).toMatchObject({ sampleRate: 22_050, channels: 1 });
    expect(decoded.samples).toHaveLength(samples.length);
  });
});

describe('pipes', () => {
  it('from the shell are read, such as <(…) and standard input', async () => {
    const path = fixture('../tiny-v1/ref.wav');
    const script = `import { readAudioFile } from './src/audio/decode/read-audio.ts';
      process.stdout.write(String((await readAudioFile(process.argv[1])).samples.length));`;
    const read = (where: string): string => {
      const line = `"$0" --import ./tests/runner/register.js --input-type=module --eval "$1" ${where}`;
      return execFileSync('bash', ['-c', line, process.execPath, script, path], { encoding: 'utf8' });
    };
    const expected = String((await readAudioFile(path)).samples.length);
    expect(read('<(cat "$2")')).toBe(expected);
    expect(read('/dev/stdin < <(cat "$2")')).toBe(expected);
  });
});
