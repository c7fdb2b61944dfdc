import { existsSync } from 'node:fs';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { PassThrough, Readable, Writable } from 'node:stream';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { decodeWav } from '../../src/audio/decode/wav.ts';
import { createFakeBackend } from '../engine/fake-backend.ts';
import { freshFolder } from '../support/test-folder.ts';
import { expectEnd, invoke } from './invoke.ts';

const folder = freshFolder();
let out: string;

beforeEach(() => {
  out = folder.join('out.wav');
});

const toFile = (...more: string[]): string[] => ['tts', '--text', 'hello', '--output', out, ...more];

describe('svc tts', () => {
  it('writes a WAV file and is silent in a pipe', async () => {
    const { code, stdout, stderr, opened } = await invoke(toFile());
    expect([code, stdout.length, stderr]).toEqual([0, 0, '']);
    expect(decodeWav(await readFile(out))).toMatchObject({ sampleRate: 16_000, channels: 1, samples: { length: 20 } });
    expect(await readdir(folder.path)).toEqual(['out.wav']);
    expect(opened).toEqual([{ maxBatch: 4 }]);
  });

  it('passes on its options', async () => {
    const device = ['--model-path', 'm.gguf', '--backend', 'cuda', '--threads', '3'];
    const settings = [...device, '--inference-timesteps', '4', '--max-length', '3'];
    const { opened, backend, stderr } = await invoke(toFile(...settings));
    expect(opened).toEqual([{ modelPath: 'm.gguf', backend: 'cuda', threads: 3, maxBatch: 4 }]);
    expect(backend.opened[0]).toMatchObject({ timesteps: 4, steps: 3 });
    expect(stderr).toBe('svc: warning: the speech reached its maximum length of 3 patches and may be cut off\n');
  });

  it('takes the number of threads from SVC_THREADS unless it is given', async () => {
    const environment = { SVC_THREADS: '5' };
    expect((await invoke(toFile(), { environment })).opened).toEqual([{ threads: 5, maxBatch: 4 }]);
    expect((await invoke(toFile('--threads', '3'), { environment })).opened).toEqual([{ threads: 3, maxBatch: 4 }]);
  });

  it('prints one line of JSON', async () => {
    const { stdout, stderr } = await invoke(toFile('--json', '--seed', '9'));
    expect(stderr).toBe('');
    expect(stdout.toString()).toMatch(/^\{.*\}\n$/);
    const report = JSON.parse(stdout.toString()) as Record<string, unknown>;
    expect(report).toMatchObject({ patches: 5, seed: 9, sampleRate: 16_000, model: 'fake', backend: 'fake' });
    expect(report.audioSeconds).toBeCloseTo(20 / 16_000, 4);
    for (const key of ['seconds', 'rtf', 'ttfaMs']) expect(typeof report[key]).toBe('number');
  });

  it('streams to standard output and reports on standard error', async () => {
    const argv = ['tts', '--text', 'hello', '--output', '-', '--json', '--seed', '1'];
    const { code, stdout, stderr, opened } = await invoke(argv);
    // A listener waits, so the next audio takes priority.
    expect(opened).toEqual([{ maxBatch: 1 }]);
    expect(code).toBe(0);
    expect(decodeWav(stdout).samples).toHaveLength(20);
    expect(JSON.parse(stderr)).toMatchObject({ patches: 5, seed: 1 });
  });

  it('reads the text from standard input or a file, without byte order mark and surrounding white space', async () => {
    const prefixOf = async (outcome: ReturnType<typeof invoke>) => (await outcome).backend.prefixes[0]?.tokens;
    const expected = await prefixOf(invoke(toFile()));
    expect(await prefixOf(invoke(['tts', '--output', out], { stdin: '\ufeffhello\n' }))).toEqual(expected);
    const fromFile = (file: string) => invoke(['tts', '--text-file', file, '--output', out], { stdin: 'hello\n' });
    expect(await prefixOf(fromFile('-'))).toEqual(expected);
    await writeFile(folder.join('text.txt'), '\ufeff\n hello \n');
    expect(await prefixOf(fromFile(folder.join('text.txt')))).toEqual(expected);
  });

  it('does not read standard input if a text is given', async () => {
    const stdin = new PassThrough();
    expect((await invoke(toFile(), { stdin })).code).toBe(0);
    expect(stdin.destroyed).toBe(false);
  });

  it('regenerates speech that is too long for files, never for streams', async () => {
    const file = await invoke(['tts', '--text', 'a', '--output', out, '--seed', '1', '--json'], { backend: {} });
    expect(JSON.parse(file.stdout.toString())).toMatchObject({ seed: 3, patches: 22 });
    const once = await invoke(['tts', '--text', 'a', '--output', out, '--no-retry-badcase'], { backend: {} });
    expect(once.backend.opened).toHaveLength(1);
    const stream = await invoke(['tts', '--text', 'a', '--output', '-', '--retry-badcase', '--quiet'], { backend: {} });
    expect(stream.backend.opened).toHaveLength(1);
    expect(stream.stderr).toBe('');
  });

  it("warns about the model's limits, unless quiet", async () => {
    const backend = { stopAt: 4, info: { limits: { maxTextCharacters: 4 } } };
    expectEnd(
      await invoke(toFile('--no-split'), { backend }),
      0,
      'svc: warning: the text has 5 characters, and model fake drops words past 4; leave out --no-split\n',
    );
    expect((await invoke(toFile('--no-split', '--quiet'), { backend })).stderr).toBe('');
  });

  it('shows progress and a summary on a terminal', async () => {
    const { stderr } = await invoke(toFile('--seed', '5'), { terminal: 'stderr' });
    expect(stderr).toMatch(/speaking \[=* *\] \d+ %.*speaking \[=+\] 100 %/s);
    expect(stderr).toMatch(/svc: .*out\.wav: 0 s of speech in .* s \(RTF .*\), seed 5\n$/);
    expect((await invoke(toFile('--quiet'), { terminal: 'stderr' })).stderr).toBe('');
  });

  it('reports model and device with --verbose', async () => {
    const { stderr } = await invoke(toFile('--verbose'));
    expect(stderr).toMatch(/^svc: loaded model fake \(voxcpm, f32\) on fake in \d\S* s\nsvc: .*, seed \d+\n$/);
  });

  it('does not change an existing file when the run fails', async () => {
    await writeFile(out, 'precious');
    const backend = createFakeBackend({
      onCall: ({ kind }) => {
        if (kind === 'decode') throw Object.assign(new Error('no memory left'), { code: 'OUT_OF_MEMORY' });
      },
    });
    expectEnd(await invoke(toFile(), { backend }), 6, 'svc: error: no memory left\n');
    expect(await readFile(out, 'utf8')).toBe('precious');
    expect(await readdir(folder.path)).toEqual(['out.wav']);
    expect(backend.disposed()).toBe(true);
  });

  it.each(['a file', 'a stream'])('stops %s when interrupted and exits with 130', async (kind) => {
    const controller = new AbortController();
    const backend = createFakeBackend({
      onCall: ({ kind: call }) => {
        if (call === 'step' && backend.calls.length > 4) controller.abort();
      },
    });
    const outcome = await invoke(['tts', '--text', 'hello', '--output', kind === 'a file' ? out : '-'], {
      backend,
      signal: controller.signal,
    });
    expectEnd(outcome, 130, 'svc: canceled\n');
    expect(await readdir(folder.path)).toEqual([]);
    expect([...new Set(backend.opened.map(({ closed }) => closed))]).toEqual([true]);
    expect(backend.disposed()).toBe(true);
  });

  it('stops when interrupted while reading standard input', async () => {
    const controller = new AbortController();
    const stdin = new Readable({ read: () => controller.abort() });
    const outcome = await invoke(['tts', '--output', out], { stdin, signal: controller.signal });
    expect(outcome).toMatchObject({ code: 130, stderr: 'svc: canceled\n' });
  });

  it('exits silently when the reader of standard output closes the pipe', async () => {
    let writes = 0;
    const stdout = new Writable({
      write(_part, _encoding, done) {
        writes += 1;
        done(writes > 2 ? Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }) : null);
      },
    });
    const { code, stderr, backend } = await invoke(['tts', '--text', 'hello', '--output', '-'], {
      stdout,
      backend: {},
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(backend.opened.map(({ closed }) => closed)).toEqual([true]);
  });
});

describe('svc clone', () => {
  it('continues a prompt', async () => {
    const prompt = folder.join('prompt.wav');
    await copyFile('tests/fixtures/tiny-v1/prompt_a.wav', prompt);
    const clone = ['clone', '--prompt-audio', prompt, '--prompt-text', ' one ', '--text', 'two', '--output', out];
    const roomy = { stopAt: 4, info: { contextLength: 100_000 } };
    const { code, stderr, backend } = await invoke(clone, { backend: roomy });
    expect([code, stderr]).toEqual([0, '']);
    expect(backend.log.slice(0, 3)).toEqual(['encode', 'open', 'decode 0']);
    expect(existsSync(out)).toBe(true);
  });

  it('refuses a reference for VoxCPM 1 after loading, and writes nothing', async () => {
    const reference = 'tests/fixtures/tiny-v1/ref.wav';
    const clone = ['clone', '--reference-audio', reference, '--text', 'two', '--output', out];
    const { code, stderr, backend } = await invoke(clone);
    expect([code, stderr]).toEqual([2, 'svc: error: reference audio needs a VoxCPM 2 model; "fake" is not one\n']);
    expect(backend.disposed()).toBe(true);
    expect(await readdir(folder.path)).toEqual([]);
  });
});
