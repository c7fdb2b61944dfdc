/** Complete runs of the official implementation with recorded noise, repeated in Chromium. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { exportOnnx } from '../../../export/onnx/export-onnx.ts';
import { modelPrecisions } from '../../../export/onnx/precision.ts';
import { bundle, copyRuntimes } from '../../../scripts/web/build-page.ts';
import { decodeWav } from '../../../src/audio/decode/wav.ts';
import type { WebDevice } from '../../../src/web/local/onnx-web.ts';
import { differences } from '../../audio/differences.ts';
import { transposed } from '../../golden/layout.ts';
import { readGolden, readSafetensors } from '../../support/golden.ts';
import type { Listening } from '../../support/listen.ts';
import { sharedFolder } from '../../support/test-folder.ts';
import { openBrowser } from '../launch.ts';
import type { RecordedRun, RunResult } from './golden-page.ts';
import { serveFolder } from './serve-folder.ts';

const fixture = join(process.cwd(), 'tests', 'fixtures', 'tiny-v1');
const second = join(process.cwd(), 'tests', 'fixtures', 'tiny-v2');
const golden = readGolden(fixture);
const tensors = readSafetensors(join(fixture, 'golden.safetensors'));

/** The order of sums differs from the official implementation, as in the other engines. */
const factor = 4;

let server: Listening;

afterAll(async () => server[Symbol.asyncDispose]());
const folder = sharedFolder();
beforeAll(async () => {
  await bundle({ golden: join(import.meta.dirname, 'golden-page.ts') }, folder);
  await copyRuntimes(folder);
  await writeFile(
    join(folder, 'index.html'),
    '<!doctype html><title>golden</title><script type="module" src="golden.js"></script>',
  );
  await exportOnnx({
    checkpoint: join(fixture, 'checkpoint'),
    output: join(folder, 'tiny'),
    types: modelPrecisions.f32,
  });
  server = await serveFolder(folder);
});

function tensorOf(name: string) {
  const tensor = tensors.get(name);
  if (tensor === undefined) throw new Error(`the golden data has no tensor ${name}`);
  return tensor;
}

async function recorded(name: string): Promise<RecordedRun> {
  const run = golden.runs[name];
  if (run === undefined) throw new Error(`the golden data has no run ${name}`);
  const { data, shape } = transposed(tensorOf(`e2e.${name}.noise`));
  const length = (shape.at(-1) ?? 0) * (shape.at(-2) ?? 0);
  const prompt = run.prompt_wav === null ? undefined : decodeWav(await readFile(join(fixture, run.prompt_wav)));
  return {
    text: run.text,
    ...(prompt && {
      prompt: { text: run.prompt_text ?? '', samples: [...prompt.samples], sampleRate: prompt.sampleRate },
    }),
    maxPatches: run.effective_max_len,
    minLength: run.min_len,
    cfg: run.cfg_value,
    timesteps: run.inference_timesteps,
    noise: Array.from({ length: data.length / length }, (_, draw) => [
      ...data.slice(draw * length, (draw + 1) * length),
    ]),
  };
}

async function runIn(browser: Browser, device: WebDevice, name: string): Promise<RunResult> {
  const page = await browser.newPage();
  try {
    await page.goto(server.url);
    return await page.evaluate<RunResult>(
      `runGolden('tiny/', ${JSON.stringify(device)}, ${JSON.stringify(await recorded(name))})`,
    );
  } finally {
    await page.close();
  }
}

async function meets(browser: Browser, device: WebDevice, name: string): Promise<RunResult> {
  const result = await runIn(browser, device, name);
  const run = golden.runs[name];
  expect(result.tokens.filter((_, at) => run?.text_mask[at] === 1)).toEqual(
    run?.text_token.filter((_, at) => run.text_mask[at] === 1),
  );
  expect(result.patches).toBe(run?.num_patches);
  const expected = Float32Array.from(tensorOf(`e2e.${name}.wav`).data);
  expect(result.samples).toHaveLength(expected.length);
  const error = expected.reduce((most, value, at) => Math.max(most, Math.abs(value - (result.samples[at] ?? 0))), 0);
  expect(error).toBeLessThanOrEqual((golden.tol[`e2e.${name}.wav`] ?? 0) * factor);
  expect(error).toBeLessThan(1e-3);
  return result;
}

describe('complete runs in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it.each(['zs', 'zs_n4_cfg1', 'cont'])('WebAssembly matches %s', async (name) => {
    const { device } = await meets(browser, 'wasm', name);
    expect(device).toMatch(/^WebAssembly, \d+ threads?$/);
  });

  it('resamples a prompt for VoxCPM 2 like the official implementation', async () => {
    const samples = readSafetensors(join(second, 'golden.safetensors')).get('audio.b.resampled');
    const { samples: prompt, sampleRate } = decodeWav(await readFile(join(second, 'prompt_b.wav')));
    const page = await browser.newPage();
    try {
      await page.goto(server.url);
      const call = `resamplePrompt(${JSON.stringify([...prompt])}, ${sampleRate})`;
      const actual = Float32Array.from(await page.evaluate<readonly number[]>(call));
      expect(actual).toHaveLength(samples?.data.length ?? -1);
      expect(differences(actual, samples?.data ?? []).largest).toBeLessThanOrEqual(1e-4);
    } finally {
      await page.close();
    }
  });

  it('says what is missing where there is no WebGPU', async () => {
    await expect(runIn(browser, 'webgpu', 'zs_n4_cfg1')).rejects.toThrow(/this browser offers no WebGPU/);
  });
});

describe('on a software GPU', () => {
  it('WebGPU matches zs_n4_cfg1', async () => {
    const browser = await openBrowser('software');
    try {
      expect((await meets(browser, 'webgpu', 'zs_n4_cfg1')).device).toBe('WebGPU');
    } finally {
      await browser.close();
    }
  });
});
