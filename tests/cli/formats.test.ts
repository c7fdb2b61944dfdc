import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { decodeAudio, readAudioFile } from '../../src/audio/decode/read-audio.ts';
import { audioFormatNames } from '../../src/audio/encode/format.ts';
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';
import { tone } from '../audio/tone.ts';
import { freshFolder } from '../support/test-folder.ts';
import { type Circumstances, expectEnd, invoke } from './invoke.ts';

const fixtures = join(import.meta.dirname, '../fixtures/audio');
/** 5 patches of 0.16 s. */
const speech: Circumstances = { backend: { stopAt: 4, info: { patchSamples: 2_560 } } };
/** Accepts prompts of up to 100 seconds. */
const listener: Circumstances = {
  backend: { stopAt: 4, info: { inputPatchSamples: 1_600, architecture: 'voxcpm2', contextLength: 1_000 } },
};

const folder = freshFolder();

const speak = (output: string, ...more: string[]): string[] => [
  ...['tts', '--text', 'hello', '--seed', '1', '--output', output],
  ...more,
];

describe('the audio format', () => {
  it.each(audioFormatNames)(
    '%s by the name of the file, and to standard output by --response-format',
    async (format) => {
      const path = folder.join(`out.${format}`);
      expectEnd(await invoke(speak(path), speech), 0, '');
      expect(await readdir(folder.path)).toEqual([`out.${format}`]);
      const stream = await invoke(speak('-', '--response-format', format), speech);
      expectEnd(stream, 0, '');
      // A file has its length in the header.
      const isSame = !['wav', 'flac', 'mp3'].includes(format);
      expect(stream.stdout.equals(await readFile(path))).toBe(isSame);
      if (format === 'pcm') {
        expect(stream.stdout).toHaveLength(5 * 2_560 * 2);
        return;
      }
      for (const audio of [await decodeAudio(stream.stdout), ...(isSame ? [] : [await readAudioFile(path)])]) {
        expect(audio.samples.length / audio.sampleRate).toBeGreaterThanOrEqual(0.8);
        // Two AAC frames, the longest.
        expect(audio.samples.length / audio.sampleRate).toBeLessThan(0.8 + 2_048 / 16_000);
      }
    },
  );

  it('is that of --response-format if the file name differs, with a warning', async () => {
    const path = folder.join('out.wav');
    const outcome = await invoke(speak(path, '--response-format', 'flac'), speech);
    expectEnd(outcome, 0, `svc: warning: ${path} will contain flac, because of --response-format\n`);
    expect((await readFile(path)).subarray(0, 4).toString()).toBe('fLaC');
  });

  it('needs no known extension with --response-format', async () => {
    expectEnd(await invoke(speak(folder.join('out'), '--response-format', 'ogg'), speech), 0, '');
    expect((await readFile(folder.join('out'))).subarray(0, 4).toString()).toBe('OggS');
  });

  it('can be float WAV', async () => {
    const path = folder.join('out.wav');
    expect((await invoke(speak(path, '--sample-format', 'f32'), speech)).code).toBe(0);
    // The fake backend's samples exceed 1 and are not clipped.
    expect(Math.max(...(await readAudioFile(path)).samples)).toBe(4);
  });
});

describe('--speed', () => {
  it.each([0.25, 4])('%d divides the duration', async (speed) => {
    const path = folder.join('out.wav');
    const { code, stdout } = await invoke(speak(path, '--speed', `${speed}`, '--json'), speech);
    expect(code).toBe(0);
    expect((await readAudioFile(path)).samples).toHaveLength((5 * 2_560) / speed);
    expect(JSON.parse(stdout.toString()).audioSeconds).toBeCloseTo(0.8 / speed, 3);
    const stream = await invoke(speak('-', '--speed', `${speed}`), speech);
    expect((await decodeAudio(stream.stdout)).samples).toHaveLength((5 * 2_560) / speed);
  });

  it('1 changes nothing', async () => {
    const [plain, same] = [folder.join('plain.wav'), folder.join('same.wav')];
    await invoke(speak(plain), speech);
    await invoke(speak(same, '--speed', '1'), speech);
    expect(await readFile(same)).toEqual(await readFile(plain));
  });
});

describe('prompt and reference audio', () => {
  const prompt = (path: string): string[] => ['--prompt-audio', path, '--prompt-text', 'hello'];
  const written = async (name: string, content: string | Uint8Array): Promise<string> => {
    await writeFile(folder.join(name), content);
    return folder.join(name);
  };
  const recording = (name: string, samples: Float32Array, sampleRate = 16_000): Promise<string> =>
    written(name, encodeWav(samples, sampleRate));

  it.each(['stereo.mp3', 'stereo.m4a'])('is read from %s, whatever it is called', async (name) => {
    const path = folder.join('prompt.bin');
    await copyFile(join(fixtures, name), path);
    const outcome = await invoke([...speak(folder.join('out.wav')), ...prompt(path)], listener);
    expectEnd(outcome, 0, /^svc: warning: the prompt audio is only 0\.\d\d seconds long; [^\n]*\n$/);
  });

  it('is refused if it is too short', async () => {
    expectEnd(
      await invoke([...speak(folder.join('out.wav')), ...prompt(join(fixtures, 'stereo-24-bit.flac'))], listener),
      2,
      'svc: error: prompt audio must be at least 0.3 seconds long, got 0.10; 3 to 30 seconds sound best\n',
    );
  });

  it('causes one warning per problem, unless --quiet', async () => {
    const path = await recording('dull.wav', tone(220, 0.5, 8_000), 8_000);
    const argv = [...speak(folder.join('out.wav')), ...prompt(path), '--reference-audio', path];
    const { code, stderr } = await invoke(argv, listener);
    expect(code).toBe(0);
    expect(stderr.split('\n').map((line) => line.slice(0, 35))).toEqual([
      'svc: warning: the prompt audio is o',
      'svc: warning: the prompt audio has ',
      'svc: warning: the reference audio i',
      'svc: warning: the reference audio h',
      '',
    ]);
    expect(await invoke([...argv, '--quiet'], listener)).toMatchObject({ code: 0, stderr: '' });
  });

  it.each([
    ['is empty', async () => recording('empty.wav', new Float32Array(0)), 'the WAV file contains no samples'],
    ['is silent', async () => recording('silent.wav', new Float32Array(32_000)), 'prompt audio is silent'],
    [
      'is long',
      () => recording('a.wav', new Float32Array(960_000).fill(0.1), 8_000),
      'must be at most 100 seconds long, got 120',
    ],
    ['is something else', async () => join(fixtures, 'README.md'), 'unsupported audio format: unknown file of '],
    ['is damaged', async () => written('damaged.mp3', `ID3${'x'.repeat(10_000)}`), 'the MP3 file is damaged'],
  ])('that %s causes one line, code 2 and no file', async (_name, make, message) => {
    const path = await make();
    const out = folder.join('out.wav');
    const { code, stderr } = await invoke([...speak(out), ...prompt(path), '--quiet'], listener);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^svc: error: [^\n]*\n$/);
    expect(stderr).toContain(message);
    expect(await readdir(folder.path)).not.toContain('out.wav');
  });
});

/** One without an encoder, one with FFmpeg's, and one whose encoder is a thread. */
describe.each(['wav', 'mp3', 'aac'])('%s that cannot be written', (format) => {
  it('exits silently when the reader of standard output has closed the pipe', async () => {
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    });
    expectEnd(await invoke(speak('-', '--response-format', format), { ...speech, stdout }), 0, '');
  });

  it('causes one line and code 1 on a full device', async () => {
    const outcome = await invoke(speak('/dev/full', '--response-format', format), speech);
    expectEnd(outcome, 1, 'svc: error: cannot write /dev/full: no space left on device\n');
  });
});
