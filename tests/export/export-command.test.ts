import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { exportCommand } from '../../src/cli/commands/export.ts';
import { noLoudspeaker } from '../support/no-loudspeaker.ts';
import { readAll } from '../support/read-all.ts';
import { freshFolder } from '../support/test-folder.ts';
import { readGguf } from './read-gguf.ts';

const checkpoint = join(new URL('../fixtures/', import.meta.url).pathname, 'tiny-v1', 'checkpoint');

const folder = freshFolder();

async function run(...argv: readonly string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const openEngine = () => Promise.reject(new Error('not for this command'));
  const { signal } = new AbortController();
  const io = {
    stdin: new PassThrough(),
    stdout,
    stderr,
    signal,
    environment: {},
    openEngine,
    loudspeaker: noLoudspeaker,
  };
  await exportCommand(io).parseAsync([...argv], { from: 'user' });
  return { stdout: String(readAll(stdout)), stderr: String(readAll(stderr)) };
}

const exportTo = (output: string, type: string, ...argv: readonly string[]) =>
  run('--format', 'gguf', '--model-path', checkpoint, '--output', output, '--type', type, ...argv);

describe('svc export', () => {
  it('writes the file and reports on standard error only', async () => {
    const output = folder.join('model.gguf');
    const limits = ['--max-text-characters', '55'];
    const said = await exportTo(output, 'f16', ...limits);
    expect(said.stdout).toBe('');
    expect(said.stderr).toMatch(/^svc: wrote .*model\.gguf: \d+ MB, tensors: [^\n]*f16[^\n]*\n$/);
    const { metadata } = await readGguf(output);
    expect(metadata.get('svc.limits.max_text_characters')?.value).toBe(55);
  });

  it('prints nothing when quiet', async () => {
    const output = folder.join('model.gguf');
    const said = await exportTo(output, 'f32', '--quiet');
    expect(said).toEqual({ stdout: '', stderr: '' });
  });

  it.each([
    [['--model-path', 'a', '--output', 'b'], '--format is required: gguf or onnx'],
    [['--format', 'onyx'], '--format must be one of gguf, onnx, got "onyx"; did you mean "onnx"?'],
    [['--format', 'gguf', '--output', 'b'], '--model-path is required: name the folder of a checkpoint'],
    [['--format', 'gguf', '--model-path', 'a'], '--output is required: name the .gguf file to write'],
    [['--format', 'gguf', '--model-path', 'a', '--output', 'b', '--type', 'q3_k'], 'got "q3_k"'],
    [
      ['--format', 'gguf', '--model-path', 'a', '--output', 'b.bin'],
      '--output must be a file name that ends in .gguf, got "b.bin"',
    ],
    [['--vae-type', 'q8_0'], '--vae-type must be one of f32, f16, got "q8_0"'],
    [['--max-text-characters', '0'], '--max-text-characters must be an integer from 1 to 1000000, got "0"'],
  ])('refuses %j', async (argv, message) => {
    await expect(run(...argv)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining(message),
    });
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('refuses a missing checkpoint', async () => {
    const argv = [
      '--format',
      'gguf',
      '--model-path',
      folder.join('none'),
      '--output',
      folder.join('a.gguf'),
      '--type',
      'f16',
    ];
    await expect(run(...argv)).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
  });
});
