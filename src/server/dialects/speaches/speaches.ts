/** Voices by model, as speaches lists them. */
import { z } from 'zod';
import { parse, text } from '../../../validation.ts';
import type { ServerContext } from '../../context/context.ts';
import { answering, type Operation, route } from '../../openapi/operation.ts';
import { listed } from '../../routes/voices.ts';
import type { Dialect } from '../dialect.ts';

const query = z.object({ model_id: text.optional().describe('Name of a model; by default, all models.') });

const voice = z.object({
  id: z.string().describe('Name of the model and of the voice.'),
  object: z.literal('voice'),
  model_id: z.string().describe('Name of the model.'),
  voice_id: z.string().describe('Name of the voice, for `voice` in requests for speech.'),
  created: z.int().describe('Time of creation, in seconds since 1970.'),
  owned_by: z.literal('svc'),
  sample_rate: z.int().describe('Sample rate of the model, in Hz; 0 until the model has been loaded.'),
});

const example: z.output<typeof voice> = {
  ...{ id: 'demo/anna', object: 'voice', model_id: 'demo', voice_id: 'anna' },
  ...{ created: 1_763_640_000, owned_by: 'svc', sample_rate: 16_000 },
};

const voicesOperation = (context: ServerContext): Operation => ({
  ...route('get', '/v1/audio/speech/voices', 'voices', 'List voices by model.'),
  access: 'list',
  description: 'Compatible with speaches. Begins with `default`, the voice of the model itself.',
  query,
  ...answering('Each voice of each model.', z.array(voice), [example]),
  failures: [404],
  async handle(request, response) {
    const { model_id } = parse(query, request.query);
    const { models } = context;
    const chosen = model_id === undefined ? undefined : models.resolve(model_id);
    const voices = await listed(context, response, 'with own');
    response.json(
      models
        .list()
        .filter(({ name }) => chosen === undefined || name === chosen)
        .flatMap(({ name, info }) =>
          voices.map(({ id, created_at }) => ({
            id: `${name}/${id}`,
            object: 'voice',
            model_id: name,
            voice_id: id,
            created: Math.floor(Date.parse(created_at) / 1000),
            owned_by: 'svc',
            sample_rate: info?.outputSampleRate ?? 0,
          })),
        ),
    );
  },
});

export const speaches: Dialect = { operations: (context) => [voicesOperation(context)] };
