/** The WebSocket of `voxcpm2-api` (PyPI): one request in, speech out in messages of JSON. */
import { encodePcm, encodeWav } from '../../../audio/encode/wav-encode.ts';
import { oneOf, requestError } from '../../../validation.ts';
import type { ServerContext } from '../../context/context.ts';
import { closeCodes } from '../../context/live-socket.ts';
import type { SocketRoute } from '../../context/sockets.ts';
import { parseKnown } from '../../http/unknown-fields.ts';
import { parseMessage, SocketSession } from '../../live/socket-session.ts';
import { type LiveSpeech, speakLive } from '../../live/speak-live.ts';
import { createSlowClientWriter } from '../../speech/slow-client-writer.ts';
import { speechOf, synthesisBody } from './request.ts';

const streamMessage = synthesisBody.omit({ response_format: true }).extend({
  chunk_format: oneOf(['pcm16', 'wav']).nullish(),
});

export const synthesisStream = (context: ServerContext): SocketRoute => ({
  path: '/v1/stream',
  serve: (connection) => new SynthesisStream(context, connection).serve(),
});

class SynthesisStream extends SocketSession {
  #isAsked = false;

  receive(text: string): undefined {
    if (this.#isAsked) throw requestError('a connection takes one request; open another one');
    this.#isAsked = true;
    this.touch();
    void this.#answer(text);
  }

  refuse(error: unknown): void {
    void this.#fail(error);
  }

  isBusy(): boolean {
    return this.#isAsked;
  }

  expire(): void {
    void this.#fail(requestError('no request received in time; closing the connection'));
    this.end(closeCodes.policyViolation, 'no request received');
  }

  drain(): void {
    if (!this.#isAsked) this.leave();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  #reply(type: string, fields: object = {}): Promise<void> {
    return this.connection.socket.send(JSON.stringify({ type, ...fields }));
  }

  #fail(error: unknown): Promise<void> {
    const { status, message } = this.report(error);
    return this.#reply('error', { error: status < 500 ? 'validation_error' : 'runtime_unavailable', detail: message });
  }

  async #answer(text: string): Promise<void> {
    try {
      await this.#speak(parseMessage(text));
      this.end(closeCodes.normal, '');
    } catch (error) {
      await this.#fail(error);
      this.end(closeCodes.policyViolation, 'the request failed');
    }
  }

  async #speak(message: unknown): Promise<void> {
    const { chunk_format, ...body } = parseKnown(streamMessage, message, { others: ['response_format'] });
    const { input, ...speech } = speechOf(body);
    const { client, socket } = this.connection;
    const spoken = { body: speech, text: input, format: 'wav' } as const;
    await speakLive(this.context, { ...client, signal: socket.signal }, spoken, (speech) =>
      this.#deliver(speech, chunk_format === 'wav'),
    );
  }

  async #deliver({ events, sampleRate, job, warnings }: LiveSpeech, isWav: boolean): Promise<void> {
    const [model] = this.context.models.list();
    const about = { backend: 'svc', device: model?.info?.device ?? 'cpu' };
    await this.#reply('session.started', { backend: about.backend, model_source: model?.name ?? '', job_id: job.id });
    let sequence = 0;
    const chunkOf = (audio: Uint8Array) => ({
      sequence,
      ...about,
      sample_rate: sampleRate,
      chunk_format: isWav ? 'wav' : 'pcm16',
      audio_base64: Buffer.from(audio).toString('base64'),
    });
    const send = createSlowClientWriter(job, this.context.settings.limits, (audio) =>
      this.#reply('audio.chunk', chunkOf(audio)),
    );
    for await (const { samples } of events) {
      await send(isWav ? encodeWav(samples, sampleRate) : encodePcm(samples));
      sequence += 1;
    }
    const heard = warnings();
    await this.#reply('audio.completed', heard.length > 0 ? { warnings: heard } : {});
  }
}
