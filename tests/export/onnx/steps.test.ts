import { execFile } from 'node:child_process';
import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { openCheckpoint } from '../../../export/checkpoint.ts';
import { checkQuantization } from '../../../export/onnx/check-quantization.ts';
import { exportOnnx } from '../../../export/onnx/export-onnx.ts';
import { modelPrecisions } from '../../../export/onnx/precision.ts';
import { describeOnnx } from '../../../export/onnx/read-model.ts';
import { workOnFiles } from '../../../export/onnx/work.ts';
import { exportCommand } from '../../../src/cli/commands/export.ts';
import { noLoudspeaker } from '../../support/no-loudspeaker.ts';
import { readAll } from '../../support/read-all.ts';
import { rounds } from '../../support/rounds.ts';
import { freshFolder, sharedFolder } from '../../support/test-folder.ts';

const fixtures = join(process.cwd(), 'tests', 'fixtures');
const checkpoint = join(fixtures, 'tiny-v1', 'checkpoint');

const folder = freshFolder();

async function run(argv: readonly string[], environment: Record<string, string> = {}): Promise<string> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const openEngine = () => Promise.reject(new Error('not for this command'));
  const { signal } = new AbortController();
  const io = { stdin: new PassThrough(), stdout, stderr, signal, environment, openEngine, loudspeaker: noLoudspeaker };
  await exportCommand(io).parseAsync(['--format', 'onnx', ...argv], { from: 'user' });
  return String(readAll(stderr));
}

/** All files of a folder by name. */
async function contents(path: string): Promise<Record<string, string>> {
  const names = (await readdir(path)).sort();
  const files = await Promise.all(names.map((name) => readFile(join(path, name), 'latin1')));
  return Object.fromEntries(names.map((name, index) => [name, files[index] as string]));
}

/** The errors of all weights and products. */
async function checkedWeights(output: string): Promise<Readonly<Record<string, number>>> {
  await using opened = await openCheckpoint(checkpoint);
  const work = await workOnFiles(output, 'validate');
  return (await checkQuantization(work, { checkpoint: opened, timesteps: 10 }))?.errors ?? {};
}

/** The same and the errors of outputs: onnxruntime takes seconds to load the steps of VoxCPM-ONNX. */
async function validated(output: string): Promise<Readonly<Record<string, number>>> {
  const once = { rtol: 1e-3, atol: 1e-4, numTests: 1 };
  const settings = { checkpoint, output, types: modelPrecisions.q8, tolerances: once };
  return (await exportOnnx({ ...settings, steps: ['validate'] })).validated?.errors ?? {};
}

const layouts = ['default', 'voxcpm-onnx'] as const;

describe('steps of svc export --format onnx', () => {
  const whole = sharedFolder();
  beforeAll(async () => {
    for (const layout of layouts) {
      const from = ['--model-path', checkpoint, '--output', join(whole, layout), '--layout', layout];
      await run([...from, '--type', 'q8', '--steps', 'read,build,optimize,quantize', '--quiet']);
    }
  });

  describe.each(layouts)('layout %s', (layout) => {
    it('write the same files one by one and together', async () => {
      const output = folder.join('model');
      const from = ['--model-path', checkpoint, '--output', output];
      const said = await run([...from, '--layout', layout, '--type', 'q8', '--steps', 'read,build']);
      expect(said).toContain('the matrices are still F32; --steps quantize converts them to lm=q8,dit=int8,vae=f16');
      expect(await run(['--output', output, '--steps', 'optimize'])).toMatch(/^svc: wrote /);
      expect(await run(['--output', output, '--steps', 'quantize', '--type', 'q8'])).toMatch(/^svc: wrote /);
      expect(await contents(output)).toEqual(await contents(join(whole, layout)));
    });

    it('are not repeated', async () => {
      const output = join(whole, layout);
      const before = await contents(output);
      expect(await run(['--output', output, '--steps', 'optimize,quantize', '--type', 'q8'])).toBe(
        `svc: nothing to do in ${output}: these steps are complete\n`,
      );
      expect(await contents(output)).toEqual(before);
      await expect(run(['--output', output, '--steps', 'quantize', '--type', 'q4'])).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
        message: expect.stringMatching(
          /^step quantize needs .*onnx in F32, but it is lm=q8,dit=int8,vae=f16; run the step build again$/,
        ),
      });
    });
  });

  it.each([
    ['optimize', ' has no ONNX files for step optimize; run the step build first'],
    ['quantize,optimize', ' has no ONNX files for step optimize; run the step build first'],
    ['quantize', ' has no ONNX files for step quantize; run the step build first'],
  ])('%s needs the output of build', async (steps, message) => {
    await expect(run(['--output', folder.join('none'), '--steps', steps])).rejects.toMatchObject({
      code: 'MODEL_NOT_FOUND',
      message: expect.stringContaining(message),
    });
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('read alone writes nothing', async () => {
    expect(await run(['--model-path', checkpoint, '--output', folder.join('none'), '--steps', 'read'])).toBe('');
    expect(await readdir(folder.path)).toEqual([]);
    for (const step of ['read', 'build', 'validate']) {
      await expect(run(['--output', folder.path, '--steps', step])).rejects.toMatchObject({
        message: '--model-path is required: name the folder of a checkpoint',
      });
    }
  });

  it('quantize continues where it was interrupted', async () => {
    const output = folder.join('model');
    const types = modelPrecisions.q8;
    await exportOnnx({ checkpoint, output, types, steps: ['read', 'build', 'optimize'] });
    const controller = new AbortController();
    const interrupted = exportOnnx({
      output,
      types,
      steps: ['quantize'],
      signal: controller.signal,
      onProgress: ({ unit, done, total }) => {
        if (unit === 'bytes' && done > total * 0.6) controller.abort();
      },
    });
    await expect(interrupted).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await readdir(output)).not.toContain('svc-onnx.json');
    const { resumed } = await exportOnnx({ output, types, steps: ['quantize'] });
    expect(resumed).toContain('language_models.onnx');
    expect(await contents(output)).toEqual(await contents(join(whole, 'default')));
  });

  it('validate alone continues an export interrupted there', async () => {
    const output = folder.join('model');
    const settings = { checkpoint, output, types: modelPrecisions.f32, steps: ['build', 'validate'] } as const;
    const controller = new AbortController();
    const interrupted = exportOnnx({
      ...settings,
      signal: controller.signal,
      onProgress: ({ step }) => {
        if (step === 'validate') controller.abort();
      },
    });
    await expect(interrupted).rejects.toMatchObject({ code: 'CANCELLED' });
    const { bytes, resumed, validated } = await exportOnnx({
      ...settings,
      tolerances: { rtol: 1, atol: 1, numTests: 1 },
    });
    expect({ bytes, resumed: resumed.length }).toEqual({ bytes: 0, resumed: 5 });
    expect(Object.keys(validated?.errors ?? {})).toContain('decoded audio');
    expect(await readdir(output)).not.toContain('.svc-export.json');
  });

  it('optimizes and quantizes files written by VoxCPM-ONNX', async () => {
    const output = folder.join('theirs');
    await cp(join(fixtures, 'voxcpm-onnx'), output, { recursive: true });
    await exportOnnx({ output, types: modelPrecisions.q8, steps: ['optimize', 'quantize'] });
    const { operators, metadata } = await describeOnnx(join(output, 'voxcpm_decode_step.onnx'));
    expect(metadata).toMatchObject({ types: 'lm=q8,dit=int8,vae=f16' });
    expect(operators['com.microsoft.MatMulNBits']).toBeGreaterThan(0);
    const errors = await rounds(checkedWeights, validated)(output);
    expect(Object.keys(errors)).toContain(rounds('products', 'first patch'));
    expect(Object.entries(errors).filter(([, error]) => !(error < 1))).toEqual([]);
  });

  it('scripts/opt.sh runs optimize and quantize on OUTPUT_DIR', async () => {
    const output = folder.join('model');
    await exportOnnx({ checkpoint, output, types: modelPrecisions.f32, steps: ['build'] });
    const script = join(process.cwd(), 'scripts', 'opt.sh');
    const environment = { ...process.env, OUTPUT_DIR: output, MODEL_PATH: checkpoint };
    const { stderr } = await promisify(execFile)(script, ['--type', 'f16'], { env: environment });
    expect(stderr).toMatch(/^svc: wrote .* files\n$/);
    const { metadata } = await describeOnnx(join(output, 'flow.onnx'));
    expect(metadata).toMatchObject({ types: 'lm=f16,dit=f16,vae=f16', optimized: 'onnxruntime basic' });
  });
});
