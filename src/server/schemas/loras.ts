/** Requests and answers about LoRA adapters. */
import { z } from 'zod';
import { requestFields } from '../../engine/request-fields.ts';
import { numberIn, path, text } from '../../validation.ts';

export const loraBody = z.strictObject({
  name: text.describe('Name for requests: 1 to 64 letters, digits, dots, hyphens and underscores.'),
  path: path.describe(
    'Folder with the files of the official trainer, in the folder that the server allows (`--lora-dir`).',
  ),
  weight: numberIn(requestFields.loraWeight)
    .nullish()
    .meta({ description: 'Factor of the adapter for requests that state none.', default: 1 }),
  alpha: z
    .number({ error: 'a positive number' })
    .nullish()
    .describe('Overrides the alpha of `lora_config.json`; required if that file is missing.'),
});

export const loraName = z.object({ name: z.string().describe('Name of the adapter.') });
export const loraNames = z.array(loraName);

export const lora = z.object({
  id: z.string().describe('Name of the adapter.'),
  object: z.literal('lora'),
  name: z.string().describe('The same name.'),
  weight: z.number().describe('Factor for requests that state none.'),
  rank: z.int().describe('Rank of its updates.'),
  alpha: z.number().describe('Divided by the rank, the scale of its updates.'),
  base_model: z.string().nullable().describe('The model that the adapter was trained for, if known.'),
  targets: z.int().describe('Number of adapted matrices.'),
  bytes: z.int().describe('Memory that a model needs for it.'),
  memory_bytes: z.int().describe('Memory that it takes now: none before its first use.'),
  requests: z.int().describe('Running requests that use it.'),
});

export const loraList = z.object({ object: z.literal('list'), data: z.array(lora) });

export const deletedLora = z.object({ id: z.string().describe('Name of the adapter.'), deleted: z.literal(true) });

export const loraExample = {
  ...{ id: 'anna', object: 'lora', name: 'anna', weight: 1, rank: 32, alpha: 32 },
  ...{ base_model: 'openbmb/VoxCPM-0.5B', targets: 200, bytes: 40_000_000, memory_bytes: 0, requests: 0 },
} as const satisfies z.output<typeof lora>;
