/** Reads a GGUF file of our exporter, or those of llama.cpp-omni, as a checkpoint, in the precision of the file. */
import { open } from 'node:fs/promises';
import { limitsOfMetadata } from '../../src/engine/model-limits.ts';
import { SvcError } from '../../src/errors.ts';
import { type GgufHeader, type GgufValue, readGgufHeader } from '../../src/formats/gguf.ts';
import { elementCount } from '../../src/formats/safetensors.ts';
import type { Checkpoint } from '../checkpoint-source.ts';
import { expectedTensors } from '../expected-tensors.ts';
import { parseModelConfig } from '../model-config.ts';
import { halfOf, openLlamaOmni } from './llama-omni.ts';
import { loraKey } from './metadata.ts';
import { ggufName } from './names.ts';
import { tensorOf } from './tensor-of.ts';

/** Sections of `config.json`, inner ones first; metadata keys join them with underscores. */
const sections = [
  ['lm_config', 'rope_scaling'],
  ['lm_config'],
  ['encoder_config'],
  ['dit_config', 'cfm_config'],
  ['dit_config'],
  ['audio_vae_config'],
] as const;

/** Booleans stored as 0 or 1. */
const booleans = new Set([
  'use_mup',
  'no_rope',
  'residual_lm_no_rope',
  'depthwise',
  'use_noise_block',
  'cond_out_layer',
  'dit_mean_mode',
]);

type Section = { [key: string]: unknown };

/**
 * Opens the file; the caller must dispose it.
 *
 * @throws SvcError MODEL_INVALID if it is from another program or has block types other than Q8_0
 */
export async function openGgufCheckpoint(path: string): Promise<Checkpoint> {
  const handle = await open(path, 'r');
  try {
    const header = await readGgufHeader(handle, path);
    const half = halfOf(header);
    if (half !== undefined) {
      await handle.close();
      return await openLlamaOmni(path, half);
    }
    const { size } = await handle.stat();
    const tokenizer = header.metadata.get('tokenizer.huggingface.json');
    if (typeof tokenizer !== 'string') {
      throw new SvcError(
        'MODEL_INVALID',
        `${path} was not written by svc export: metadata key tokenizer.huggingface.json is missing`,
      );
    }
    const fields = configOf(header.metadata);
    const config = parseModelConfig(fields, path);
    const byName = new Map(header.tensors.map((tensor) => [tensor.name, tensor]));
    const tensors = expectedTensors(config).flatMap(({ name, shape }) => {
      const found = byName.get(ggufName(name));
      // Snake's alphas have one dimension less in the file.
      if (found === undefined || elementCount(found.shape) !== elementCount(shape)) return [];
      return [[name, tensorOf(handle, size, header, { ...found, shape }, name)] as const];
    });
    return {
      directory: path,
      config,
      configText: JSON.stringify(fields),
      tokenizerFiles: { tokenizer, tokenizerConfig: '{}', specialTokensMap: '{}' },
      tensors: new Map(tensors),
      weightFiles: [path],
      ...lorasOf(header),
      limits: limitsOfMetadata((key) => header.metadata.get(key)),
      [Symbol.asyncDispose]: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function lorasOf({ metadata }: GgufHeader): Pick<Checkpoint, 'loras'> {
  const loras = metadata.get(loraKey);
  return Array.isArray(loras) ? { loras: loras.map(String) } : {};
}

function configOf(metadata: GgufHeader['metadata']): Section {
  const config: Section = {};
  for (const [key, value] of metadata) {
    if (!key.startsWith('voxcpm_')) continue;
    const name = key.slice('voxcpm_'.length);
    const section = sections.find((path) => name.startsWith(`${path.join('_')}_`)) ?? [];
    let target = config;
    for (const part of section) {
      target[part] ??= {};
      target = target[part] as Section;
    }
    const field = section.length === 0 ? name : name.slice(section.join('_').length + 1);
    target[field] = fieldValue(field, value);
  }
  return config;
}

function fieldValue(field: string, value: GgufValue): unknown {
  if (booleans.has(field)) return value === 1 || value === true;
  return typeof value === 'bigint' ? Number(value) : value;
}
