/** Files of `torch.save`, as archives and in the format before 1.6. */
import { copyFile, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { elementCount } from '../../src/formats/safetensors.ts';
import { readTorchCheckpoint } from '../../src/formats/torch-checkpoint.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { pickleBomb } from './pickle-bomb.ts';
import { pick } from './random.ts';
import type { Target } from './target.ts';

const fixtures = join(import.meta.dirname, '../fixtures/torch');
const modelFile = 'model.bin';
/** Elements; the exporter reads large tensors in parts. */
const longestRead = 1024 * 1024;

/** Opcodes that build, name or call something. */
const opcodes = [...'(.0KMJNQRUX]}abcehjlqrstu)\x80\x81\x85\x86\x87\x88\x8a\x8c\x8f\x90\x93\x94\x95'];

export const target: Target = {
  refusals: ['MODEL_INVALID'],

  async prepare(folder) {
    for (const name of await readdir(fixtures)) await copyFile(join(fixtures, name), join(folder, name));
    await copyFile(join(fixtures, 'state-dict-legacy.bin'), join(folder, modelFile));
  },

  async mutate(source, work, random) {
    const file = pick(random, (await readdir(fixtures)).sort());
    const original = await readFile(join(source, file));
    const write = (bytes: Buffer): Promise<void> => writeFile(join(work, modelFile), bytes);
    if (random(16) === 0) {
      const { bytes, change } = pickleBomb(random);
      await write(bytes);
      return change;
    }
    if (random(2) === 0) {
      const { bytes, change } = mutateBytes(original, random);
      await write(bytes);
      return `${file}: ${change}`;
    }
    const bytes = Buffer.from(original);
    const places = Array.from({ length: 1 + random(3) }, () => random(bytes.length));
    for (const place of places) bytes.write(pick(random, opcodes), place, 'latin1');
    await write(bytes);
    return `${file}: opcodes at ${places.join(', ')}`;
  },

  async run(work) {
    const handle = await open(join(work, modelFile), 'r');
    try {
      for (const tensor of await readTorchCheckpoint(handle, modelFile)) {
        await tensor.read(0, Math.min(elementCount(tensor.shape), longestRead));
      }
    } finally {
      await handle.close();
    }
  },
};
