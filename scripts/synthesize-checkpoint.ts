/**
 * Writes a checkpoint in the official layout with the dimensions of a published model and random weights: for measuring
 * speed, memory and export without the model itself. It speaks noise.
 *
 *   npm run synthesize-checkpoint -- --model 0.5b|1.5|2 --output DIR [--seed N] [--layers-divisor N]
 */
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type ExpectedTensor, expectedTensors } from '../export/expected-tensors.ts';
import { toBfloat16 } from '../export/float-conversion.ts';
import { elementCount } from '../src/formats/safetensors.ts';
import { parseModelConfig } from '../src/model/config.ts';
import { publishedConfig, publishedModels } from './synthesize-checkpoint/published-configs.ts';
import { tokenizerFiles } from './synthesize-checkpoint/tokenizer.ts';

interface Options {
  readonly model: (typeof publishedModels)[number];
  readonly output: string;
  readonly seed: number;
  readonly layersDivisor: number;
}

interface FileTensor {
  readonly name: string;
  readonly dtype: 'BF16' | 'F32';
  readonly shape: readonly number[];
  /** Standard deviation of normal values, or one value for all. */
  readonly values: { readonly deviation: number } | { readonly constant: number };
}

const positive = (text: string): number => {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value < 2 ** 31) return value;
  throw new InvalidArgumentError('expected a positive integer');
};

/** One block of normal values serves every tensor, from another place each time: weights need no more independence. */
const blockElements = 1 << 20;

function normalBlock(seed: number): Float32Array {
  let state = seed >>> 0;
  // mulberry32
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const block = new Float32Array(blockElements);
  for (let index = 0; index < blockElements; index += 2) {
    const radius = Math.sqrt(-2 * Math.log(1 - uniform()));
    const angle = 2 * Math.PI * uniform();
    block[index] = radius * Math.cos(angle);
    block[index + 1] = radius * Math.sin(angle);
  }
  return block;
}

/** Norms are one and biases zero; matrices have the deviation of the official initialisation. */
function languageTensor({ name, shape }: ExpectedTensor): FileTensor {
  const constant = name.endsWith('norm.weight') ? 1 : name.endsWith('.bias') ? 0 : undefined;
  return { name, dtype: 'BF16', shape, values: constant === undefined ? { deviation: 0.02 } : { constant } };
}

/** Convolutions as gain and direction: the gain keeps the size of what passes through. */
function vaeTensors({ name, shape, role }: ExpectedTensor): FileTensor[] {
  const short = name.slice('audio_vae.'.length);
  if (role === 'integers') return [];
  if (role === 'convolution') {
    const stem = short.slice(0, -'.weight'.length);
    const [rows = 1, ...rest] = shape;
    return [
      { name: `${stem}.weight_g`, dtype: 'F32', shape: [rows, ...rest.map(() => 1)], values: { constant: 0.5 } },
      { name: `${stem}.weight_v`, dtype: 'F32', shape, values: { deviation: 0.02 } },
    ];
  }
  const constant = role === 'alpha' || short.endsWith('scale_embed.weight') ? 1 : 0;
  return [{ name: short, dtype: 'F32', shape, values: { constant } }];
}

async function writeSafetensors(path: string, tensors: readonly FileTensor[], block: Float32Array): Promise<number> {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  let position = 0;
  for (const { name, dtype, shape } of tensors) {
    const end = position + elementCount(shape) * (dtype === 'BF16' ? 2 : 4);
    header[name] = { dtype, shape, data_offsets: [position, end] };
    position = end;
  }
  const text = JSON.stringify(header);
  const length = Math.ceil(Buffer.byteLength(text) / 8) * 8;
  const start = Buffer.alloc(8 + length, ' ');
  start.writeBigUInt64LE(BigInt(length));
  start.write(text, 8);
  const encoded = new Map<string, Uint8Array>();
  const handle = await open(path, 'w');
  try {
    await handle.writeFile(start);
    for (const [index, tensor] of tensors.entries()) {
      const bytes = encodedBlock(tensor, block, encoded);
      const width = tensor.dtype === 'BF16' ? 2 : 4;
      let left = elementCount(tensor.shape) * width;
      // An odd stride visits every place before it comes back to one.
      let from = ((index * 7919) % blockElements) * width;
      while (left > 0) {
        const part = bytes.subarray(from, Math.min(from + left, bytes.length));
        await handle.writeFile(part);
        left -= part.length;
        from = 0;
      }
    }
  } finally {
    await handle.close();
  }
  return start.length + position;
}

/** The block in a tensor's type and scale; there are only a few kinds. */
function encodedBlock(
  { dtype, values }: FileTensor,
  block: Float32Array,
  encoded: Map<string, Uint8Array>,
): Uint8Array {
  const kind = `${dtype} ${JSON.stringify(values)}`;
  const known = encoded.get(kind);
  if (known) return known;
  const floats = block.map((value) => ('constant' in values ? values.constant : value * values.deviation));
  const bytes = new Uint8Array(dtype === 'BF16' ? toBfloat16(floats).buffer : floats.buffer);
  encoded.set(kind, bytes);
  return bytes;
}

async function synthesize({ model, output, seed, layersDivisor }: Options): Promise<void> {
  const json = publishedConfig(model, layersDivisor);
  const config = parseModelConfig(json, 'config.json');
  const tensors = expectedTensors(config);
  const block = normalBlock(seed);
  await mkdir(output, { recursive: true });
  const isVae = ({ name }: ExpectedTensor): boolean => name.startsWith('audio_vae.');
  const language = tensors.filter((tensor) => !isVae(tensor)).map(languageTensor);
  const vae = tensors.filter(isVae).flatMap(vaeTensors);
  const sizes = [
    await writeSafetensors(join(output, 'model.safetensors'), language, block),
    await writeSafetensors(join(output, 'audiovae.safetensors'), vae, block),
  ];
  await writeFile(join(output, 'config.json'), JSON.stringify(json, null, 2));
  for (const [file, content] of Object.entries(tokenizerFiles(config.lm_config.vocab_size))) {
    await writeFile(join(output, file), JSON.stringify(content));
  }
  const parameters = language.reduce((sum, { shape }) => sum + elementCount(shape), 0);
  console.error(
    `${output}: ${(parameters / 1e6).toFixed(0)} M parameters, ${sizes.map((size) => `${(size / 1e6).toFixed(0)} MB`).join(' + ')}`,
  );
}

await new Command('synthesize-checkpoint')
  .addOption(new Option('--model <name>').choices(publishedModels).makeOptionMandatory())
  .requiredOption('--output <folder>')
  .option('--seed <number>', 'of the weights', positive, 1)
  .option('--layers-divisor <number>', 'divides the layers of every stack', positive, 1)
  .action(synthesize)
  .parseAsync(process.argv);
