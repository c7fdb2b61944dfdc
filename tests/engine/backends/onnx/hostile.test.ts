/** Invalid folders of ONNX files are refused in one line, before memory is allocated. */
import { execFileSync } from 'node:child_process';
import { copyFile, cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { openExportedModel } from '../../../../src/engine/backends/onnx/exported/model.ts';
import { createOnnxBackend } from '../../../../src/engine/backends/onnx/model.ts';
import { nodePlatform } from '../../../../src/engine/backends/onnx/node-platform.ts';
import { openOnnxBackend } from '../../../../src/engine/backends/onnx/open-onnx.ts';
import { openVoxcpmOnnx } from '../../../../src/engine/backends/onnx/voxcpm-onnx/model.ts';
import { useBackend } from '../../../fuzz/use-backend.ts';
import { exportedOnnx } from '../../../support/exported-onnx.ts';
import { sharedFolder } from '../../../support/test-folder.ts';

const fixtures = join(process.cwd(), 'tests', 'fixtures');
const folder = sharedFolder();
let model = '';

async function use(): Promise<void> {
  await using backend = await openOnnxBackend(model, { backend: 'cpu', threads: 1 });
  await useBackend(backend, { timesteps: 10 });
}

/** In this thread, as most of the time of `use` goes into another. */
async function useHere(open = async () => openExportedModel(await nodePlatform(options()))): Promise<void> {
  await using backend = createOnnxBackend(await open());
  await useBackend(backend, { timesteps: 10 });
}

const options = () => ({ directory: model, device: 'cpu', threads: 1 }) as const;
const useVoxcpmOnnx = () => useHere(() => openVoxcpmOnnx(options()));

const refusal = (pattern: RegExp) => ({
  code: 'MODEL_INVALID',
  message: expect.stringMatching(new RegExp(`^[^\\n]*${pattern.source}[^\\n]*$`)),
});

describe('an exported model', () => {
  beforeEach(async () => {
    model = await mkdtemp(join(folder, 'model-'));
    await cp(await exportedOnnx('tiny-v2'), model, { recursive: true });
  });

  type Json = Record<string, unknown>;

  async function changeManifest(change: (manifest: Json) => void): Promise<void> {
    const path = join(model, 'svc-onnx.json');
    const manifest = JSON.parse(await readFile(path, 'utf8')) as Json;
    change(manifest);
    await writeFile(path, JSON.stringify(manifest));
  }

  const stages = (manifest: Json, stage: string): Json => manifest[stage] as Json;
  const forgetSizes = (manifest: Json): void => void delete manifest.files;

  it('works unchanged', async () => {
    await use();
  });

  it.each<[string, (manifest: Json) => void, RegExp]>([
    [
      '65,536 layers',
      (all) => Object.assign(stages(all, 'languageModels'), { layers: 65_536 }),
      /svc-onnx.json: invalid languageModels.layers: /,
    ],
    [
      'caches of gigabytes',
      (all) => Object.assign(stages(all, 'languageModels'), { layers: 512, kvHeads: 1024, headDim: 1024 }),
      /svc-onnx.json: invalid languageModels: caches are too large/,
    ],
    [
      'a layer more',
      (all) => Object.assign(stages(all, 'languageModels'), { layers: 99 }),
      /: input "past_keys.\d+" is missing$/,
    ],
    ['a layer less', (all) => Object.assign(stages(all, 'languageModels'), { layers: 1 }), /: unknown input "past_/],
    [
      'other heads',
      (all) => Object.assign(stages(all, 'languageModels'), { headDim: 32 }),
      /: input "past_keys.0" has shape .*, expected \?×\d+×32×\?$/,
    ],
    [
      'patches of a million frames',
      (all) => Object.assign(all, { patchSize: 1_048_576 }),
      /svc-onnx.json: invalid patchSize: /,
    ],
    ['other patches', (all) => Object.assign(all, { patchSize: 3 }), /: input ".*" has shape .*, expected \?×3×16$/],
    [
      'states of gigabytes',
      (all) => Object.assign(stages(all, 'vaeDecoder'), { states: Array(200).fill({ channels: 16_384, frames: 64 }) }),
      /svc-onnx.json: invalid vaeDecoder.states: states are too large/,
    ],
    [
      'other states',
      (all) => Object.assign(stages(all, 'vaeEncoder'), { states: [{ channels: 3, frames: 3 }] }),
      /: (unknown input|input ".*" has shape) /,
    ],
    [
      'other samples a frame',
      (all) => Object.assign(all, { decodeHop: 77 }),
      /^output "samples" must have \d+ float32 values, got \d+ of type float32$/,
    ],
    [
      'a model without conditioning',
      (all) => Object.assign(stages(all, 'vaeDecoder'), { isConditioned: false }),
      /: unknown input "sample_rate"$/,
    ],
    [
      'the graphs in another order',
      (all) => Object.assign(stages(all, 'flow'), { file: stages(all, 'schedule').file }),
      /^schedule.onnx: unknown input /,
    ],
  ])('is refused with %s', async (_, change, message) => {
    await changeManifest(change);
    await expect(useHere()).rejects.toMatchObject(refusal(message));
  });

  it('is refused if file sizes differ from the manifest', async () => {
    await truncate(join(model, 'flow.onnx.data'), 1000);
    await expect(use()).rejects.toMatchObject(refusal(/flow.onnx.data has 1000 bytes, expected \d+$/));
    await rm(join(model, 'flow.onnx.data'));
    await expect(use()).rejects.toMatchObject(refusal(/^flow.onnx.data is missing from the ONNX model /));
  });

  it.each([
    ['cut', (path: string) => truncate(path, 1000)],
    ['missing', (path: string) => rm(path)],
  ])('is refused with %s weights missing from the manifest', async (_, change) => {
    await changeManifest(forgetSizes);
    await change(join(model, 'flow.onnx.data'));
    await expect(useHere()).rejects.toMatchObject(refusal(/^cannot load the ONNX graph .*flow.onnx: /));
  });

  it.each(['flow', 'language_models', 'vae_decoder'])('is refused if %s computes non-finite values', async (graph) => {
    const path = join(model, `${graph}.onnx.data`);
    const bytes = await readFile(path);
    for (let at = 0; at + 4 <= bytes.length; at += 4) bytes.writeUInt32LE(0x7fc00000, at);
    await writeFile(path, bytes);
    await expect(useHere()).rejects.toMatchObject(
      refusal(/the weights of the model are broken: it computed infinity or NaN/),
    );
  });

  it.each(['svc-onnx.json', 'tokenizer.json', 'flow.onnx', 'other.data'])(
    'is refused with a named pipe as %s, without a wait for its writer',
    async (file) => {
      if (file !== 'svc-onnx.json') await changeManifest(forgetSizes);
      await rm(join(model, file), { force: true });
      execFileSync('mkfifo', [join(model, file)]);
      const code = expect.stringMatching(/^MODEL_(INVALID|NOT_FOUND)$/);
      await expect(use()).rejects.toMatchObject({
        code,
        message: expect.stringMatching(new RegExp(`^[^\\n]*(${file}|contains no ONNX model)[^\\n]*$`)),
      });
    },
  );
});

describe('files of VoxCPM-ONNX', () => {
  beforeEach(async () => {
    model = await mkdtemp(join(folder, 'model-'));
    await cp(join(fixtures, 'voxcpm-onnx'), model, { recursive: true });
    // The first wrong file is named, and this one takes a second to load.
    await copyFile(join(model, 'audio_vae_encoder.onnx'), join(model, 'voxcpm_decode_step.onnx'));
  });

  it.each([
    ['audio_vae_encoder.onnx', 'audio_vae_decoder.onnx'],
    ['audio_vae_decoder.onnx', 'voxcpm_prefill.onnx'],
    ['voxcpm_prefill.onnx', 'audio_vae_encoder.onnx'],
    ['voxcpm_decode_step.onnx', 'voxcpm_prefill.onnx'],
  ])('are refused with %s replaced by another file', async (file, other) => {
    await copyFile(join(model, other), join(model, file));
    await expect(useVoxcpmOnnx()).rejects.toMatchObject(refusal(new RegExp(`^${file}: `)));
  });

  it.each(['tokenizer.json', 'config.json'])('are refused with a named pipe as %s', async (file) => {
    await rm(join(model, file), { force: true });
    execFileSync('mkfifo', [join(model, file)]);
    expect(await readdir(model)).toContain(file);
    await expect(useVoxcpmOnnx()).rejects.toMatchObject(refusal(/ is a pipe or device, not a file$/));
  });
});
