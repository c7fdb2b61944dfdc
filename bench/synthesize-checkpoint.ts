/**
 * Writes a checkpoint in the official layout with the dimensions of a published model and random weights, to measure
 * speed, memory and export without the model. It generates noise and never stops by itself. `svc bench` uses the same
 * weights without a checkpoint on disk.
 *
 *   npm run synthesize-checkpoint -- --model 0.5b|1.5|2 --output DIR [--seed N] [--layers-divisor N]
 */
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { Command, InvalidArgumentError, Option } from 'commander';
import { syntheticCheckpoint } from '../src/bench/synthetic/checkpoint.ts';
import { type PublishedModel, publishedModels } from '../src/bench/synthetic/published-configs.ts';
import { convolutionGain } from '../src/bench/synthetic/values.ts';
import { toBfloat16 } from '../src/formats/float-conversion.ts';
import { elementCount } from '../src/formats/safetensors.ts';
import { readFloats, type TensorSource } from '../src/formats/tensor-source.ts';

interface Options {
  readonly model: PublishedModel;
  readonly output: string;
  readonly seed: number;
  readonly layersDivisor: number;
}

const positive = (text: string): number => {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value < 2 ** 31) return value;
  throw new InvalidArgumentError('must be a positive integer');
};

/** Elements per write. */
const chunkElements = 1 << 22;

const vaePrefix = 'audio_vae.';

/** Splits the VAE's convolutions into gain and direction, as in the official files. */
function vaeTensors(source: TensorSource): TensorSource[] {
  const name = source.name.slice(vaePrefix.length);
  if (source.shape.length < 3 || !name.endsWith('.weight')) return [{ ...source, name }];
  const shape = source.shape.map((length, index) => (index === 0 ? length : 1));
  const read = async (_: number, count: number): Promise<Uint8Array> =>
    new Uint8Array(new Float32Array(count).fill(convolutionGain).buffer);
  return [
    { name: `${name}_g`, dtype: 'F32', shape, read },
    { ...source, name: `${name}_v` },
  ];
}

async function writeSafetensors(
  path: string,
  dtype: 'BF16' | 'F32',
  tensors: readonly TensorSource[],
): Promise<number> {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  let position = 0;
  for (const { name, shape } of tensors) {
    const end = position + elementCount(shape) * (dtype === 'BF16' ? 2 : 4);
    header[name] = { dtype, shape, data_offsets: [position, end] };
    position = end;
  }
  const text = JSON.stringify(header);
  const length = Math.ceil(Buffer.byteLength(text) / 8) * 8;
  const start = Buffer.alloc(8 + length, ' ');
  start.writeBigUInt64LE(BigInt(length));
  start.write(text, 8);
  const handle = await open(path, 'w');
  try {
    await handle.writeFile(start);
    for (const tensor of tensors) {
      const elements = elementCount(tensor.shape);
      for (let from = 0; from < elements; from += chunkElements) {
        const floats = await readFloats(tensor, from, Math.min(chunkElements, elements - from));
        await handle.writeFile(new Uint8Array((dtype === 'BF16' ? toBfloat16(floats) : floats).buffer));
      }
    }
  } finally {
    await handle.close();
  }
  return start.length + position;
}

async function synthesize({ model, output, seed, layersDivisor }: Options): Promise<void> {
  const { configText, tokenizerFiles, tensors } = syntheticCheckpoint(model, layersDivisor, seed);
  await mkdir(output, { recursive: true });
  const isVae = ({ name }: TensorSource): boolean => name.startsWith(vaePrefix);
  const language = [...tensors.values()].filter((source) => !isVae(source));
  const vae = [...tensors.values()].filter(isVae).flatMap(vaeTensors);
  const sizes = [
    await writeSafetensors(join(output, 'model.safetensors'), 'BF16', language),
    await writeSafetensors(join(output, 'audiovae.safetensors'), 'F32', vae),
  ];
  await writeFile(join(output, 'config.json'), configText);
  await writeFile(join(output, 'tokenizer.json'), tokenizerFiles.tokenizer);
  await writeFile(join(output, 'tokenizer_config.json'), tokenizerFiles.tokenizerConfig);
  await writeFile(join(output, 'special_tokens_map.json'), tokenizerFiles.specialTokensMap);
  const parameters = language.reduce((sum, { shape }) => sum + elementCount(shape), 0);
  console.error(
    `${output}: ${(parameters / 1e6).toFixed(0)} M parameters, ${sizes.map((size) => `${(size / 1e6).toFixed(0)} MB`).join(' + ')}`,
  );
}

await new Command('synthesize-checkpoint')
  .addOption(new Option('--model <name>').choices(publishedModels).makeOptionMandatory())
  .requiredOption('--output <folder>')
  .option('--seed <number>', 'seed of the weights', positive, 1)
  .option('--layers-divisor <number>', 'divide the number of layers of every stack', positive, 1)
  .action(synthesize)
  .parseAsync(process.argv);
