/** Audio as the answer to a request, sent as it is made. */
import type { Response } from 'express';
import type { WriteBytes } from '../audio/audio-encoder.ts';
import { type AudioFormat, type AudioFormatName, audioFormats } from '../audio/format.ts';
import { SvcError } from '../errors.ts';
import type { ServerContext } from './context.ts';
import type { Job } from './queue.ts';
import type { ServerSettings } from './settings.ts';
import { type OpenSpeech, openSpeech, type SpeechOrder } from './speech.ts';
import { type EventWriter, nativeEvents, nativeFailure, publicEvents, publicFailure } from './speech-events.ts';
import { warningFields } from './warning-fields.ts';

export interface Delivery {
  readonly order: SpeechOrder;
  readonly format: AudioFormatName;
  readonly form: 'bytes' | 'public events' | 'native events';
  /** In place of that of the format. */
  readonly contentType?: string;
}

/**
 * Headers are sent when the first audio is there. What fails later cuts the connection, or is the last event: a client
 * must not take half an answer for a whole one.
 */
export async function sendSpeech(
  context: ServerContext,
  response: Response,
  { order, format, form, contentType }: Delivery,
  job: Job,
): Promise<void> {
  const { sampleRate } = order;
  const { sampleRate: storedRate, mimeType }: AudioFormat = audioFormats[format];
  const send = createResponseWriter(response, job, context.settings.limits);
  const options = { format, sampleRate };
  // Opened at once, so that a codec loads while the first audio is made.
  const opening = openOutput();
  opening.catch(() => undefined);

  async function openOutput(): Promise<EventWriter> {
    if (form === 'public events') return publicEvents(context.encoders, options, send, order.request.text);
    if (form === 'native events') return nativeEvents(context.encoders, options, send);
    const { write, finish, close } = await context.encoders.open(options, send);
    return { write, finish: async () => void (await finish()), close };
  }

  let finished = false;
  let speech: OpenSpeech | undefined;
  try {
    const arrived = response.locals.arrived as number;
    speech = await openSpeech(context, order, { job, arrived });
    const { seed, audio, warnings } = speech;
    const output = await opening;
    response.status(200).set({
      'Content-Type': form === 'bytes' ? (contentType ?? mimeType) : 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
      'X-Sample-Rate': String(storedRate ?? sampleRate),
      'X-Seed': String(seed),
    });
    const told = warnings();
    response.set(warningFields(told));
    response.flushHeaders();
    if (form !== 'bytes') response.locals.failureEvent = form === 'public events' ? publicFailure : nativeFailure;
    const takeTurns = createTurns(job, context.settings.limits);
    for await (const samples of audio) {
      await output.write(samples);
      await takeTurns(samples.length / sampleRate);
    }
    await output.finish(warnings());
    finished = true;
    // What shows at the end only, as silence does.
    response.addTrailers(warningFields(warnings().slice(told.length)));
    response.end();
    if (warnings().length > 0) context.logger.warn({ job: job.id, warnings: warnings() }, 'spoken with warnings');
  } finally {
    await speech?.close();
    if (!finished) void opening.then((output) => output.close()).catch(() => undefined);
  }
}

/** The shortest turn, as a part of the longest: each one may begin with the graph of another batch. */
const shortestTurn = 0.1;

/**
 * Long answers let those that wait go first now and then. What is ahead of its listener's ears is not missed meanwhile,
 * and what comes more slowly than it is heard can't be listened to as it comes. The connection tells nothing: the
 * buffers of both systems take megabytes for a client that does not read.
 */
function createTurns(job: Job, { turnSeconds }: ServerSettings['limits']): (seconds: number) => Promise<void> {
  const began = performance.now();
  let turnBegan = began;
  let sent = 0;
  return async (seconds) => {
    sent += seconds;
    const now = performance.now();
    const ahead = sent - (now - began) / 1000;
    const served = (now - turnBegan) / 1000;
    const enough = ahead >= turnSeconds ? shortestTurn * turnSeconds : turnSeconds;
    if (served < enough || (ahead > 0 && ahead < turnSeconds)) return;
    await job.standBack();
    turnBegan = performance.now();
  };
}

/** Waits for slow clients, but not forever, and without a slot when others could use it. */
function createResponseWriter(
  response: Response,
  job: Job,
  { pauseMilliseconds, stallMilliseconds }: ServerSettings['limits'],
): WriteBytes {
  const { signal } = job;
  return async (bytes) => {
    signal.throwIfAborted();
    // A copy: the encoder may reuse its memory before the socket has taken the bytes.
    if (bytes.length === 0 || response.write(Buffer.from(bytes))) return;
    await new Promise<void>((resolve, reject) => {
      const settle = (done: () => void): void => {
        clearTimeout(pause);
        clearTimeout(end);
        response.off('drain', drained);
        signal.removeEventListener('abort', aborted);
        job.resume();
        done();
      };
      const drained = (): void => settle(resolve);
      const aborted = (): void => settle(() => reject(signal.reason));
      const pause = setTimeout(() => job.pause(), pauseMilliseconds);
      const end = setTimeout(() => {
        const message = `the client read nothing for ${stallMilliseconds / 1000} s`;
        settle(() => reject(new SvcError('CANCELLED', message)));
      }, stallMilliseconds);
      response.once('drain', drained);
      signal.addEventListener('abort', aborted, { once: true });
    });
  };
}
