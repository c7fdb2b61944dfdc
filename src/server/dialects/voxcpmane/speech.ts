/** Speech as raw samples, and on the loudspeaker of the server, as in VoxCPMANE. */
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Job } from '../../../admission/queue.ts';
import type { ModelContext, ServerContext } from '../../context/context.ts';
import { warningFields } from '../../http/warning-fields.ts';
import { withJob } from '../../jobs/jobs.ts';
import { withModel } from '../../jobs/model-context.ts';
import { answering, binary, jsonRequest, type Operation, route } from '../../openapi/operation.ts';
import { audioAnswer, refuseTimestamps, samplesOf, speechBodies, takeBody } from '../../routes/speech.ts';
import { type SpeechBody, speechBody } from '../../schemas/speech.ts';
import { acceptJson } from '../../speech/accepted-request.ts';
import { answerSpeech } from '../../speech/send-audio.ts';
import { openSpeech, type SpeechInProgress } from '../../speech/speech.ts';

const playbackAnswer = z.object({
  status: z.string().describe('`success`.'),
  message: z.string().describe('The same in words.'),
  job_id: z.int().describe('Number of the request.'),
  chunks_played: z.int().describe('Pieces of audio.'),
  duration_seconds: z.number().describe('Length of the audio, in seconds.'),
  warnings: z.array(z.string()).describe('How the speech differs from the request.'),
});

const samplesHelp = 'The samples. An error after the first audio ends the connection.';

const playbackExample = {
  ...{ status: 'success', message: 'Audio playback completed for Job 17', job_id: 17 },
  ...{ chunks_played: 9, duration_seconds: 0.72, warnings: [] },
};

export function speechOperations(context: ServerContext): readonly Operation[] {
  const taken = jsonRequest(speechBody, { input: 'Hello there.' });
  const bodies = speechBodies(context);
  return [
    {
      ...route('post', '/v1/audio/speech/stream', 'speech', 'Generate speech as raw samples.'),
      description:
        'Takes the same body as `/v1/audio/speech`. Sends 16-bit little-endian mono samples while they are generated, at the sample rate in the header `X-Sample-Rate`.',
      samples: [{ title: 'Example: read samples while they are generated', name: 'samples' }],
      ...taken,
      answers: { 200: audioAnswer({ 'application/octet-stream': binary }, undefined, samplesHelp) },
      failures: [403, 404, 413, 422, 429, 503],
      handlers: bodies,
      async handle(request, response) {
        const input = bodyOfBytes(request);
        await withModel(context, input, response, async (context) => {
          const accepted = await acceptJson(context, input, { output: samplesOf(context) });
          const delivery = { accepted, format: 'pcm', contentType: 'application/octet-stream' } as const;
          await answerSpeech(context, response, delivery);
        });
      },
    },
    {
      ...route('post', '/v1/audio/speech/playback', 'speech', 'Play speech on the server.'),
      description:
        'Takes the same body as `/v1/audio/speech`. Plays the speech on the audio output of the server, and responds when playback is over.',
      ...taken,
      ...answering('The speech was played.', playbackAnswer, playbackExample),
      failures: [403, 404, 413, 422, 429, 501, 503],
      handlers: bodies,
      async handle(request, response) {
        const input = bodyOfBytes(request);
        await withModel(context, input, response, (context) => play(context, input, response));
      },
    },
  ];
}

function bodyOfBytes(request: Request): SpeechBody {
  const body = takeBody(speechBody, request);
  refuseTimestamps(body, 'this endpoint sends audio alone, that of the public API has stream_format');
  return body;
}

async function play(context: ModelContext, input: SpeechBody, response: Response): Promise<void> {
  const accepted = await acceptJson(context, input, { output: samplesOf(context) });
  const perform = async (job: Job): Promise<void> => {
    const player = await context.openPlayer(accepted.sampleRate);
    const stop = (): void => void player.abort();
    job.signal.addEventListener('abort', stop, { once: true });
    let speech: SpeechInProgress | undefined;
    try {
      speech = await openSpeech(context, accepted, { job, arrived: response.locals.arrived });
      let [chunks, samples] = [0, 0];
      for await (const piece of speech.events) {
        await player.write(piece.samples);
        chunks += 1;
        samples += piece.samples.length;
      }
      await player.finish();
      job.signal.throwIfAborted();
      response.set(warningFields(speech.warnings())).json({
        status: 'success',
        message: `Audio playback completed for Job ${job.id}`,
        job_id: job.id,
        chunks_played: chunks,
        duration_seconds: Number((samples / accepted.sampleRate).toFixed(3)),
        warnings: speech.warnings(),
      });
    } finally {
      await speech?.close();
      await player.abort();
    }
  };
  await withJob(context, response, perform, accepted);
}
