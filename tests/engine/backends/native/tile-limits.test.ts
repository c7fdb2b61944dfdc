/** The choice between tile registers and vectors, by made-up times: processors with both are rare. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { loadNative } from '../../../../src/engine/backends/native/load-addon.ts';
import { leastColumns, type ProductTimes, tileLimits } from '../../../../src/engine/backends/native/tile-limits.ts';
import { freshFolder } from '../../../support/test-folder.ts';

const { binary } = loadNative();
const never = 2 ** 31 - 1;

describe('the least number of columns for tiles', () => {
  it.each<readonly [string, number, readonly number[], readonly number[]]>([
    ['is where they become faster', 8, [1, 4, 8, 16], [3, 5, 7, 8]],
    ['is one where they always are', 1, [2, 4, 8, 16], [1, 2, 3, 4]],
    ['is none where they never are', never, [1, 4, 8, 16], [2, 5, 9, 17]],
    ['is none where they are not with the most columns', never, [3, 5, 9, 16], [1, 2, 3, 17]],
    ['passes over a number at which they were slower', 8, [3, 4, 8, 16], [1, 5, 6, 9]],
    ['is not where the difference is noise', 16, [1, 4, 8, 16], [1, 4, 7.9, 9]],
    ['is none where a time is missing', never, [1, 4, 8, 16], [0.1, 0.1, 0.1, Number.NaN]],
  ])('%s', (_, expected, vectors, tiles) => {
    expect(leastColumns([1, 4, 8, 16], { vectors, tiles })).toBe(expected);
  });
});

describe('the limits of a processor', () => {
  const folder = freshFolder();
  const files = (): Promise<string[]> => readdir(folder.join('cache', 'kernels'));

  /** An addon on which tiles pay from `bytes` and `nibbles` columns on, and the types that were measured. */
  function fakeAddon(bytes: number, nibbles: number) {
    const measured: string[] = [];
    const productTimes = (_kernels: string, type: string, columns: Int32Array): ProductTimes => {
      measured.push(type);
      const least = type === 'q8_0' ? bytes : nibbles;
      return { vectors: columns, tiles: columns.map((count) => (count >= least ? count / 2 : count * 2)) };
    };
    return { native: { binary, addon: { productTimes: productTimes as never } }, measured };
  }

  it('are measured once, and again for another processor or where the file is broken', async () => {
    const cache = folder.join('cache');
    const first = fakeAddon(10, 24);
    expect(await tileLimits(first.native, 'Xeon A', cache)).toEqual({ bytes: 10, nibbles: 24 });
    const later = fakeAddon(1, 1);
    expect(await tileLimits(later.native, 'Xeon A', cache)).toEqual({ bytes: 10, nibbles: 24 });
    expect([first.measured, later.measured]).toEqual([['q8_0', 'q4_0'], []]);
    expect(await tileLimits(later.native, 'Xeon B', cache)).toEqual({ bytes: 1, nibbles: 1 });
    expect(await files()).toHaveLength(2);
    const broken = ['[]', 'null', '{"limits":{"bytes":0,"nibbles":"8"}}'];
    for (const text of broken) {
      for (const name of await files()) await writeFile(folder.join('cache', 'kernels', name), text);
      expect(await tileLimits(fakeAddon(12, 40).native, 'Xeon A', cache)).toEqual({ bytes: 12, nibbles: 40 });
    }
    const kept = await Promise.all(
      (await files()).map((name) => readFile(folder.join('cache', 'kernels', name), 'utf8')),
    );
    expect(kept.filter((text) => text.includes('"bytes":12'))).toHaveLength(1);
  });

  it('are of another build of the addon no longer', async () => {
    const cache = folder.join('cache');
    await tileLimits(fakeAddon(10, 24).native, 'Xeon A', cache);
    const rebuilt = { ...fakeAddon(6, 16).native, binary: import.meta.filename };
    expect(await tileLimits(rebuilt, 'Xeon A', cache)).toEqual({ bytes: 6, nibbles: 16 });
  });

  it('are measured where nothing can be kept, and not where the addon cannot', async () => {
    await mkdir(folder.join('blocked'));
    await writeFile(folder.join('blocked', 'kernels'), '');
    expect(await tileLimits(fakeAddon(10, 24).native, 'Xeon C', folder.join('blocked'))).toEqual({
      bytes: 10,
      nibbles: 24,
    });
    const without = { binary, addon: { productTimes: () => undefined } };
    expect(await tileLimits(without, 'Xeon D', folder.join('cache'))).toBeUndefined();
  });
});
