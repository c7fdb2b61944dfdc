/** The WebSocket of `voxcpm2-api` (PyPI): one request in, speech out in messages of JSON. */
import { encodePcm, encodeWav } from '../../../audio/encode/wav-encode.ts';
import { aborted, untilAborted } from '../../../cancellation.ts';
import { toSvcError } from '../../../errors.ts';
import { oneOf, requestError } from '../../../validation.ts';
import type { ServerContext } from '../../context.ts';
import type { Client } from '../../http/client.ts';
import { reportFailure } from '../../http/middleware/failure.ts';
import { problemOf } from '../../http/problem.ts';
import { parseKnown } from '../../http/unknown-fields.ts';
import { closeCodes, type LiveSocket } from '../../live/live-socket.ts';
import { createIdleTimer, parseMessage, whenClosing } from '../../live/session.ts';
import type { SocketRoute } from '../../live/sockets.ts';
import { type LiveSpeech, speakLive } from '../../live/speak-live.ts';
import { createSlowClientWriter } from '../../speech/slow-client-writer.ts';
import { speechOf, synthesisBody } from './request.ts';

const streamMessage = synthesisBody.omit({ response_format: true }).extend({
  chunk_format: oneOf(['pcm16', 'wav']).nullish(),
});

export const synthesisStream = (context: ServerContext): SocketRoute => ({
  path: '/v1/stream',
  serve: (socket, client, closing) => serveRequest(context, socket, client, closing),
});

async function serveRequest(
  context: ServerContext,
  socket: LiveSocket,
  client: Client,
  closing: AbortSignal,
): Promise<void> {
  const { limits } = context.settings;
  let isAsked = false;
  const reply = (type: string, fields: object = {}): Promise<void> => socket.send(JSON.stringify({ type, ...fields }));

  function fail(error: unknown): Promise<void> {
    const { status, message } = problemOf(error);
    reportFailure(context, toSvcError(error), { requestId: client.requestId, status, isGone: socket.signal.aborted });
    return reply('error', { error: status < 500 ? 'validation_error' : 'runtime_unavailable', detail: message });
  }

  async function answer(text: string): Promise<void> {
    try {
      await speak(parseMessage(text));
      socket.close(closeCodes.normal, '');
    } catch (error) {
      await fail(error);
      socket.close(closeCodes.policyViolation, 'the request failed');
    }
  }

  async function speak(message: unknown): Promise<void> {
    const { chunk_format, ...body } = parseKnown(streamMessage, message, { others: ['response_format'] });
    const { input, ...speech } = speechOf(body);
    const spoken = { body: speech, text: input, format: 'wav' } as const;
    await speakLive(context, { ...client, signal: socket.signal }, spoken, (speech) =>
      deliver(speech, chunk_format === 'wav'),
    );
  }

  async function deliver({ events, sampleRate, job, warnings }: LiveSpeech, isWav: boolean): Promise<void> {
    const [model] = context.models.list();
    const about = { backend: 'svc', device: model?.info?.device ?? 'cpu' };
    await reply('session.started', { backend: about.backend, model_source: model?.name ?? '', job_id: job.id });
    let sequence = 0;
    const chunkOf = (audio: Uint8Array) => ({
      sequence,
      ...about,
      sample_rate: sampleRate,
      chunk_format: isWav ? 'wav' : 'pcm16',
      audio_base64: Buffer.from(audio).toString('base64'),
    });
    const send = createSlowClientWriter(
      job,
      limits,
      (signal) => (audio) => untilAborted(signal, reply('audio.chunk', chunkOf(audio))),
    );
    for await (const { samples } of events) {
      await send(isWav ? encodeWav(samples, sampleRate) : encodePcm(samples));
      sequence += 1;
    }
    const heard = warnings();
    await reply('audio.completed', heard.length > 0 ? { warnings: heard } : {});
  }

  const expire = (): void => {
    void fail(requestError('no request received in time; closing the connection'));
    socket.close(closeCodes.policyViolation, 'no request received');
  };
  const timer = createIdleTimer({
    start: limits.sessionStartMilliseconds,
    idle: limits.sessionIdleMilliseconds,
    isBusy: () => isAsked,
    expire,
  });
  socket.onText((text) => {
    if (isAsked) {
      void fail(requestError('a connection takes one request; open another one'));
    } else {
      isAsked = true;
      timer.touch();
      void answer(text);
    }
    return undefined;
  });
  const stopDraining = whenClosing(closing, () => {
    if (!isAsked) socket.close(closeCodes.goingAway, 'the server is shutting down');
  });
  await aborted(socket.signal);
  timer.stop();
  stopDraining();
}
