import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { exportGguf } from '../../export/export-gguf.ts';
import { typeTraits, weightTypes } from '../../export/gguf/tensor-types.ts';
import { loadAddon } from '../../src/engine/backends/native/load-addon.ts';
import { fromHalf } from '../../src/formats/float-conversion.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { floatsOf, readGguf } from './read-gguf.ts';

const fixtures = new URL('../fixtures/', import.meta.url).pathname;

describe('block types', () => {
  it('have the traits of ggml', async () => {
    const addon = await loadAddon();
    for (const type of weightTypes) {
      const { id, blockElements, blockBytes } = typeTraits[type];
      expect([type, addon.typeTraits(type)]).toEqual([type, { id, blockElements, blockBytes }]);
    }
  });

  it('q8_0 of ggml is accurate to half a step of the block', async () => {
    await using folder = await temporaryFolder();
    const output = folder.join('model.gguf');
    const addon = await loadAddon();
    const quantize = (type: string, values: Float32Array, rowLength: number) => addon.quantize(type, values, rowLength);
    const result = await exportGguf({
      checkpoint: join(fixtures, 'tiny-v1', 'checkpoint'),
      output,
      type: 'q8_0',
      quantize,
    });
    expect(result.types.q8_0).toBeGreaterThan(40);
    const { tensors } = await readGguf(output);
    const reference = await readGguf(join(fixtures, 'peer-tiny-v1.gguf'));
    const values = floatsOf(reference.tensors.get('blk.2.ffn_down.weight'));
    const bytes = tensors.get('blk.2.ffn_down.weight')?.bytes ?? new Uint8Array();
    const quants = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let block = 0; block < values.length / 32; block += 1) {
      const scale = fromHalf(new Uint16Array(bytes.slice(block * 34, block * 34 + 2).buffer))[0] ?? 0;
      for (let element = 0; element < 32; element += 1) {
        const restored = scale * (quants[block * 34 + 2 + element] ?? 0);
        // The scale is rounded to half precision.
        expect(Math.abs(restored - (values[block * 32 + element] ?? 0))).toBeLessThanOrEqual(
          scale * (0.5 + 127 * 2 ** -11),
        );
      }
    }
  });

  it('quantize rows in parts, with little more memory than the tensor', async () => {
    const addon = await loadAddon();
    const values = Float32Array.from({ length: 1024 }, (_, index) => Math.sin(index));
    const parts = [values.subarray(0, 512), values.subarray(512)].map((part) => addon.quantize('q4_k', part, 256));
    expect(Buffer.concat(parts)).toEqual(Buffer.from(addon.quantize('q4_k', values, 256)));
  });
});
