/** LoRA adapters with invalid tensors, pickles and configurations. */
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readAdapter } from '../../src/engine/lora/read-adapter.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { mutateJson } from './mutate-json.ts';
import { pickleBomb } from './pickle-bomb.ts';
import { pick } from './random.ts';
import type { Target } from './target.ts';

const fixtures = new URL('../fixtures/lora/', import.meta.url).pathname;
const adapters = ['tiny-v2-dit', 'tiny-v1-lm'];
const configFile = 'lora_config.json';
const used = 'adapter';

export const target: Target = {
  refusals: ['MODEL_INVALID', 'MODEL_NOT_FOUND'],

  async prepare(folder) {
    for (const name of adapters) await cp(join(fixtures, name, 'lora'), join(folder, name), { recursive: true });
    await cp(join(folder, adapters[0] ?? ''), join(folder, used), { recursive: true });
  },

  async mutate(source, work, random) {
    const name = pick(random, adapters);
    const folder = join(work, used);
    await mkdir(folder);
    const files = await readdir(join(source, name));
    for (const file of files) await copyFile(join(source, name, file), join(folder, file));
    const weightsFile = files.find((file) => file !== configFile) ?? '';
    const original = await readFile(join(source, name, weightsFile));
    switch (random(5)) {
      case 3: {
        if (!weightsFile.endsWith('.ckpt')) break;
        const { bytes, change } = pickleBomb(random);
        await writeFile(join(folder, weightsFile), bytes);
        return `${name}: ${change}`;
      }
      case 0: {
        const { text, change } = mutateJson(await readFile(join(source, name, configFile), 'utf8'), random);
        await writeFile(join(folder, configFile), text);
        return `${name}: ${change}`;
      }
      case 1: {
        if (weightsFile.endsWith('.ckpt')) break;
        const end = 8 + Number(original.readBigUInt64LE());
        const { text, change } = mutateJson(original.toString('utf8', 8, end), random);
        const length = Buffer.alloc(8);
        length.writeBigUInt64LE(BigInt(Buffer.byteLength(text)));
        await writeFile(join(folder, weightsFile), Buffer.concat([length, Buffer.from(text), original.subarray(end)]));
        return `${name}: ${change}`;
      }
      case 2:
        if (random(4) > 0) break;
        await rm(join(folder, configFile));
        return `${name}: no configuration`;
    }
    const { bytes, change } = mutateBytes(original, random);
    await writeFile(join(folder, weightsFile), bytes);
    return `${name}: ${change}`;
  },

  async run(work) {
    await readAdapter(join(work, used));
  },
};
