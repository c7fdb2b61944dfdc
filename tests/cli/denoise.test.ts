import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { noiseIn, noisyRecording } from '../audio/noises.ts';
import { createFakeBackend, type FakeBackend } from '../engine/fake-backend.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { expectEndWith, invoke, type Outcome } from './invoke.ts';
import { smallModel } from './small-model.ts';

const model = smallModel();
const folder = sharedFolder();
let recording: string;
let backend: FakeBackend;
/** Recordings that the model encoded. */
const encoded: string[] = [];

beforeAll(async () => {
  recording = join(folder, 'noisy.wav');
  await writeFile(recording, await noisyRecording());
});
beforeEach(() => void encoded.splice(0));

function svc(...argv: readonly string[]): Promise<Outcome> {
  backend = createFakeBackend({ stopAt: 4, info: { architecture: 'voxcpm2', inputPatchSamples: 1_600 } });
  const { encode } = backend;
  jest.spyOn(backend, 'encode').mockImplementation((...given) => {
    encoded.push(noiseIn(given[0]));
    return encode(...given);
  });
  return invoke(argv, { backend, environment: { SVC_SQLITE_PATH: join(folder, 'voices.sqlite') } });
}
/** The warnings in the manifest of a batch, by line. */
async function warningsIn(name: string): Promise<readonly unknown[]> {
  const lines = (await readFile(join(folder, name, 'manifest.jsonl'), 'utf8')).trim().split('\n');
  const entries = lines.map((line): { line: number; warnings: unknown } => JSON.parse(line));
  return entries.sort((a, b) => a.line - b.line).map(({ warnings }) => warnings);
}
const out = (): readonly string[] => ['--output', join(folder, 'out.wav')];

describe('--denoise', () => {
  it('removes the noise of prompt and reference audio', async () => {
    const voice = ['--prompt-audio', recording, '--prompt-text', 'words', '--reference-audio', recording];
    const { code, stderr } = await svc('clone', 'hello', ...voice, ...out(), '--denoise');
    expect([code, encoded]).toEqual([0, ['denoised', 'denoised']]);
    expect(stderr).not.toContain('noisy');
  });

  it('is off by default, and recommended for a noisy recording', async () => {
    const { code, stderr } = await svc('clone', 'hello', '--reference-audio', recording, ...out());
    expect([code, encoded]).toEqual([0, ['noisy']]);
    expect(stderr).toMatch(
      /the reference audio is noisy: .*; record in a quieter place, or remove the noise with --denoise\n/,
    );
  });

  it('has no effect without a recording', async () => {
    const { stderr } = await svc('tts', 'hello', ...out(), '--denoise');
    expect(stderr).toBe('svc: warning: --denoise has no effect without --prompt-audio or --reference-audio\n');
  });

  it('stores a voice without its noise', async () => {
    const add = ['voices', 'add', 'anna', '--audio', recording, '--reference', '--json'];
    const noisy = JSON.parse((await svc(...add)).stdout.toString());
    expect(noisy.warnings).toEqual([expect.stringMatching(/ or remove the noise with --denoise$/)]);
    const clean = JSON.parse((await svc(...add, '--replace', '--denoise')).stdout.toString());
    expect(clean.warnings).toBeUndefined();
    expect(clean.quality.snrDb).toBeGreaterThan(noisy.quality.snrDb + 10);
    // Those before are the fingerprint of the encoder.
    expect([encoded[1], encoded.at(-1)]).toEqual(['noisy', 'denoised']);
  });

  it('is a field of a batch, and its default', async () => {
    const lines = [
      { text: 'one', referenceAudio: recording, denoise: true },
      { text: 'two', referenceAudio: recording },
      { text: 'three', referenceAudio: recording, denoise: false },
    ];
    const list = join(folder, 'lines.jsonl');
    await writeFile(list, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const run = (name: string, ...more: readonly string[]) =>
      svc('batch', '--input', list, '--output-dir', join(folder, name), ...model, ...more);
    expect((await run('a')).code).toBe(0);
    expect(encoded.sort()).toEqual(['denoised', 'noisy']);
    expect(await warningsIn('a')).toEqual([
      [],
      ...Array.from({ length: 2 }, () => [expect.stringMatching(/^the reference audio is noisy: .* with denoise \(/)]),
    ]);
    encoded.splice(0);
    const { code, stderr } = await run('b', '--denoise');
    expect([code, encoded.sort()]).toEqual([0, ['denoised', 'noisy']]);
    expect(stderr.match(/is noisy: .* with denoise \(/g)).toHaveLength(1);
  });

  it('has no effect on a line of a batch without a recording', async () => {
    const list = join(folder, 'plain.jsonl');
    await writeFile(list, '{"text": "one", "denoise": true}\n{"text": "two"}\n');
    const { code } = await svc('batch', '--input', list, '--output-dir', join(folder, 'd'), ...model, '--denoise');
    expect(code).toBe(0);
    expect(await warningsIn('d')).toEqual([['denoise has no effect without promptAudio or referenceAudio'], []]);
    await writeFile(list, 'one\n');
    const plain = ['--input', list, '--input-format', 'text', '--output-dir', join(folder, 'e'), ...model];
    const { stderr } = await svc('batch', ...plain, '--denoise');
    expect(stderr).toBe('svc: warning: --denoise has no effect without --prompt-audio or --reference-audio\n');
  });

  it('must be true or false in a batch', async () => {
    const list = join(folder, 'wrong.jsonl');
    await writeFile(list, `${JSON.stringify({ text: 'one', denoise: 'yes' })}\n`);
    const outcome = await svc('batch', '--input', list, '--output-dir', join(folder, 'c'), '--check');
    expectEndWith(outcome, 2, 'denoise must be true or false, got "yes"');
  });
});

describe('--continue-by', () => {
  it('chooses how a long text keeps its voice', async () => {
    const text = `${'One is a part of the words. '.repeat(30)}`;
    const voice = ['--control', 'calm', '--seed', '1'];
    expect((await svc('tts', text, ...voice, ...out(), '--continue-by', 'reference')).code).toBe(0);
    const { prefixes } = backend;
    expect(prefixes.length).toBeGreaterThan(1);
    expect(prefixes.slice(1).every(({ tokens }) => tokens[0] === 103)).toBe(true);
  });

  it('has no effect with a voice', async () => {
    const { stderr } = await svc(
      ...['clone', 'hello', '--reference-audio', 'tests/fixtures/voices/demo.wav', ...out()],
      ...['--continue-by', 'reference'],
    );
    expect(stderr).toBe('svc: warning: --continue-by has no effect with a voice: all parts of the text have it\n');
  });
});
