/** Every stage of the demo model's training runs, goes on where it was stopped, and ends in a model file that svc loads. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from '@jest/globals';
import { createEngine } from '../../src/engine/open-engine.ts';
import { listRecordings } from '../../src/voices/recorded-voices.ts';
import { presets } from '../presets.ts';
import { sharedFolder } from '../support/test-folder.ts';

const execute = promisify(execFile);
const programs = resolve('training');
const folder = sharedFolder();
let work: string;

/** Without the packages of the other tests. */
const env = { ...process.env, PYTHONPATH: '' };

const python = async (program: string, ...options: string[]): Promise<string> => {
  const settings = [join(programs, program), '--work', work, ...options];
  const { stdout } = await execute(join(folder, 'venv', 'bin', 'python'), settings, { env });
  return stdout;
};

beforeAll(async () => {
  work = join(folder, 'work');
  await execute('python3', ['-m', 'venv', join(folder, 'venv')]);
  // Those of requirements.txt that the evaluation needs are left out.
  const packages = ['numpy', 'scipy', 'safetensors', 'tokenizers', 'torch'];
  await execute(join(folder, 'venv', 'bin', 'pip'), ['install', '--quiet', ...packages], { env });
});

it('runs from the texts to a model file', async () => {
  expect(await python('synthesize.py', '--chunks', '4')).toContain('15 of 15 chunks');
  // Nothing is spoken again.
  expect(await python('synthesize.py', '--chunks', '4')).toBe('');
  expect(await python('projection.py')).toMatch(/^32 components explain 0\.9\d+ of the variance\n$/);
  const train = (program: string, ...options: string[]) => python(program, ...options, '--threads', '1');
  await train('train_lm.py', '--until', '1', '--steps', '3');
  expect(await train('train_lm.py', '--until', '1', '--steps', '1')).toMatch(/^\S+ step 4 heard 0\.\d+ h .*flow \d/);
  await train('train_vae.py', 'decoder', '--until', '3', '--adversary', '2');
  expect(await train('train_vae.py', 'decoder', '--until', '4', '--adversary', '2')).toContain('decoder 4 of 4');
  expect(await train('train_vae.py', 'encoder', '--until', '3')).toContain('encoder 3 of 3');

  const checkpoint = join(folder, 'checkpoint');
  expect(await python('export.py', '--output', checkpoint)).toMatch(/M parameters, audio VAE \d\.\d+ M/);
  const model = join(folder, 'demo.gguf');
  const settings = ['--type', 'q8_0', '--vae-type', 'f16', '--model-path', checkpoint, '--output', model];
  await execute(process.execPath, ['bin/svc.js', 'export', '--format', 'gguf', '--quiet', ...settings]);
  await using engine = await createEngine({ modelPath: model, backend: 'cpu' });
  expect(engine.info).toMatchObject({ architecture: 'voxcpm', limits: { maxTextCharacters: 120, languages: ['en'] } });
  const { samples } = await engine.synthesize({ text: 'Hello.', maxLength: 5, retryBadcase: false });
  expect(samples.every(Number.isFinite)).toBe(true);

  const voices = await mkdtemp(join(folder, 'voices-'));
  await python('prompts.py', '--output', voices);
  expect(await readdir(voices)).toHaveLength(2 * presets.length);
  expect((await listRecordings(voices)).map(({ id }) => id)).toEqual(presets);
});
