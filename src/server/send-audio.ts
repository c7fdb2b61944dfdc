/** Sends audio as it is generated. */
import type { Response } from 'express';
import type { Job } from '../admission/queue.ts';
import { type AudioFormat, type AudioFormatName, audioFormats } from '../audio/format.ts';
import { type AudioSink, createByteSink, createStreamWriter, through, type WriteBytes } from '../audio/sink.ts';
import { SvcError } from '../errors.ts';
import { followSignal } from '../follow-signal.ts';
import type { ModelContext } from './context.ts';
import type { ServerSettings } from './settings.ts';
import { type OpenSpeech, openSpeech, type SpeechOrder } from './speech.ts';
import { nativeEvents, nativeFailure, publicEvents, publicFailure } from './speech-events.ts';
import { warningFields } from './warning-fields.ts';

export interface Delivery {
  readonly order: SpeechOrder;
  readonly format: AudioFormatName;
  readonly form: 'bytes' | 'public events' | 'native events';
  /** Overrides the content type of the format. */
  readonly contentType?: string;
}

/**
 * Sends headers with the first audio. Later errors reset the connection or become the last event, so that a client can't
 * mistake a partial answer for a complete one.
 */
export async function sendSpeech(
  context: ModelContext,
  response: Response,
  { order, format, form, contentType }: Delivery,
  job: Job,
): Promise<void> {
  const { sampleRate } = order;
  const { sampleRate: storedRate, mimeType }: AudioFormat = audioFormats[format];
  const send = createResponseWriter(response, job, context.settings.limits);
  let speech: OpenSpeech | undefined;
  const events = { encoder: { format, sampleRate }, send, warnings: () => speech?.warnings() ?? [] };
  // Opened early, so that the codec loads while the first audio is generated. Native events open one each.
  const encoder = form === 'native events' ? undefined : context.encoders.open(events.encoder);
  const output = openOutput();

  function openOutput(): AudioSink {
    if (encoder === undefined) return nativeEvents(context.encoders, events);
    if (form === 'public events') return publicEvents(encoder, events, order.request.text);
    return through(encoder, createByteSink(send));
  }

  try {
    const arrived = response.locals.arrived as number;
    speech = await openSpeech(context, order, { job, arrived });
    const { seed, audio, warnings } = speech;
    await encoder;
    response.status(200).set({
      'Content-Type': form === 'bytes' ? (contentType ?? mimeType) : 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
      'X-Sample-Rate': String(storedRate ?? sampleRate),
      'X-Seed': String(seed),
    });
    const sent = warnings();
    response.set(warningFields(sent));
    response.flushHeaders();
    if (form !== 'bytes') response.locals.failureEvent = form === 'public events' ? publicFailure : nativeFailure;
    const takeTurns = createTurns(job, context.settings.limits);
    for await (const samples of audio) {
      await output.write(samples);
      await takeTurns(samples.length / sampleRate);
    }
    await output.finish();
    // Some warnings are known only at the end, such as silence.
    response.addTrailers(warningFields(warnings().slice(sent.length)));
    response.end();
    if (warnings().length > 0) context.logger.warn({ job: job.id, warnings: warnings() }, 'speech had warnings');
  } finally {
    await speech?.close();
    // Not awaited: a codec may still be loading.
    void output.abort();
  }
}

/** The shortest turn, as a fraction of the longest: each may begin with the graph of another batch size. */
const shortestTurn = 0.1;

/**
 * Makes long answers give way to waiting jobs now and then: when the audio is far enough ahead of real time that the
 * listener notices nothing, or slower than real time, so that nobody can listen along. Backpressure doesn't show this,
 * since socket buffers hold megabytes for a client that doesn't read.
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
    await job.yieldSlot();
    turnBegan = performance.now();
  };
}

/** Waits for slow clients up to a limit, and gives up the slot meanwhile. */
function createResponseWriter(
  response: Response,
  job: Job,
  { pauseMilliseconds, stallMilliseconds }: ServerSettings['limits'],
): WriteBytes {
  const patience = followSignal(job.signal);
  const write = createStreamWriter(response, patience.signal);
  return async (bytes) => {
    const pause = setTimeout(() => job.pause(), pauseMilliseconds);
    const end = setTimeout(() => {
      patience.end(new SvcError('CANCELLED', `the client read nothing for ${stallMilliseconds / 1000} s`));
    }, stallMilliseconds);
    try {
      await write(bytes);
    } finally {
      clearTimeout(pause);
      clearTimeout(end);
      job.resume();
    }
  };
}
