/** The tool `list_models`. */
import { z } from 'zod';
import type { ServerContext } from '../context/context.ts';
import { defineTool, structured, type Tool } from './tool.ts';

const model = z.object({
  name: z.string().describe('What speak takes as model; the first is the default.'),
  aliases: z.array(z.string()).describe('Other names.'),
  state: z.enum(['unloaded', 'loading', 'loaded', 'unloading']).describe('Models are loaded by their first request.'),
  architecture: z.string().optional().describe('`voxcpm2` follows instructions and needs no transcripts of voices.'),
  sample_rate: z.int().optional().describe('In Hz.'),
});

const lora = z.object({ name: z.string(), weight: z.number() });

export const listModelsTool = ({ models, loras }: ServerContext): Tool =>
  defineTool({
    name: 'list_models',
    title: 'List models',
    description: 'Lists the models and LoRA adapters that speak takes by name.',
    input: z.strictObject({}),
    output: z.object({ models: z.array(model), loras: z.array(lora) }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    call: async () =>
      structured({
        models: models.list().map(({ name, aliases, state, info }) => ({
          name,
          aliases: [...aliases],
          state,
          ...(info && { architecture: info.architecture, sample_rate: info.outputSampleRate }),
        })),
        loras: loras.list().map(({ name, weight }) => ({ name, weight })),
      }),
  });
