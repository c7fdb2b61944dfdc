/** The text as a model would get it, without speech. */
import type { Response } from 'express';
import type { z } from 'zod';
import type { ModelContext, ServerContext } from '../context/context.ts';
import { warningFields } from '../http/warning-fields.ts';
import { withModel } from '../jobs/model-context.ts';
import { answering, jsonRequest, type Operation, route } from '../openapi/operation.ts';
import { previewAnswer, type SpeechBody, speechBody } from '../schemas/speech.ts';
import { previewJson } from '../speech/accepted-request.ts';
import { samplesOf, speechBodies, takeBody } from './speech.ts';

const passage = {
  ...{ language: 'en', language_by: 'detected' },
  ...{ written: 'It costs **$5** today.', spoken: 'It costs five dollars today.' },
  ...{ style: null, voice: null, left_out: ['**', '**'], unreadable: [] },
};

export const textOperation = (context: ServerContext): Operation => ({
  ...route('post', '/v1/audio/speech/text', 'speech', 'Get the text as the model would receive it.'),
  description:
    'Takes the same body as `/v1/audio/speech`, and generates no speech. Returns each passage as it is written and as the model would get it, the language in which its numbers are read, and what is left out.',
  ...jsonRequest(speechBody, { input: 'It costs **$5** today.', input_format: 'markdown' }),
  ...answering('The passages.', previewAnswer, {
    ...{ model: 'demo', normalize: true, passages: [passage], warnings: [] },
  }),
  failures: [400, 403, 404, 413, 503],
  handlers: speechBodies(context),
  async handle(request, response) {
    const input = takeBody(speechBody, request);
    await withModel(context, input, response, (context) => showText(context, input, response));
  },
});

async function showText(context: ModelContext, input: SpeechBody, response: Response): Promise<void> {
  const { normalize, passages, warnings } = await previewJson(context, input, { output: samplesOf(context) });
  const answer: z.output<typeof previewAnswer> = {
    model: context.modelName,
    normalize,
    passages: passages.map(({ language, languageBy, written, spoken, style, voice, leftOut, unreadable }) => ({
      language: language ?? null,
      language_by: languageBy,
      written,
      spoken,
      style: style ?? null,
      voice: voice ?? null,
      left_out: [...leftOut],
      unreadable: unreadable === undefined ? null : [...unreadable],
    })),
    warnings: [...warnings],
  };
  response.set(warningFields(warnings)).json(answer);
}
