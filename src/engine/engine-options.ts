import { z } from 'zod';
import { numberIn, oneOf, parse } from '../validation.ts';
import type { AdapterOptions } from './lora/adapter-catalog.ts';
import { ranges } from './request-fields.ts';

export const backendNames = ['cpu', 'cuda', 'ggml-cuda', 'vulkan', 'metal', 'coreml', 'webgpu', 'auto'] as const;
export type BackendName = (typeof backendNames)[number];
/** How LocDiT's Q4_K weights are kept in memory; `auto`: as 8-bit integers where that is faster for one utterance. */
export const ditTypes = ['auto', 'int8', 'file'] as const;
export type DitType = (typeof ditTypes)[number];

/** The GPU among several: its number, or `all`. */
export type DeviceChoice = number | 'all';

const engineSchema = z.strictObject({
  /** A `.gguf` file or an ONNX folder. Default: the demo model of this package. */
  modelPath: z
    .string({ error: 'the path of a .gguf file or an ONNX folder' })
    .min(1, { error: 'the path of a .gguf file or an ONNX folder' })
    .optional(),
  backend: oneOf(backendNames).default('auto'),
  /** Which of several GPUs: its number, as in `CUDA1`, or `all`. Default: the first that works. */
  device: z.union([z.int().min(0).max(999), z.literal('all')], { error: 'the number of a GPU, or "all"' }).optional(),
  /** CPU threads. Default: one per physical core that this process may use. */
  threads: numberIn(ranges.threads).optional(),
  /** LocDiT's Q4_K weights in memory: 8-bit integers, as in the file, or by default what is faster. */
  ditType: oneOf(ditTypes).default('auto'),
  /** Maximum number of utterances that share a pass over the weights. */
  maxBatch: numberIn(ranges.maxBatch).default(ranges.maxBatch.default),
  /** LoRA adapters by the names that requests use: paths, or paths with options. */
  loras: z
    .record(z.string(), z.union([z.string(), z.custom<AdapterOptions>((value) => typeof value === 'object')]), {
      error: 'paths of LoRA adapters by name',
    })
    .optional(),
});

export type EngineOptions = Readonly<z.input<typeof engineSchema>>;
export type ResolvedEngineOptions = Readonly<z.output<typeof engineSchema>>;

/** @throws SvcError INVALID_REQUEST */
export const parseEngineOptions = (input: unknown): ResolvedEngineOptions => parse(engineSchema, input, 'the engine');
