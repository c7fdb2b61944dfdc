/** GGUF files with invalid metadata, tensor tables, alignment and weights. */
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openCheckpoint } from '../../export/checkpoint.ts';
import { matchTensors } from '../../export/expected-tensors.ts';
import { exportGguf } from '../../export/export-gguf.ts';
import { loadAddon } from '../../src/engine/backends/native/load-addon.ts';
import { openNativeBackend } from '../../src/engine/backends/native/native.ts';
import { createTokenizer } from '../../src/engine/text/tokenizer.ts';
import { toSvcError } from '../../src/errors.ts';
import type { Parts, Tensor, Value } from './gguf-parts.ts';
import { array, float32, parse, serialize, string, text, u32, u64, uint32, widths } from './gguf-parts.ts';
import { mutateBytes, strangeNumbers } from './mutate-bytes.ts';
import { pick, type Random } from './random.ts';
import type { Target } from './target.ts';
import { useBackend } from './use-backend.ts';

/** Valid and invalid sizes for configurations. */
const sizes = [0, 1, 2, 3, 4, 7, 8, 16, 24, 31, 32, 33, 63, 64, 65, 128, 1000, 4096, 65_536, 1_048_576, 2 ** 24, 1e9];

function number(type: number, random: Random): Buffer {
  const value = random(2) === 0 ? BigInt(pick(random, sizes)) : pick(random, strangeNumbers);
  if (type === float32) {
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(pick(random, [Number(value), Number.NaN, Number.POSITIVE_INFINITY, -1, 1e-30, 0]));
    return bytes;
  }
  return u64(value).subarray(0, widths[type] ?? 4);
}

function mutateValue({ key, type, bytes }: Value, random: Random): Value {
  if (type === text) {
    if (random(3) === 0)
      return { key, type, bytes: Buffer.concat([u64(pick(random, strangeNumbers)), bytes.subarray(8)]) };
    const words = bytes.toString('utf8', 8);
    const made = pick(random, ['', 'x', words.toUpperCase(), words.slice(0, random(words.length)), '\0\n\u001b[31m']);
    return { key, type, bytes: string(made) };
  }
  if (type === array && bytes.length >= 12) {
    const element = bytes.readUInt32LE();
    const width = widths[element] ?? 0;
    if (random(4) === 0) return { key, type, bytes: Buffer.concat([u32(random(14)), bytes.subarray(4)]) };
    if (random(3) === 0 || width === 0) {
      const length = u64(pick(random, strangeNumbers));
      return { key, type, bytes: Buffer.concat([bytes.subarray(0, 4), length, bytes.subarray(12)]) };
    }
    const count = pick(random, [0, 1, 2, 16, 31, 32, 33, 1000]);
    const items = Array.from({ length: count }, (_, index) =>
      random(2) === 0
        ? number(element, random)
        : (bytes.subarray(12 + (index % 2) * width, 12 + ((index % 2) + 1) * width) as Buffer),
    );
    const fitting = items.map((item) => Buffer.concat([item, Buffer.alloc(width)]).subarray(0, width));
    return { key, type, bytes: Buffer.concat([u32(element), u64(BigInt(count)), ...fitting]) };
  }
  const other = random(5) === 0 ? pick(random, [0, 1, 4, 5, 6, 7, 10, 11, 12, 13]) : type;
  return { key, type: other, bytes: number(other, random) };
}

function mutateTensor({ name, dimensions, type, offset }: Tensor, random: Random): Tensor {
  switch (random(5)) {
    case 0:
      return { name: pick(random, ['', 'x'.repeat(200), `${name}\n`, name.slice(1)]), dimensions, type, offset };
    case 1:
      return { name, dimensions, type: random(45), offset };
    case 2:
      return { name, dimensions, type, offset: pick(random, [...strangeNumbers, offset + 1n, offset + 32n]) };
    case 3:
      return { name, dimensions: Array.from({ length: random(7) }, () => BigInt(1 + random(64))), type, offset };
    default: {
      const changed = random(Math.max(1, dimensions.length));
      const length = pick(random, [...strangeNumbers, ...sizes.map(BigInt)]);
      return { name, dimensions: dimensions.map((old, index) => (index === changed ? length : old)), type, offset };
    }
  }
}

/** Makes values of a float32 tensor, or block scales, NaN or infinite. */
function spoil(data: Buffer, tensor: Tensor, random: Random): Buffer {
  const spoiled = Buffer.from(data);
  const start = Number(tensor.offset);
  const word = pick(random, [0x7fc00000, 0x7f800000, 0xff800000, 0x7f7fffff, 0x7e007e00, 0x7c007c00]);
  const count = pick(random, [1, 1, 64]);
  for (let index = 0; index < count; index += 1) {
    const at = start + 4 * index;
    if (at + 4 <= spoiled.length) spoiled.writeUInt32LE(word, at);
  }
  return spoiled;
}

function mutateParts(parts: Parts, random: Random): { readonly parts: Parts; readonly change: string } {
  const { values, tensors } = parts;
  const valueAt = random(Math.max(1, values.length));
  const tensorAt = random(Math.max(1, tensors.length));
  const value = values[valueAt];
  const tensor = tensors[tensorAt];
  const counted = (changed: Partial<Pick<Parts, 'values' | 'tensors'>>): Parts => ({
    ...parts,
    ...changed,
    valueCount: BigInt((changed.values ?? values).length),
    tensorCount: BigInt((changed.tensors ?? tensors).length),
  });
  const kind = random(20);
  if (value && kind < 9) {
    const changed = mutateValue(value, random);
    const shown = changed.type === text || changed.type === array ? '' : ` = ${changed.bytes.toString('hex')}`;
    return { parts: counted({ values: values.with(valueAt, changed) }), change: `${value.key}${shown} changed` };
  }
  if (value && kind === 9) {
    return { parts: counted({ values: values.toSpliced(valueAt, 1) }), change: `${value.key} removed` };
  }
  if (value && kind === 10) return { parts: counted({ values: [...values, value] }), change: `${value.key} twice` };
  if (kind === 11) {
    const alignment = pick(random, [0, 1, 2, 4, 8, 16, 24, 32, 64, 4096, 2 ** 20, 2 ** 31]);
    const added = { key: 'general.alignment', type: uint32, bytes: u32(alignment) };
    const layout = random(2) === 0 && alignment > 0 && alignment <= 4096 ? alignment : 32;
    const changed = { ...counted({ values: [...values, added] }), alignment: layout };
    return { parts: changed, change: `alignment ${alignment}` };
  }
  if (tensor && kind < 16) {
    if (kind === 12) {
      const changed = [tensors.toSpliced(tensorAt, 1), [], [...tensors, tensor]][random(3)] ?? [];
      return { parts: counted({ tensors: changed }), change: `${tensors.length} tensors became ${changed.length}` };
    }
    const changed = mutateTensor(tensor, random);
    return { parts: counted({ tensors: tensors.with(tensorAt, changed) }), change: `tensor ${tensor.name} changed` };
  }
  if (tensor && kind < 18)
    return { parts: { ...parts, data: spoil(parts.data, tensor, random) }, change: `values of ${tensor.name}` };
  if (tensor && kind === 18 && random(8) === 0) {
    const more = Array.from({ length: 50_000 }, (_, index) => ({ ...tensor, name: `more.${index}`, offset: 0n }));
    return { parts: counted({ tensors: [...tensors, ...more] }), change: '50,000 tensors more' };
  }
  switch (random(4)) {
    case 0:
      return { parts: { ...parts, tensorCount: pick(random, strangeNumbers) }, change: 'number of tensors' };
    case 1:
      return { parts: { ...parts, valueCount: pick(random, strangeNumbers) }, change: 'number of values' };
    case 2:
      return { parts: { ...parts, version: pick(random, [0, 1, 2, 4, 2 ** 24 * 3]) }, change: 'version' };
    default:
      return { parts: { ...parts, magic: 'GGUG' }, change: 'first letters' };
  }
}

const fixtures = new URL('../fixtures/', import.meta.url).pathname;
const files = ['f32.gguf', 'q8_0.gguf', 'peer.gguf'];
const modelFile = 'model.gguf';

async function readAsCheckpoint(path: string): Promise<void> {
  await using checkpoint = await openCheckpoint(path);
  const matched = matchTensors(checkpoint.config, checkpoint.tensors);
  for (const { source } of matched.slice(0, 4)) await source.read(0, 1);
}

export const target: Target = {
  refusals: ['MODEL_INVALID', 'OUT_OF_MEMORY'],

  async prepare(folder) {
    const { quantize } = await loadAddon();
    for (const [name, type] of Object.entries({ 'tiny-v1': 'f32', 'tiny-v2': 'q8_0' } as const)) {
      const checkpoint = join(fixtures, name, 'checkpoint');
      await exportGguf({ checkpoint, output: join(folder, `${type}.gguf`), type, quantize });
    }
    await copyFile(join(fixtures, 'peer-tiny-v15.gguf'), join(folder, 'peer.gguf'));
    await copyFile(join(folder, 'f32.gguf'), join(folder, modelFile));
  },

  async mutate(source, work, random) {
    const file = pick(random, files);
    const original = await readFile(join(source, file));
    const { headerBytes, ...parts } = parse(original);
    const write = (bytes: Buffer): Promise<void> => writeFile(join(work, modelFile), bytes);
    if (random(4) === 0) {
      const { bytes, change } = mutateBytes(original, random, { start: 0, end: headerBytes });
      await write(bytes);
      return `${file}: ${change}`;
    }
    let mutated: Parts = parts;
    const changes: string[] = [];
    for (let count = pick(random, [1, 1, 1, 2, 3]); count > 0; count -= 1) {
      const next = mutateParts(mutated, random);
      mutated = next.parts;
      changes.push(next.change);
    }
    const bytes = serialize(mutated);
    await write(random(20) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes);
    return `${file}: ${changes.join('; ')}`;
  },

  async run(work, random) {
    const path = join(work, modelFile);
    // The engine may accept what the exporter refuses and vice versa, such as files of other converters.
    await readAsCheckpoint(path).catch((thrown: unknown) => {
      const error = toSvcError(thrown);
      if (error.code !== 'MODEL_INVALID' || error.message.includes('\n')) throw error;
    });
    const kernels = pick(random, ['', '', 'portable', 'ggml']);
    const backend = await openNativeBackend(path, { backend: 'cpu', threads: 1, kernels });
    try {
      createTokenizer((key) => backend.metadata(key));
      await useBackend(backend, { timesteps: 3 });
    } finally {
      await backend[Symbol.asyncDispose]();
    }
  },
};
