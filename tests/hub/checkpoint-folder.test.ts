import { readdir, writeFile } from 'node:fs/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { resolveCheckpointFolder } from '../../src/hub/checkpoint-folder.ts';
import type { Converter } from '../../src/hub/resolve.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { freshFolder } from '../support/test-folder.ts';

const cache = freshFolder();

describe('resolveCheckpointFolder', () => {
  it('needs space for the weights, and converts each state of the folder once', async () => {
    await using folder = await temporaryFolder();
    await writeFile(folder.join('config.json'), '{"architecture":"voxcpm"}');
    await writeFile(folder.join('model.safetensors'), '1234567');
    await writeFile(folder.join('audiovae.pth'), '123');
    await writeFile(folder.join('notes.txt'), 'not read');
    const estimate = jest.fn<Converter['estimate']>(() => 1);
    const convert = jest.fn<Converter['convert']>(({ output }) => writeFile(output, 'gguf'));
    const find = (type?: string) =>
      resolveCheckpointFolder({
        ...{ folder: folder.path, cacheFolder: cache.path, type, converter: { estimate, convert } },
        signal: new AbortController().signal,
      });
    const first = await find();
    expect(await find()).toBe(first);
    expect(estimate.mock.calls).toEqual([[10, 'q8_0']]);
    const other = await find('f16');
    await writeFile(folder.join('model.safetensors'), '12345678');
    const changed = await find();
    expect(convert).toHaveBeenCalledTimes(3);
    // The conversion of the earlier state is gone, that to another type is not.
    const left = [other, changed].map((path) => path.slice(cache.join('checkpoints', '').length));
    expect((await readdir(cache.join('checkpoints'))).sort()).toEqual(left.map((name) => name.replace('/', '')).sort());
  });
});
