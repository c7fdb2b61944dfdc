import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { openCheckpoint } from '../../../export/checkpoint.ts';
import { productError } from '../../../export/onnx/check-products.ts';
import { checkQuantization } from '../../../export/onnx/check-quantization.ts';
import { weightError } from '../../../export/onnx/check-weights.ts';
import { exportOnnx } from '../../../export/onnx/export-onnx.ts';
import { readWeight, type Weight } from '../../../export/onnx/graph.ts';
import { type GraphDraft, withBodies } from '../../../export/onnx/graph-draft.ts';
import { modelPrecisions, parsePrecisions } from '../../../export/onnx/precision.ts';
import { blockQuantized, columnLevels, columnQuantized, halfMatrix } from '../../../export/onnx/quantize.ts';
import { readDraft } from '../../../export/onnx/read-draft.ts';
import { ModelProtoSchema, type NodeProto } from '../../../export/onnx/schema.ts';
import {
  decodeWeight,
  isQuantizedProduct,
  nodesOf,
  type StoredWeight,
  storedWeights,
} from '../../../export/onnx/stored-weights.ts';
import { workOnFiles } from '../../../export/onnx/work.ts';
import { writeModel } from '../../../export/onnx/writer.ts';
import { rounds } from '../../support/rounds.ts';
import { sharedFolder } from '../../support/test-folder.ts';

const checkpointOf = (model: string): string => join('tests', 'fixtures', model, 'checkpoint');
const checkpoint = checkpointOf('tiny-v1');
const once = { rtol: 1e-3, atol: 1e-4, numTests: 1 };
const types = ['f16', 'q8', 'q4', 'int8'] as const;

const folder = sharedFolder();
beforeAll(async () => {
  for (const type of types) {
    await exportOnnx({
      checkpoint,
      output: join(folder, type),
      types: modelPrecisions[type],
      steps: ['build', 'quantize'],
    });
  }
});

/** A draft with other bytes of one weight. */
function withChanged(draft: GraphDraft, name: string, change: (bytes: Buffer) => void): GraphDraft {
  const weight = draft.weights.get(name);
  if (weight === undefined) throw new Error(`${draft.file} has no weight ${name}`);
  async function* data(): AsyncGenerator<Uint8Array> {
    const bytes = Buffer.from(await readWeight(weight as Weight));
    change(bytes);
    yield bytes;
  }
  return { ...draft, weights: new Map(draft.weights).set(name, { ...weight, data }) };
}

/** Exports with language models of fewer bits, changes a file and validates the export. */
async function validateChanged(types: string, change: (output: string) => Promise<void>): Promise<unknown> {
  const output = await mkdtemp(join(folder, 'changed-'));
  const settings = { checkpoint, output, types: parsePrecisions(types), tolerances: once };
  await exportOnnx({ ...settings, steps: ['build', 'quantize'] });
  await change(output);
  return exportOnnx({ ...settings, steps: ['validate'] });
}

/** Changes the nodes of a file, those of loop bodies included, until one is changed. */
async function changeNode(output: string, file: string, change: (node: NodeProto) => boolean): Promise<void> {
  const model = fromBinary(ModelProtoSchema, await readFile(join(output, file)));
  const nodes = model.graph ? withBodies(model.graph).flatMap(({ node }) => node) : [];
  expect(nodes.some(change)).toBe(true);
  await writeFile(join(output, file), toBinary(ModelProtoSchema, model));
  await forgetSizes(output);
}

/** The manifest would give away a file of another size. */
async function forgetSizes(output: string): Promise<void> {
  const manifest = join(output, 'svc-onnx.json');
  const { files: _, ...rest } = JSON.parse(await readFile(manifest, 'utf8'));
  await writeFile(manifest, JSON.stringify(rest));
}

describe('validation of weights below float32', () => {
  it.each(
    ['tiny-v1', 'tiny-v15', 'tiny-v2']
      .flatMap((model) => (['q4', 'int8'] as const).map((type) => [model, type] as const))
      // Others of the types and models are in voxcpm-onnx.test.ts.
      .filter((_, index) => rounds(index === 4, true)),
  )('passes for %s as %s', async (model, type) => {
    const output = await mkdtemp(join(folder, 'model-'));
    const settings = { checkpoint: checkpointOf(model), output, types: modelPrecisions[type], tolerances: once };
    const { validated } = await exportOnnx({ ...settings, steps: ['build', 'quantize', 'validate'] });
    const { weights = 0, products = 0, ...outputs } = validated?.errors ?? {};
    // Rounding to the nearest step reaches its bound; float32 arithmetic stays far below.
    expect(weights).toBeGreaterThan(0.9);
    expect(weights).toBeLessThanOrEqual(1);
    expect(products).toBeLessThan(1);
    expect(Math.max(...Object.values(outputs))).toBeLessThan(0.5);
    expect(Object.keys(validated?.quantization ?? {})).toEqual(Object.keys(outputs));
  });

  const matrix = 'base_lm.layers.0.mlp.down_proj.weight';
  const file = 'language_models.onnx';
  const flowMatrix = 'feat_decoder.estimator.cond_proj.weight';

  it.each([
    ['q4', file, matrix, 'a code', (bytes: Buffer) => (bytes[5] = (bytes[5] as number) ^ 2)],
    ['int8', file, matrix, 'a code', (bytes: Buffer) => (bytes[5] = (bytes[5] as number) ^ 2)],
    ['q8', file, `${matrix}.scales`, 'a scale', (bytes: Buffer) => bytes.writeFloatLE(bytes.readFloatLE(8) * 1.02, 8)],
    ['int8', file, `${matrix}.scales`, 'a scale', (bytes: Buffer) => bytes.writeFloatLE(-bytes.readFloatLE(8), 8)],
    ['q4', file, `${matrix}.scales`, 'a scale that is no number', (bytes: Buffer) => bytes.writeFloatLE(Number.NaN, 8)],
    ['q4', 'flow.onnx', flowMatrix, 'a code', (bytes: Buffer) => (bytes[5] = (bytes[5] as number) ^ 8)],
    ['f16', file, 'base_lm.embed_tokens.weight', 'a half', (bytes: Buffer) => bytes.writeUInt16LE(0x3c00, 40)],
    ['f16', 'vae_decoder.onnx', 'audio_vae.decoder.model.0.weight', 'a half', (bytes: Buffer) => bytes.fill(0, 2, 4)],
  ])('of %s fails if in %s of %s %s is wrong', async (type, name, tensor, _what, change) => {
    const work = await workOnFiles(join(folder, type), 'validate');
    const drafts = work.drafts.map((draft) =>
      draft.file === name ? withChanged(draft, tensor, (bytes) => void change(bytes)) : draft,
    );
    await using opened = await openCheckpoint(checkpoint);
    await expect(checkQuantization({ ...work, drafts }, { checkpoint: opened, timesteps: 10 })).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: expect.stringMatching(
        new RegExp(`^weight "${tensor.replace('.scales', '')}" of ${name} is not a weight of the checkpoint`),
      ),
    });
  });

  it('ends when it is canceled, before the next weight', async () => {
    const work = await workOnFiles(join(folder, 'q8'), 'validate');
    await using opened = await openCheckpoint(checkpoint);
    const settings = { checkpoint: opened, timesteps: 10, signal: AbortSignal.abort() };
    await expect(checkQuantization(work, settings)).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('fails if a float32 weight is wrong', async () => {
    const changed = validateChanged('lm=f16', async (output) => {
      const draft = await readDraft(output, file);
      const wrong = withChanged(draft, 'base_lm.norm.weight', (bytes) => void bytes.writeFloatLE(3, 0));
      await writeModel(output, wrong, { version: '0' });
      await forgetSizes(output);
    });
    await expect(changed).rejects.toMatchObject({ message: expect.stringContaining('differ from the native engine') });
  });

  it('fails if a quantized product reads another value', async () => {
    const changed = validateChanged('lm=int8', (output) =>
      changeNode(output, file, (node) => {
        if (!isQuantizedProduct(node) || node.input[1] !== 'fsq_layer.out_proj.weight') return false;
        node.input[0] = 'fsq.tanh';
        return true;
      }),
    );
    await expect(changed).rejects.toMatchObject({ message: expect.stringContaining('differ from the native engine') });
  });
});

const [inputs, outputs] = [48, 20];
const source: Weight = {
  name: 'matrix',
  type: 'float32',
  shape: [inputs, outputs],
  async *data() {
    yield new Uint8Array(Float32Array.from({ length: inputs * outputs }, (_, at) => Math.sin(at * at)).buffer);
  },
};
const shape = [inputs, outputs] as const;
const stored: readonly StoredWeight[] = [
  { name: 'matrix', format: 'half', shape, values: halfMatrix(source) },
  { name: 'matrix', format: 'columns', shape, ...columnQuantized(source) },
  { name: 'matrix', format: 'blocks', shape, bits: 8, block: 16, ...blockQuantized(source, { bits: 8, block: 16 }) },
  { name: 'matrix', format: 'blocks', shape, bits: 4, block: 32, ...blockQuantized(source, { bits: 4, block: 32 }) },
];

describe('the bound of a weight', () => {
  it.each(stored)('is reached by rounding to $format, and exceeded by the next code', async (weight) => {
    const decoded = await decodeWeight(weight);
    expect(await weightError(weight, decoded, source)).toBeGreaterThan(0.9);
    expect(await weightError(weight, decoded, source)).toBeLessThanOrEqual(1);
    const levels = [...new Set(decoded)].sort((a, b) => a - b);
    const step = weight.format === 'half' ? 2 ** -9 : Math.abs((levels[1] ?? 0) - (levels[0] ?? 0));
    expect(step).toBeGreaterThan(0);
    const largest = decoded.reduce(
      (best, value, at) => (Math.abs(value) > Math.abs(decoded[best] ?? 0) ? at : best),
      0,
    );
    const size =
      weight.format === 'half'
        ? step
        : Math.abs(decoded[largest] ?? 0) / (weight.format === 'blocks' ? 2 ** (weight.bits - 1) : columnLevels);
    decoded[largest] = (decoded[largest] ?? 0) + size;
    expect(await weightError(weight, decoded, source)).toBeGreaterThan(1);
  });
});

describe('the bound of a product', () => {
  it.each(['q8', 'q4', 'int8'])('of %s holds for its matrix and for no other', async (type) => {
    const draft = await readDraft(join(folder, type), 'language_models.onnx');
    const node = nodesOf(draft).find(isQuantizedProduct) as NodeProto;
    const weight = storedWeights(draft).get(node.input[1] ?? '');
    if (weight === undefined || weight.format === 'half') throw new Error('not quantized');
    const decoded = await decodeWeight(weight);
    expect(await productError(node, weight, decoded)).toBeLessThan(1);
    // One code of one weight, in a row that half of the inputs read.
    const [, width] = weight.shape;
    for (let output = 0; output < width; output += 1) decoded[output] = (decoded[output] ?? 0) + 1e-3;
    expect(await productError(node, weight, decoded)).toBeGreaterThan(10);
  });
});
