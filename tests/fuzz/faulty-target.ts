import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import { pick } from './random.ts';
import type { Target } from './target.ts';

/** Faults of a reader, chosen by a file of this content. */
export const faults = ['used', 'refused', 'crash', 'hang', 'memory', 'code', 'lines'] as const;

export const memoryLimit = 128 * 1024 ** 2;

/** A reader with every fault that a campaign must detect. */
export const target: Target = {
  refusals: ['MODEL_INVALID'],
  prepare: (folder) => writeFile(join(folder, 'file'), 'used'),
  async mutate(_, work, random) {
    const fault = pick(random, faults);
    await writeFile(join(work, 'file'), fault);
    return fault;
  },
  async run(work) {
    switch (await readFile(join(work, 'file'), 'utf8')) {
      case 'refused':
        throw new SvcError('MODEL_INVALID', 'not this one');
      case 'code':
        throw new SvcError('INTERNAL', 'a mistake');
      case 'lines':
        throw new SvcError('MODEL_INVALID', 'two\nlines');
      case 'crash':
        return process.abort();
      case 'hang':
        for (;;);
      case 'memory':
        Buffer.alloc(2 * memoryLimit, 1);
    }
  },
};
