/** The exports against the one description of a model's weights that all executors load by. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { expectedTensors } from '../../export/expected-tensors.ts';
import { exportGguf } from '../../export/export-gguf.ts';
import { ggufName } from '../../export/gguf/names.ts';
import { parseModelConfig } from '../../export/model-config.ts';
import { loadAddon } from '../../src/engine/backends/native/load-addon.ts';
import { fixtures, tinyModels } from '../golden/tiny-models.ts';
import { freshFolder } from '../support/test-folder.ts';
import { readGguf } from './read-gguf.ts';

/** Tensors without weights to load: boundaries of sample rates, and the variance of latents, which nothing samples. */
const unused = /^audio_vae\.(?:decoder\.sr_bin_boundaries|encoder\.fc_logvar\.)/;
/** Vectors are stored with more dimensions in places. */
const withoutOnes = (shape: readonly number[]): readonly number[] => shape.filter((length) => length !== 1);

async function described(path: string): Promise<ReadonlyMap<string, readonly number[]>> {
  const { describedWeights } = await loadAddon();
  if (describedWeights === undefined) throw new Error('the addon is built without probes');
  return new Map(Object.entries(describedWeights(path)).map(([name, shape]) => [name, withoutOnes(shape)]));
}

const sorted = (tensors: Iterable<readonly [string, readonly number[]]>) =>
  [...tensors].filter(([name]) => !unused.test(name)).sort(([a], [b]) => (a < b ? -1 : 1));

const folder = freshFolder();

describe.each(tinyModels)('$name', ({ name }) => {
  const checkpoint = join(fixtures, name, 'checkpoint');

  it('is described with the tensors that the GGUF export writes', async () => {
    const output = folder.join(`${name}.gguf`);
    await exportGguf({ checkpoint, output, type: 'f32' });
    const { tensors } = await readGguf(output);
    const written = [...tensors].map(
      ([tensor, { dimensions }]) => [tensor, withoutOnes([...dimensions].reverse().map(Number))] as const,
    );
    expect(sorted(await described(output))).toEqual(sorted(written));
  });

  // The graphs of ONNX models take their weights from these tensors alone.
  it('is described with the tensors that both exports expect of a checkpoint', async () => {
    const config = parseModelConfig(JSON.parse(await readFile(join(checkpoint, 'config.json'), 'utf8')), 'config.json');
    const wanted = expectedTensors(config).map(
      ({ name: official, shape }) => [ggufName(official), withoutOnes(shape)] as const,
    );
    expect(sorted(await described(join(fixtures, `peer-${name}.gguf`)))).toEqual(sorted(wanted));
  });
});
