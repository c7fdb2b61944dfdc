/** Speaks the requests of a connection, one after the other. */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { createStreamWriter } from '../audio/encode/sink.ts';
import { encodePcm } from '../audio/encode/wav-encode.ts';
import { createTextFeed, type TextFeed } from '../engine/live/text-feed.ts';
import { toSvcError } from '../errors.ts';
import type { ServerContext } from '../server/context/context.ts';
import { problemOf } from '../server/http/problem.ts';
import { type LiveSpeech, type LiveUtterance, speakLive } from '../server/live/speak-live.ts';
import { reportFailure } from '../server/middleware/failure.ts';
import { speechBody } from '../server/schemas/speech.ts';
import { createSlowClientWriter } from '../server/speech/slow-client-writer.ts';
import { parse, requestError } from '../validation.ts';
import { encodeEvent } from './events.ts';
import type { WyomingRequest } from './requests.ts';

type RequestOf<Type extends WyomingRequest['type']> = Extract<WyomingRequest, { readonly type: Type }> & {
  /** Name or alias; default: the first model. */
  readonly model: string | undefined;
};

interface SpeakerOptions {
  readonly socket: Socket;
  readonly signal: AbortSignal;
  /** Called when speech fails while its text is received. */
  readonly onFailure: (error: unknown) => void;
}

/** The text is checked where it is known. */
const utteranceBody = speechBody.omit({ input: true });

/** At the model's own sample rate. */
const format = 'wav';

export function createSpeaker(context: ServerContext, { socket, signal, onFailure }: SpeakerOptions) {
  const { metrics, settings } = context;
  /** From `begin` to `end`. */
  let turn: { readonly feed: TextFeed; readonly spoken: Promise<void> } | undefined;

  async function run(
    { type, model, voice, text_format }: RequestOf<'synthesize' | 'synthesize-start'>,
    text: LiveUtterance['text'],
  ) {
    const arrived = performance.now();
    const requestId = randomUUID();
    let status = '200';
    try {
      const body = parse(utteranceBody, {
        model,
        voice: voice.name,
        language: voice.language,
        input_format: text_format === 'ssml' || text_format === 'plain' ? text_format : undefined,
      });
      await speakLive(context, { requestId, key: undefined, signal }, { body, text, format }, (speech) =>
        deliver(speech, type),
      );
    } catch (error) {
      const isGone = signal.aborted;
      const problem = problemOf(error);
      status = isGone ? 'aborted' : String(problem.status);
      reportFailure(context, toSvcError(error), { requestId, status: problem.status, isGone });
      throw error;
    } finally {
      metrics.request({ method: 'WYOMING', route: type, status }, (performance.now() - arrived) / 1000);
    }
  }

  async function deliver({ events, sampleRate: rate, job }: LiveSpeech, type: string): Promise<void> {
    const write = createSlowClientWriter(job, settings.limits, createStreamWriter(socket));
    const pcm = { rate, width: 2, channels: 1 };
    let sent = 0;
    const timestamp = (): number => Math.round((sent * 1000) / rate);
    await write(encodeEvent({ type: 'audio-start', data: { ...pcm, timestamp: 0 } }));
    for await (const { samples } of events) {
      const data = { ...pcm, timestamp: timestamp() };
      await write(encodeEvent({ type: 'audio-chunk', data, payload: encodePcm(samples) }));
      sent += samples.length;
    }
    await write(encodeEvent({ type: 'audio-stop', data: { timestamp: timestamp() } }));
    if (type === 'synthesize-start') await write(encodeEvent({ type: 'synthesize-stopped' }));
  }

  /** Like `end`, but the client still thinks that more may follow. */
  async function finish(): Promise<void> {
    turn?.feed.end();
    await turn?.spoken;
  }

  return {
    /** Does nothing between `begin` and `end`, where clients repeat the whole text for servers that can't stream. */
    async speak(request: RequestOf<'synthesize'>): Promise<void> {
      if (turn === undefined) await run(request, request.text);
    },
    /** Begins to speak a text of which the rest is still to come. */
    begin(request: RequestOf<'synthesize-start'>): void {
      if (turn !== undefined) throw requestError('synthesize-start must follow the synthesize-stop of the text before');
      const feed = createTextFeed({ maxCharacters: settings.limits.inputCharacters });
      const spoken = run(request, feed.text);
      spoken.catch(onFailure);
      turn = { feed, spoken };
    },
    async push(text: string): Promise<void> {
      await turn?.feed.push(text);
    },
    /** Resolves when all of the text was spoken. */
    async end(): Promise<void> {
      await finish();
      turn = undefined;
    },
    finish,
    /** Whether text may follow. */
    isOpen: (): boolean => turn !== undefined,
  };
}
