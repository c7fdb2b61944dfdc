/** A dialogue as a list of turns, as in Kokoro-FastAPI. */
import type { RequestHandler } from 'express';
import { z } from 'zod';
import { listOf, spokenText, turnPause } from '../../../engine/script/turns.ts';
import { requestError, text } from '../../../validation.ts';
import type { ServerContext } from '../../context/context.ts';
import { jsonWithRecording } from '../../middleware/bodies.ts';
import { jsonRequest, type Operation, route } from '../../openapi/operation.ts';
import { audioAnswer, speak, takeBody } from '../../routes/speech.ts';
import { defaultFormat, speechBody } from '../../schemas/speech.ts';

const error = 'an object with a voice and a text, such as {"voice": "anna", "text": "Hello."}';
const dialogueTurn = z.strictObject(
  {
    text: spokenText.describe('Text of the turn, with tags such as `[pause:1.5s]`.'),
    voice: text.nullish().describe('Name of the voice, or a mix.'),
    voice_id: text.nullish().describe('Same as `voice`.'),
  },
  { error },
);
const turns = listOf(dialogueTurn);

const dialogueBody = speechBody
  .omit({ input: true, voice: true, speaker: true, input_format: true, allow_voice_tags: true, ssml: true })
  .extend({
    turns: turns.nullish().describe('Turns in their order.'),
    inputs: turns.nullish().describe('Same as `turns`.'),
    pause_between_turns: turnPause.nullish().meta({ description: 'Silence between turns, in seconds.', default: 0 }),
  });

export const dialogueOperation = (context: ServerContext, limitUploads: RequestHandler): Operation => ({
  ...route('post', '/dev/dialogue', 'speech', 'Generate a dialogue from a list of turns.'),
  description:
    'Compatible with Kokoro-FastAPI. Takes the fields of `/v1/audio/speech`, with `turns` in place of `input`.',
  ...jsonRequest(dialogueBody, { turns: [{ voice: 'default', text: 'Did it land?' }], pause_between_turns: 0.4 }),
  answers: { 200: audioAnswer() },
  failures: [400, 403, 404, 413, 503],
  handlers: jsonWithRecording(context, limitUploads),
  async handle(request, response) {
    const { turns: given, inputs, pause_between_turns: pause, ...body } = takeBody(dialogueBody, request);
    if (given && inputs) throw requestError('turns and inputs cannot be combined: leave out one of them', 'inputs');
    const list = inputs ?? given;
    if (!list) throw requestError('turns is required', 'turns');
    const input = list.map(({ text, voice, voice_id }, index) => {
      const name = (voice ?? voice_id ?? '').trim();
      if (name === '') throw requestError(`voice of turn ${index + 1} is required`, 'turns');
      return { text, voice: name, format: 'script' as const, pause: index + 1 < list.length ? pause : undefined };
    });
    const spoken = {
      ...body,
      input,
      voice: input[0]?.voice,
      // As in the public API, where a request without a voice is one of VoxCPMANE.
      response_format: body.response_format ?? (defaultFormat as 'mp3'),
      // Aliases are for the turns.
      input_format: 'script' as const,
      allow_voice_tags: true,
      ssml: undefined,
      speaker: undefined,
    };
    await speak(context, spoken, response);
  },
});
