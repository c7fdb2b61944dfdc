/** Sends audio as it is generated. */
import type { Response } from 'express';
import type { Job } from '../admission/queue.ts';
import { type AudioFormat, type AudioFormatName, audioFormats, type EncoderOptions } from '../audio/format.ts';
import { createByteSink, createStreamWriter, type Sink, through, type WriteBytes } from '../audio/sink.ts';
import type { Encoded } from '../audio/transform.ts';
import type { TimedSentence } from '../engine/timing/timed-text.ts';
import { SvcError } from '../errors.ts';
import { followSignal } from '../follow-signal.ts';
import { sendCompleteIfSoon, sendWhenComplete } from './complete-file.ts';
import type { ModelContext } from './context.ts';
import { createAlignments } from './elevenlabs/alignment.ts';
import type { ServerSettings } from './settings.ts';
import { type OpenSpeech, openSpeech, type SpeechOrder } from './speech.ts';
import { nativeEvents, nativeFailure, publicEvents, publicFailure, type SpeechOutput } from './speech-events.ts';
import { jsonLines, jsonObject } from './speech-json.ts';
import { captionedWords, timestampsOf } from './timestamps.ts';
import { warningFields } from './warning-fields.ts';

const events = 'text/event-stream; charset=utf-8';
const json = 'application/json';

/** Content types by the form of an answer; that of bytes depends on the audio format. */
const contentTypes = {
  bytes: undefined,
  'public events': events,
  'native events': events,
  object: json,
  'captioned object': json,
  'captioned lines': json,
  'elevenlabs object': json,
  'elevenlabs lines': json,
} as const;

export interface Delivery {
  readonly order: SpeechOrder;
  readonly format: AudioFormatName;
  readonly form: keyof typeof contentTypes;
  /** By default, that of the format. */
  readonly coding?: Pick<EncoderOptions, 'sampleFormat' | 'bitRate'>;
  /** Overrides the content type of the format. */
  readonly contentType?: string;
  /** The request's `stream`: `false` for a complete file. By default, short WAV and FLAC are complete. */
  readonly stream?: boolean | null | undefined;
}

/** Formats whose header has the length; many readers refuse one without it. */
const lengthFormats: readonly AudioFormatName[] = ['wav', 'flac'];

/**
 * Sends headers with the first audio, or with the length of a complete file. Later errors reset the connection or become
 * the last event, so that a client can't mistake a partial answer for a complete one.
 */
export async function sendSpeech(
  context: ModelContext,
  response: Response,
  { order, format, form, coding, contentType, stream }: Delivery,
  job: Job,
): Promise<void> {
  const { sampleRate } = order;
  const { sampleRate: storedRate, mimeType }: AudioFormat = audioFormats[format];
  const send = createResponseWriter(response, job, context.settings.limits);
  let speech: OpenSpeech | undefined;
  const { timestamps } = order;
  const warned = () => speech?.warnings() ?? [];
  const heardRate = storedRate ?? sampleRate;
  const events = { encoder: { format, sampleRate, ...coding }, send, warnings: warned, timestamps };
  // Opened early, so that the codec loads while the first audio is generated. Native events open one each.
  const encoder = form === 'native events' ? undefined : context.encoders.open(events.encoder);
  const sizes = lengthFormats.includes(format) ? 'at the beginning' : 'at the end';
  const { completeFileMilliseconds } = context.settings.limits;
  const transfer = chooseTransfer();
  const output = openOutput();
  let sent: readonly string[] = [];

  function chooseTransfer(): 'stream' | 'complete' | 'complete if soon' {
    if (form !== 'bytes' || stream === true) return 'stream';
    if (stream === false) return 'complete';
    const isShort = context.forecast.secondsFor(order.characters) * 1000 <= completeFileMilliseconds;
    return isShort && lengthFormats.includes(format) ? 'complete if soon' : 'stream';
  }

  function openOutput(): SpeechOutput {
    if (encoder === undefined) return nativeEvents(context.encoders, events);
    switch (form) {
      case 'public events':
        return publicEvents(encoder, events, order.characters);
      case 'object':
        return jsonObject(encoder, send, {
          audio: 'audio',
          first: () => ({ audio_format: mimeType, sample_rate: heardRate, seed: speech?.seed }),
          last: (sentences) => ({
            ...(timestamps !== 'none' && { timestamps: timestampsOf(sentences, timestamps, heardRate) }),
            warnings: warned(),
          }),
          sizes,
        });
      case 'captioned object':
        return jsonObject(encoder, send, {
          audio: 'audio',
          first: () => ({ audio_format: mimeType }),
          last: (sentences) => ({ timestamps: captionedWords(sentences) }),
          sizes,
        });
      case 'captioned lines':
        return jsonLines(encoder, send, (audio, sentences) => ({
          audio,
          audio_format: mimeType,
          timestamps: captionedWords(sentences),
        }));
      case 'elevenlabs object':
        return jsonObject(encoder, send, {
          audio: 'audio_base64',
          first: () => ({}),
          last: alignmentsOf(createAlignments()),
          sizes,
        });
      case 'elevenlabs lines': {
        const align = alignmentsOf(createAlignments());
        return jsonLines(encoder, send, (audio, sentences) => ({ audio_base64: audio, ...align(sentences) }));
      }
      default:
        return through(encoder, openBytes());
    }
  }

  function openBytes(): Sink<Encoded> {
    if (transfer === 'complete') return sendWhenComplete({ begin, send });
    if (transfer === 'complete if soon') return sendCompleteIfSoon({ begin, send }, completeFileMilliseconds);
    return createByteSink(send);
  }

  function begin(bytes?: number): void {
    response.status(200).set({
      'Content-Type': contentTypes[form] ?? contentType ?? mimeType,
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
      'X-Sample-Rate': String(heardRate),
      'X-Seed': String(speech?.seed),
    });
    if (bytes !== undefined) response.set('Content-Length', String(bytes));
    sent = speech?.warnings() ?? [];
    response.set(warningFields(sent));
    response.flushHeaders();
    if (form === 'public events') response.locals.failureEvent = publicFailure;
    if (form === 'native events') response.locals.failureEvent = nativeFailure;
  }

  try {
    const arrived = response.locals.arrived as number;
    speech = await openSpeech(context, order, { job, arrived });
    const { audio, warnings } = speech;
    await encoder;
    if (transfer === 'stream') begin();
    const takeTurns = createTurns(job, context.settings.limits);
    for await (const { samples, sentences } of audio) {
      await output.write(samples);
      await output.time?.(sentences);
      await takeTurns(samples.length / sampleRate);
    }
    await output.finish();
    // Some warnings are known only at the end, such as silence. Complete files have them in the header.
    response.addTrailers(warningFields(warnings().slice(sent.length)));
    response.end();
    if (warnings().length > 0) context.logger.warn({ job: job.id, warnings: warnings() }, 'speech had warnings');
  } finally {
    await speech?.close();
    // Not awaited: a codec may still be loading.
    void output.abort();
  }
}

const alignmentsOf = (align: ReturnType<typeof createAlignments>) => (sentences: readonly TimedSentence[]) => {
  const alignment = align(sentences);
  return { alignment, normalized_alignment: alignment };
};

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
