/** Folders of ONNX files with invalid manifests, graphs, external weights and tokenizers. */
import { copyFile, cp, link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { exportOnnx } from '../../export/onnx/export-onnx.ts';
import { modelPrecisions } from '../../export/onnx/precision.ts';
import { describeOnnx } from '../../export/onnx/read-model.ts';
import { type GraphProto, ModelProtoSchema, type ValueInfoProto } from '../../export/onnx/schema.ts';
import type { Backend } from '../../src/engine/backend.ts';
import { openExportedModel } from '../../src/engine/backends/onnx/exported/model.ts';
import { findOnnxLayout } from '../../src/engine/backends/onnx/layout.ts';
import { manifestName } from '../../src/engine/backends/onnx/manifest.ts';
import { createOnnxBackend } from '../../src/engine/backends/onnx/model.ts';
import { nodePlatform } from '../../src/engine/backends/onnx/node-platform.ts';
import { openOnnxBackend } from '../../src/engine/backends/onnx/open-onnx.ts';
import { openVoxcpmOnnx } from '../../src/engine/backends/onnx/voxcpm-onnx/model.ts';
import { createTokenizer } from '../../src/engine/text/tokenizer.ts';
import { toSvcError } from '../../src/errors.ts';
import { mutateBytes, strangeNumbers } from './mutate-bytes.ts';
import { mutateJson } from './mutate-json.ts';
import { pick, type Random } from './random.ts';
import type { Target } from './target.ts';
import { useBackend } from './use-backend.ts';

const fixtures = new URL('../fixtures/', import.meta.url).pathname;
/** Our exports, full precision and quantized, and one of VoxCPM-ONNX. */
const models = ['exported', 'quantized', 'voxcpm-onnx'];
const used = 'model';

/** A signed 64-bit number for a protobuf field. */
const strange = (random: Random): bigint =>
  BigInt.asIntN(64, pick(random, [...strangeNumbers, 3n, 5n, 12n, 64n, 1000n]));

function mutateInterface(values: ValueInfoProto[], random: Random): string {
  const at = random(Math.max(1, values.length));
  const value = values[at];
  if (value === undefined) return 'nothing changed';
  const type = value.type?.value;
  switch (random(5)) {
    case 0:
      values.splice(at, 1);
      return `${value.name} removed`;
    case 1:
      value.name = pick(random, ['', 'x', 'a'.repeat(10_000)]);
      return 'renamed';
    case 2:
      if (type?.case === 'tensorType') type.value.elemType = random(24);
      return `${value.name} of another type`;
    case 3:
      if (type?.case === 'tensorType') type.value.shape?.dim.splice(0, 1 + random(2));
      return `${value.name} of lower rank`;
    default: {
      const dimensions = type?.case === 'tensorType' ? (type.value.shape?.dim ?? []) : [];
      if (dimensions.length > 0) pick(random, dimensions).value = { case: 'dimValue', value: strange(random) };
      return `${value.name} of another shape`;
    }
  }
}

const operators = ['MatMul', 'Reshape', 'Expand', 'Identity', 'Loop', 'NoSuchOperator', 'Tile', 'Range'];

function mutateGraph(graph: GraphProto, random: Random): string {
  const node = graph.node.length > 0 ? pick(random, graph.node) : undefined;
  const tensor = graph.initializer.length > 0 ? pick(random, graph.initializer) : undefined;
  const kind = random(12);
  if (kind === 0) return `input ${mutateInterface(graph.input, random)}`;
  if (kind === 1 || kind === 2) return `output ${mutateInterface(graph.output, random)}`;
  if (tensor && kind < 7) {
    const { name } = tensor;
    const [location] = tensor.externalData;
    switch (random(5)) {
      case 0:
        tensor.dims = tensor.dims.map((length) => (random(2) === 0 ? length : strange(random)));
        return `dimensions of ${name}`;
      case 1:
        tensor.dataType = random(24);
        return `type of ${name}`;
      case 2:
        if (tensor.rawData.length > 0) tensor.rawData = mutateBytes(Buffer.from(tensor.rawData), random).bytes;
        else if (location) location.value = pick(random, ['', 'nowhere', '../x', '/dev/zero', '/etc/passwd', '.']);
        return `values or place of ${name}`;
      case 3:
        for (const entry of tensor.externalData) if (entry.key !== 'location') entry.value = String(strange(random));
        return `offset and length of ${name}`;
      default:
        graph.initializer = graph.initializer.filter((other) => other !== tensor);
        return `${name} removed`;
    }
  }
  if (node === undefined) return 'nothing changed';
  switch (random(6)) {
    case 0:
      graph.node = graph.node.filter((other) => other !== node);
      return `node ${node.name} removed`;
    case 1:
      node.opType = pick(random, operators);
      return `operator of ${node.name}`;
    case 2:
      node.input = node.input.map((name) => (random(2) === 0 ? name : pick(random, ['', ...node.output, 'nowhere'])));
      return `inputs of ${node.name}`;
    case 3:
      for (const attribute of node.attribute) {
        attribute.i = strange(random);
        attribute.ints = attribute.ints.map(() => strange(random));
      }
      return `attributes of ${node.name}`;
    case 4:
      node.output = node.output.map(() => pick(random, ['', 'x', ...graph.output.map(({ name }) => name)]));
      return `outputs of ${node.name}`;
    default:
      node.input = node.input.toReversed();
      return `order of the inputs of ${node.name}`;
  }
}

async function mutateGraphFile(path: string, random: Random): Promise<{ bytes: Uint8Array; change: string }> {
  const original = await readFile(path);
  // In files with embedded weights, the structure is at both ends.
  if (random(4) === 0) return mutateBytes(original, random, { start: 0, end: Math.min(original.length, 100_000) });
  const model = fromBinary(ModelProtoSchema, original);
  const changes: string[] = [];
  for (let count = pick(random, [1, 1, 1, 2, 4]); count > 0 && model.graph; count -= 1) {
    changes.push(mutateGraph(model.graph, random));
  }
  if (random(20) === 0) model.opsetImport = [];
  return { bytes: toBinary(ModelProtoSchema, model), change: changes.join('; ') };
}

/** The manifest without sizes and hashes, so that changed files are opened at all. */
async function forgetDigests(folder: string): Promise<void> {
  const path = join(folder, manifestName);
  const manifest = JSON.parse(await readFile(path, 'utf8')) as { files?: unknown };
  delete manifest.files;
  await replace(path, JSON.stringify(manifest));
}

/** The files of a round are links; the originals must not change. */
async function replace(path: string, content: string | Uint8Array): Promise<void> {
  await rm(path, { force: true });
  await writeFile(path, content);
}

const openInThread = (folder: string): Promise<Backend> => openOnnxBackend(folder, { backend: 'cpu', threads: 1 });

/** The same in the caller's thread. */
async function openHere(directory: string): Promise<Backend> {
  const options = { directory, device: 'cpu', threads: 1 } as const;
  const model =
    (await findOnnxLayout(directory)) === 'exported'
      ? await openExportedModel(await nodePlatform(options))
      : await openVoxcpmOnnx(options);
  return createOnnxBackend(model);
}

export const target: Target = {
  refusals: ['MODEL_INVALID', 'MODEL_NOT_FOUND', 'OUT_OF_MEMORY'],

  async prepare(folder) {
    const exports = [
      ['exported', 'tiny-v1', 'f32'],
      ['quantized', 'tiny-v2', 'q8'],
    ] as const;
    for (const [name, checkpoint, precision] of exports) {
      await exportOnnx({
        checkpoint: join(fixtures, checkpoint, 'checkpoint'),
        output: join(folder, name),
        types: modelPrecisions[precision],
      });
    }
    await cp(join(fixtures, 'voxcpm-onnx'), join(folder, 'voxcpm-onnx'), { recursive: true });
    await cp(join(folder, 'exported'), join(folder, used), { recursive: true });
  },

  async mutate(source, work, random) {
    const model = pick(random, ['exported', 'exported', ...models]);
    const folder = join(work, used);
    await mkdir(folder);
    const files = await readdir(join(source, model));
    for (const file of files) {
      const from = join(source, model, file);
      await link(from, join(folder, file)).catch(() => copyFile(from, join(folder, file)));
    }
    const isExported = files.includes(manifestName);
    const kind = random(20);
    if (isExported && kind < 9) {
      const path = join(folder, manifestName);
      const original = await readFile(path);
      if (kind === 0) {
        const { bytes, change } = mutateBytes(original, random);
        await replace(path, bytes);
        return `${model}/${manifestName}: ${change}`;
      }
      const first = mutateJson(original.toString(), random);
      const { text, change } = random(3) === 0 ? mutateJson(first.text, random) : first;
      await replace(path, text);
      return `${model}/${manifestName}: ${change === first.change ? change : `${first.change}; ${change}`}`;
    }
    if (isExported && random(8) > 0) await forgetDigests(folder);
    const filesLike = (pattern: RegExp) => files.filter((file) => pattern.test(file));
    const named = (pattern: RegExp): string => pick(random, filesLike(pattern));
    if (kind < 16) {
      const file = named(/\.onnx$/);
      const { bytes, change } = await mutateGraphFile(join(folder, file), random);
      await replace(join(folder, file), bytes);
      return `${model}/${file}: ${change}`;
    }
    if (kind === 16) {
      const { text, change } = mutateJson(await readFile(join(folder, 'tokenizer.json'), 'utf8'), random);
      await replace(join(folder, 'tokenizer.json'), text);
      return `${model}/tokenizer.json: ${change}`;
    }
    if (kind === 17) {
      const file = named(/./);
      await rm(join(folder, file));
      if (random(2) === 0) await mkdir(join(folder, file));
      return `${model}/${file}: missing`;
    }
    if (kind === 18) {
      const [file, other] = [named(/\.onnx$/), named(/\.onnx$/)];
      await replace(join(folder, file), await readFile(join(source, model, other)));
      return `${model}/${file}: became ${other}`;
    }
    const file = named(/\.data$|\.onnx$/);
    const { bytes, change } = mutateBytes(await readFile(join(folder, file)), random);
    await replace(join(folder, file), bytes);
    return `${model}/${file}: ${change}`;
  },

  async run(work, random) {
    const folder = join(work, used);
    // svc inspect
    for (const file of (await readdir(folder)).filter((name) => name.endsWith('.onnx'))) {
      await describeOnnx(join(folder, file)).catch((thrown: unknown) => {
        const error = toSvcError(thrown);
        if (!['MODEL_INVALID', 'IO'].includes(error.code) || error.message.includes('\n')) throw error;
      });
    }
    // A thread per round would take most of the time.
    const open = random(16) === 0 ? openInThread : openHere;
    const backend = await open(folder);
    try {
      createTokenizer((key) => backend.metadata(key));
      await useBackend(backend, { timesteps: 10 });
    } finally {
      await backend[Symbol.asyncDispose]();
    }
  },
};
