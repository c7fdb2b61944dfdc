import { readdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { exportOnnx } from '../../../export/onnx/export-onnx.ts';
import { modelPrecisions } from '../../../export/onnx/precision.ts';
import { exportCommand } from '../../../src/cli/commands/export.ts';
import { noLoudspeaker } from '../../support/no-loudspeaker.ts';
import { readAll } from '../../support/read-all.ts';
import { freshFolder } from '../../support/test-folder.ts';

const checkpoint = join(process.cwd(), 'tests', 'fixtures', 'tiny-v1', 'checkpoint');

const folder = freshFolder();

async function run(argv: readonly string[], environment: Record<string, string> = {}) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const openEngine = () => Promise.reject(new Error('not for this command'));
  const { signal } = new AbortController();
  const io = { stdin: new PassThrough(), stdout, stderr, signal, environment, openEngine, loudspeaker: noLoudspeaker };
  await exportCommand(io).parseAsync(['--format', 'onnx', ...argv], { from: 'user' });
  return { stdout: String(readAll(stdout)), stderr: String(readAll(stderr)) };
}

describe('svc export --format onnx', () => {
  it('runs all steps and reports them', async () => {
    const output = folder.join('model');
    const from = ['--model-path', checkpoint, '--output', output, '--num-tests', '1'];
    const said = await run(from);
    expect(said.stdout).toBe('');
    expect(said.stderr).toMatch(/^svc: wrote .*: \d+ MB in 7 files\nsvc: validated; .*first patch 0\.\d+.*\n$/);
    expect((await run([...from, '--steps', 'validate'])).stderr).toMatch(/^svc: validated; .*\n$/);
    expect((await readdir(output)).filter((name) => !/\.(onnx|data|json)$/.test(name))).toEqual([]);
  });

  it('reads the environment, and options before it', async () => {
    const environment = { MODEL_PATH: checkpoint, OUTPUT_DIR: folder.join('model'), TIMESTEPS: '4', CFG_VALUE: '1.5' };
    await run(['--layout', 'voxcpm-onnx', '--num-tests', '1', '--quiet'], environment);
    expect(await readdir(folder.path)).toEqual(['model']);
    await run(['--output', folder.join('other'), '--steps', 'read,build,quantize', '--quiet'], environment);
    expect((await readdir(folder.path)).sort()).toEqual(['model', 'other']);
    await expect(run([], { ...environment, TIMESTEPS: 'ten' })).rejects.toMatchObject({
      message: expect.stringMatching(/^TIMESTEPS must be an integer .*, got "ten"$/),
    });
  });

  it.each([
    [['--model-path', 'a'], '--output is required: name the folder to write'],
    [['--output', 'a'], '--model-path is required: name the folder of a checkpoint'],
    [
      ['--model-path', 'a', '--output', 'b', '--type', 'q3'],
      '--type must be f32, f16, q8, q4, int8 or stages such as lm=q8,dit=int8,vae=f32, got "q3"',
    ],
    [['--model-path', 'a', '--output', 'b', '--type', 'vae=q4'], ', got "vae=q4"'],
    [['--model-path', 'a', '--output', 'b', '--type', 'lm=q8,lm=q4'], ', got "lm=q8,lm=q4"'],
    [['--model-path', 'a', '--output', 'b', '--layout', 'd'], '--layout must be one of default, voxcpm-onnx, got "d"'],
    [['--model-path', 'a', '--output', 'b', '--steps', 'cook'], 'got "cook"'],
    [['--model-path', 'a', '--output', 'b', '--steps', 'validate', '--type', 'int8'], '--type needs the step quantize'],
    [['--model-path', 'a', '--output', 'b', '--rtol', '-1'], '--rtol must be a number from 0 to 1000, got "-1"'],
    [
      ['--model-path', 'a', '--output', 'b', '--num-tests', '0'],
      '--num-tests must be an integer from 1 to 1000, got "0"',
    ],
    [['--model-path', 'a', '--output', 'b', '--rtol', '0x1'], '--rtol must be a number from 0 to 1000, got "0x1"'],
    [['--model-path', 'a', '--output', 'b', '--atol', ''], '--atol must be a number from 0 to 1000, got ""'],
    [
      ['--model-path', 'a', '--output', 'b', '--timesteps', '1e1'],
      '--timesteps must be an integer from 1 to 100, got "1e1"',
    ],
    [
      ['--model-path', 'a', '--output', 'b', '--vae-type', 'f16'],
      '--vae-type is for GGUF; for ONNX use --type vae=f16',
    ],
  ])('refuses %j', async (argv, message) => {
    await expect(run(argv)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining(message),
    });
  });

  it('continues an interrupted export after its last complete file', async () => {
    const output = folder.join('model');
    const settings = { checkpoint, output, types: modelPrecisions.f32 };
    const controller = new AbortController();
    const interrupted = exportOnnx({
      ...settings,
      signal: controller.signal,
      onProgress: ({ step, done, total }) => {
        if (step === 'quantize' && done > total * 0.8) controller.abort();
      },
    });
    await expect(interrupted).rejects.toMatchObject({ code: 'CANCELLED' });
    const left = await readdir(output);
    expect(left.filter((name) => name.endsWith('.tmp') || name === 'svc-onnx.json')).toEqual([]);
    const { resumed } = await exportOnnx(settings);
    const finished = left.filter((name) => name.endsWith('.onnx'));
    expect(finished.length).toBeGreaterThan(0);
    expect([...resumed].sort()).toEqual(finished.sort());
    // Once complete, no state is kept.
    expect((await exportOnnx(settings)).resumed).toEqual([]);
  });

  it('leaves no folder when interrupted before the first file', async () => {
    const output = folder.join('model');
    const controller = new AbortController();
    const written: number[] = [];
    const interrupted = exportOnnx({
      checkpoint,
      output,
      types: modelPrecisions.f32,
      signal: controller.signal,
      onProgress: ({ unit, done }) => {
        if (unit !== 'bytes') return;
        written.push(done);
        controller.abort();
      },
    });
    await expect(interrupted).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(written.length).toBeGreaterThan(0);
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('fails if the files do not match the model', async () => {
    const output = folder.join('model');
    const tolerances = { rtol: 1e-3, atol: 1e-4, numTests: 1 };
    const settings = { checkpoint, output, types: modelPrecisions.f32, tolerances };
    await exportOnnx({ ...settings, steps: ['build'] });
    const weights = join(output, 'flow.onnx.data');
    const bytes = await readFile(weights);
    const halves = new Float32Array(new Uint8Array(bytes).buffer).map((value) => value / 2);
    await writeFile(weights, new Uint8Array(halves.buffer));
    await expect(exportOnnx({ ...settings, steps: ['validate'] })).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: expect.stringContaining('patch is '),
    });
    await unlink(join(output, 'flow.onnx'));
    await expect(exportOnnx({ ...settings, steps: ['validate'] })).rejects.toMatchObject({ code: 'MODEL_INVALID' });
  });

  it('refuses a file as output', async () => {
    const output = folder.join('file');
    await writeFile(output, 'mine');
    await expect(exportOnnx({ checkpoint, output, types: modelPrecisions.f32 })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
  });
});
