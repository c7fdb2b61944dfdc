import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { openCheckpoint } from '../../export/checkpoint.ts';
import { matchTensors } from '../../export/expected-tensors.ts';
import { configMetadata } from '../../export/gguf/config-metadata.ts';
import { tokenizerMetadata } from '../../export/gguf/tokenizer-metadata.ts';
import { createRandom, type Random } from '../fuzz/random.ts';
import { rounds } from '../support/rounds.ts';
import { sharedFolder } from '../support/test-folder.ts';

const fixtures = new URL('../fixtures/', import.meta.url).pathname;

/** Location of a file's structure; mutated weights would only be other weights. */
const structures: Readonly<Record<string, (bytes: Buffer) => readonly [start: number, end: number]>> = {
  'config.json': (bytes) => [0, bytes.length],
  'tokenizer.json': (bytes) => [0, bytes.length],
  'model.safetensors': (bytes) => [0, 8 + Number(bytes.readBigUInt64LE())],
  'audiovae.safetensors': (bytes) => [0, 8 + Number(bytes.readBigUInt64LE())],
  'pytorch_model.bin': (bytes) => [0, bytes.indexOf('data/0')],
  'audiovae.pth': (bytes) => [bytes.length - 20_000, bytes.length],
};

function mutate(bytes: Buffer, file: string, random: Random): Buffer {
  const [start, end] = structures[file]?.(bytes) ?? [0, bytes.length];
  const mutated = Buffer.from(bytes);
  const place = () => start + random(end - start);
  switch (random(4)) {
    case 0:
      return mutated.subarray(0, place());
    case 1:
      return Buffer.concat([mutated.subarray(0, place()), mutated.subarray(place())]);
    default:
      for (let count = 1 + random(4); count > 0; count -= 1) mutated[place()] = random(256);
      return mutated;
  }
}

describe.each([
  ['tiny-v1', ['config.json', 'tokenizer.json', 'pytorch_model.bin', 'audiovae.pth']],
  ['tiny-v2', ['config.json', 'model.safetensors', 'audiovae.safetensors']],
] as const)('mutations of %s', (name, files) => {
  const folder = sharedFolder();
  beforeAll(async () => {
    await cp(join(fixtures, name, 'checkpoint'), folder, { recursive: true });
  });

  it.each(files)('%s is read or refused with a coded one-line error', async (file) => {
    const path = join(folder, file);
    const original = await readFile(path);
    const random = createRandom(20261101);
    let refused = 0;
    const count = rounds(8, 60);
    for (let round = 0; round < count; round += 1) {
      await writeFile(path, mutate(original, file, random));
      try {
        await using checkpoint = await openCheckpoint(folder);
        matchTensors(checkpoint.config, checkpoint.tensors);
        configMetadata(checkpoint.config, checkpoint.configText);
        tokenizerMetadata(checkpoint.tokenizerFiles, checkpoint.config.lm_config.vocab_size);
      } catch (error) {
        expect([round, error]).toEqual([round, expect.objectContaining({ code: 'MODEL_INVALID' })]);
        expect((error as Error).message).toMatch(/^[^\n]+$/);
        refused += 1;
      }
    }
    await writeFile(path, original);
    expect(refused).toBeGreaterThan(count / 6);
  });
});
