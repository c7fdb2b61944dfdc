import { z } from 'zod';
import { listOf, spokenText, turnPause } from '../../../engine/script/turns.ts';
import type { TimedSentence } from '../../../engine/timing/timed-text.ts';
import { requestError, text, truth } from '../../../validation.ts';
import type { ServerContext } from '../../context/context.ts';
import { outputRate } from '../../context/output-rate.ts';
import { withModel } from '../../jobs/model-context.ts';
import { jsonWithRecording } from '../../middleware/bodies.ts';
import { jsonRequest, type Operation, route } from '../../openapi/operation.ts';
import { audioAnswer, speak, takeBody } from '../../routes/speech.ts';
import { defaultFormat, speechBody } from '../../schemas/speech.ts';
import { seconds } from '../../schemas/timestamps.ts';
import { acceptJson } from '../../speech/accepted-request.ts';
import { answerSpeech } from '../../speech/send-audio.ts';
import { jsonLines, jsonObject } from '../../speech/speech-json.ts';
import type { Dialect } from '../dialect.ts';
import { withPublicFields } from './fields.ts';

const captionedBody = speechBody.omit({ timestamps: true, stream_format: true }).extend({
  stream: truth
    .nullish()
    .meta({ description: 'Send one line of JSON for each part of the text, else one object.', default: true }),
  return_timestamps: truth.nullish().meta({ description: 'Whether to return the times of words.', default: true }),
});

const captionedWord = z.object({
  word: z.string().describe('The word, as it is written.'),
  start_time: seconds('it begins'),
  end_time: seconds('it ends'),
});

const captionedAnswer = z.object({
  audio: z.string().describe('Audio in base64; that of all lines together is one file.'),
  audio_format: z.string().describe('Content type of the audio.'),
  timestamps: z.array(captionedWord).describe('Words of this audio, timed from the beginning of the speech.'),
});

const captionedWords = (sentences: readonly TimedSentence[]): readonly z.output<typeof captionedWord>[] =>
  sentences.flatMap(({ words }) =>
    words.map(({ text, start, end }) => ({ word: text, start_time: start, end_time: end })),
  );

const captionedObject = jsonObject({
  audio: 'audio',
  first: ({ mimeType }) => ({ audio_format: mimeType }),
  last: (sentences) => ({ timestamps: captionedWords(sentences) }),
});
const captionedLines = jsonLines(({ mimeType }) => (audio, sentences) => ({
  audio,
  audio_format: mimeType,
  timestamps: captionedWords(sentences),
}));

const example = {
  audio: 'SUQzBAAAAAAA…',
  audio_format: 'audio/mpeg',
  timestamps: [
    { word: 'Hello', start_time: 0.08, end_time: 0.41 },
    { word: 'there.', start_time: 0.41, end_time: 0.72 },
  ],
};

const captionedOperation = (context: ServerContext): Operation => ({
  ...route('post', '/dev/captioned_speech', 'speech', 'Generate speech with the times of its words.'),
  description:
    'Compatible with Kokoro-FastAPI. Sends a line of JSON for each part of the text; with `"stream": false`, one object. Words are timed from the beginning of the speech.',
  ...jsonRequest(captionedBody, { input: 'Hello there.', voice: 'default', stream: false }),
  answers: {
    200: audioAnswer({ 'application/x-ndjson': captionedAnswer, 'application/json': captionedAnswer }, example),
  },
  failures: [400, 403, 404, 413, 503],
  handlers: jsonWithRecording(context),
  async handle(request, response) {
    const { stream, return_timestamps, ...body } = takeBody(captionedBody, request);
    const format = body.response_format ?? defaultFormat;
    const input = {
      ...body,
      // Tags for pauses need no option in Kokoro-FastAPI.
      input_format: body.ssml ? body.input_format : (body.input_format ?? ('script' as const)),
      timestamps: return_timestamps === false ? ('none' as const) : ('word' as const),
    };
    const form = stream === false ? captionedObject : captionedLines;
    await withModel(context, body, response, async (context) => {
      const rate = outputRate(format, context.engine.info.outputSampleRate, context.settings.pcmRate);
      const accepted = await acceptJson(context, input, { output: { format, rate } });
      await answerSpeech(context, response, { accepted, format, form });
    });
  },
});

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

const dialogueOperation = (context: ServerContext): Operation => ({
  ...route('post', '/dev/dialogue', 'speech', 'Generate a dialogue from a list of turns.'),
  description:
    'Compatible with Kokoro-FastAPI. Takes the fields of `/v1/audio/speech`, with `turns` in place of `input`.',
  ...jsonRequest(dialogueBody, { turns: [{ voice: 'default', text: 'Did it land?' }], pause_between_turns: 0.4 }),
  answers: { 200: audioAnswer() },
  failures: [400, 403, 404, 413, 503],
  handlers: jsonWithRecording(context),
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

export const kokoro: Dialect = {
  operations: (context) => [captionedOperation(context), dialogueOperation(context)],
  withPublicFields,
};
