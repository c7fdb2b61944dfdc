import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { compareGolden } from '../golden/compare.ts';
import { sharedFolder } from '../support/test-folder.ts';

// ggml skips software drivers unless one is named; `auto` would then choose it in all suites.
process.env.GGML_VK_VISIBLE_DEVICES = '0';

const root = process.cwd();
const fixtures = join(root, 'tests', 'fixtures');

interface Outcome {
  readonly exitCode: number | null;
  readonly stderr: string;
}

const svc = (...settings: string[]): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'bin', 'svc.js'), ...settings], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: process.env,
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, stderr }));
  });

describe('Vulkan on a software driver', () => {
  // Only a few runs, with and without a prompt: each patch takes a second on a software driver.
  it.each([
    { name: 'tiny-v1', runs: ['zs_stop', 'zs_n4_cfg1', 'cont_short'] },
    { name: 'tiny-v15', runs: ['zs_n4_cfg1', 'cont_short'] },
    { name: 'tiny-v2', runs: ['zs_n4_cfg1', 'refcont_short'] },
  ])('$name stays close to the golden data', async ({ name, runs }) => {
    const comparison = await compareGolden({
      directory: join(fixtures, name),
      type: 'f32',
      backend: 'vulkan',
      threads: 1,
      runs,
    });
    expect(comparison.failures).toEqual([]);
    expect(comparison.checks.length).toBeGreaterThan(200);
  });
});

describe('svc tts', () => {
  const folder = sharedFolder();

  it('generates speech with --backend vulkan', async () => {
    const output = join(folder, 'vulkan.wav');
    const { exitCode, stderr } = await svc(
      ...['tts', '--text', 'Hello there.', '--inference-timesteps', '4'],
      ...['--backend', 'vulkan', '--output', output],
    );
    expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
    const samples = (await readFile(output)).subarray(44);
    let peak = 0;
    for (let at = 0; at + 1 < samples.length; at += 2) peak = Math.max(peak, Math.abs(samples.readInt16LE(at)));
    expect(samples.length).toBeGreaterThan(16_000);
    expect(peak).toBeGreaterThan(300);
  });

  it('explains why --backend cuda is unavailable and what to do', async () => {
    const output = join(folder, 'cuda.wav');
    const { exitCode, stderr } = await svc('tts', '--text', 'Hello there.', '--backend', 'cuda', '--output', output);
    expect(exitCode).toBe(5);
    expect(stderr).toMatch(/cuda/i);
    expect(stderr).toMatch(/npm install|install/i);
    await expect(readFile(output)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
