import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openCheckpoint } from '../../export/checkpoint.ts';
import { exportGguf } from '../../export/export-gguf.ts';
import { f32, type GgufValue, text, u32 } from '../../export/gguf/metadata.ts';
import { openNativeBackend } from '../../src/engine/backends/native/native.ts';
import { createTokenizer } from '../../src/engine/text/tokenizer.ts';
import { readGolden } from '../support/golden.ts';
import { freshFolder } from '../support/test-folder.ts';
import { writeOmniFiles } from './llama-omni-files.ts';
import { readGguf } from './read-gguf.ts';

const fixtures = join(import.meta.dirname, '../fixtures');

const folder = freshFolder();

/** Keys of settings that the files lack: none of them changes a value. */
const lost = /^voxcpm_(max_length|dtype|device|lm_config_(dim_model|scale)|dit_config_cfm_config_)/;

describe.each([
  ['tiny-v2', 'minicpm4'],
  ['tiny-v1', 'MiniCPM4'],
])('%s in two files of llama.cpp-omni', (name, architecture) => {
  const directory = join(fixtures, name, 'checkpoint');

  it('is exported like the checkpoint', async () => {
    const { base, acoustic } = await writeOmniFiles(directory, folder.path, architecture);
    const exported = async (checkpoint: string) => {
      const output = folder.join('ours.gguf');
      await exportGguf({ checkpoint, output, type: 'f32' });
      return readGguf(output);
    };
    const expected = await exported(directory);
    for (const path of [base, acoustic]) {
      const { tensors, metadata } = await exported(path);
      expect([...tensors.keys()].sort()).toEqual(
        [...expected.tensors.keys()].filter((key) => !key.endsWith('sr_bin_boundaries')).sort(),
      );
      const bytesOf = (bytes: Uint8Array | undefined): Buffer => Buffer.from(bytes ?? []);
      for (const [key, { bytes }] of tensors) {
        expect([key, bytesOf(bytes).equals(bytesOf(expected.tensors.get(key)?.bytes))]).toEqual([key, true]);
      }
      const settings = [...expected.metadata].filter(([key]) => key.startsWith('voxcpm_') && !lost.test(key));
      for (const [key, { value }] of settings) expect([key, metadata.get(key)?.value]).toEqual([key, value]);
    }
  });

  it('may have 64-bit integers', async () => {
    const context = { type: 'u64', value: 123 } as const;
    const { base } = await writeOmniFiles(directory, folder.path, architecture, {
      context_length: context,
      'rope.scaling.original_context_length': context,
    });
    await using checkpoint = await openCheckpoint(base);
    expect(checkpoint.config.lm_config).toMatchObject({
      max_position_embeddings: 123,
      rope_scaling: { original_max_position_embeddings: 123 },
    });
  });

  it('keeps the tokenizer', async () => {
    const { base } = await writeOmniFiles(directory, folder.path, architecture);
    await using checkpoint = await openCheckpoint(base);
    const { tokenizer: json } = checkpoint.tokenizerFiles;
    const tokenizer = createTokenizer((key) => (key === 'tokenizer.huggingface.json' ? json : undefined));
    for (const { text, ids } of readGolden(join(fixtures, name)).tokenizer) {
      expect([text, ...tokenizer.encode(text)]).toEqual([text, ...ids]);
    }
  });
});

describe('one of two files of llama.cpp-omni', () => {
  const write = () => writeOmniFiles(join(fixtures, 'tiny-v1/checkpoint'), folder.path);

  it('finds the other, of another type', async () => {
    const { base, acoustic } = await write();
    await rename(acoustic, join(dirname(acoustic), 'voxcpm2-acoustic-f16.gguf'));
    await using checkpoint = await openCheckpoint(base);
    expect(checkpoint.weightFiles[1]).toMatch(/voxcpm2-acoustic-f16\.gguf$/);
  });

  it('is not run, but says how both are converted', async () => {
    const { base, acoustic } = await writeOmniFiles(join(fixtures, 'tiny-v2/checkpoint'), folder.path, 'MiniCPM4');
    for (const path of [base, acoustic]) {
      await expect(openNativeBackend(path, { backend: 'cpu', threads: 1, kernels: '' })).rejects.toMatchObject({
        code: 'MODEL_INVALID',
        message: `${path}: one of the two files of llama.cpp-omni; convert both with 'svc export --format gguf --model-path FILE --output model.gguf'`,
      });
    }
  });

  it.each<[GgufValue, string]>([
    [u32(1_073_741_824), 'must be an even integer from 2 to 1024, got 1073741824'],
    [u32(3), 'must be an even integer from 2 to 1024, got 3'],
    [u32(0), 'must be an even integer from 2 to 1024, got 0'],
    [f32(2.5), 'must be an even integer from 2 to 1024, got 2.5'],
    [{ type: 'u64', value: 2 ** 53 }, 'must be an even integer from 2 to 1024, got 9007199254740992'],
    [text('8'), 'is no number'],
  ])('refuses heads of length %j', async (length, problem) => {
    const { base } = await writeOmniFiles(join(fixtures, 'tiny-v1/checkpoint'), folder.path, 'minicpm4', {
      'attention.key_length': length,
    });
    await expect(openCheckpoint(base)).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: `${base}: metadata key minicpm4.attention.key_length ${problem}`,
    });
  });

  it('asks for the other', async () => {
    const { base, acoustic } = await write();
    await rm(acoustic);
    await expect(openCheckpoint(base)).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: `${base}: this is one of two files of llama.cpp-omni; put the other, such as "VoxCPM2-Acoustic-F16.gguf", into the same folder`,
    });
    await rename(base, acoustic);
    await expect(openCheckpoint(acoustic)).rejects.toThrow('such as "VoxCPM2-Acoustic-F16.gguf", into');
  });
});
