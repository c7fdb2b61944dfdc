/** The manifest of an exported ONNX model: `svc-onnx.json` beside its graphs. */
import { z } from 'zod';
import { SvcError } from '../../../errors.ts';
import { languageTag } from '../../model-limits.ts';
import type { OnnxPlatform } from './graph.ts';

export const manifestName = 'svc-onnx.json';

/** Limits are far above published models; these numbers determine allocations. */
const size = (limit: number) => z.int().min(1).max(limit);
const rate = z.int().min(1).max(1_000_000);
const file = z.string().regex(/^[\w.-]+\.(onnx|json)$/);
const digest = z.object({ bytes: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) });
const states = z
  .array(z.strictObject({ channels: size(16384), frames: size(64) }))
  .max(256)
  .refine(
    (all) => all.reduce((sum, { channels, frames }) => sum + channels * frames, 0) <= 2 ** 22,
    'states are too large',
  );

const manifestSchema = z.object({
  format: z.literal('svc-onnx'),
  version: z.literal(1),
  name: z.string(),
  architecture: z.enum(['voxcpm', 'voxcpm2']),
  patchSize: size(64),
  featureDim: size(4096),
  /** Samples per latent frame, input and output. */
  encodeHop: size(16384),
  decodeHop: size(16384),
  inputSampleRate: rate,
  outputSampleRate: rate,
  maxLength: size(2 ** 20),
  vocabularySize: size(2 ** 22),
  /** Weight type of the matrices of each stage. */
  types: z.object({ lm: z.string(), dit: z.string(), vae: z.string() }),
  limits: z.object({
    maxTextCharacters: size(2 ** 24).optional(),
    languages: z.array(languageTag).max(1000).readonly().optional(),
  }),
  languageModels: z
    .object({ file, layers: size(512), kvHeads: size(1024), headDim: size(1024) })
    .refine(({ layers, kvHeads, headDim }) => layers * kvHeads * headDim <= 2 ** 18, 'caches are too large'),
  flow: z.object({ file, isMeanMode: z.boolean() }),
  schedule: z.object({ file }),
  vaeEncoder: z.object({ file, states }),
  /** `isConditioned`: the graph takes the sample rate as an input. */
  vaeDecoder: z.object({ file, states, isConditioned: z.boolean() }),
  tokenizer: file,
  /** All other files; missing in older exports. */
  files: z.record(z.string().regex(/^[\w.-]+\.(onnx|onnx\.data|json)$/), digest).optional(),
});

export type Manifest = Readonly<z.output<typeof manifestSchema>>;

/** @throws SvcError MODEL_INVALID, MODEL_NOT_FOUND */
export const readManifest = async ({
  folder,
  readText,
}: Pick<OnnxPlatform, 'folder' | 'readText'>): Promise<Manifest> =>
  parseManifest(await readText(manifestName), `${folder}/${manifestName}`);

/**
 * @param source name of the text in messages
 * @throws SvcError MODEL_INVALID
 */
export function parseManifest(text: string, source: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new SvcError('MODEL_INVALID', `${source} is not valid JSON`, { cause });
  }
  const parsed = manifestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new SvcError('MODEL_INVALID', `${source}: invalid ${issue?.path.join('.') || 'manifest'}: ${issue?.message}`);
}
