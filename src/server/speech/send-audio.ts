/** Sends audio as it is generated. */
import type { Response } from 'express';
import type { Job } from '../../admission/queue.ts';
import {
  type AudioFormat,
  type AudioFormatName,
  audioFormats,
  type EncoderOptions,
} from '../../audio/encode/format.ts';
import { createByteSink, createStreamWriter, type Sink, through } from '../../audio/encode/sink.ts';
import type { Encoded, Encoder } from '../../audio/transform.ts';
import type { ModelContext } from '../context/context.ts';
import { answerRange, type ByteRange, wholeFile } from '../http/byte-range.ts';
import { warningFields } from '../http/warning-fields.ts';
import { createFairness } from '../jobs/fairness.ts';
import { withJob } from '../jobs/jobs.ts';
import { timestampsOf } from '../schemas/timestamps.ts';
import type { AcceptedRequest } from './accepted-request.ts';
import { sendCompleteIfSoon, sendWhenComplete } from './complete-file.ts';
import { createSlowClientWriter } from './slow-client-writer.ts';
import { openSpeech, type SpeechInProgress, withSilence } from './speech.ts';
import { jsonObject } from './speech-json.ts';
import type { AnswerForm, SpeechOutput } from './speech-output.ts';

export const speechJson = jsonObject({
  audio: 'audio',
  first: ({ mimeType, sampleRate, seed }) => ({ audio_format: mimeType, sample_rate: sampleRate, seed: seed() }),
  last: (sentences, { timestamps, sampleRate, warnings }) => ({
    ...(timestamps !== 'none' && { timestamps: timestampsOf(sentences, timestamps, sampleRate) }),
    warnings: warnings(),
  }),
});

export interface Delivery {
  readonly accepted: AcceptedRequest;
  readonly format: AudioFormatName;
  /** Default: the bytes of the audio alone. */
  readonly form?: AnswerForm | undefined;
  /** Sample format and bit rate; default: those of the format. */
  readonly coding?: Pick<EncoderOptions, 'sampleFormat' | 'bitRate'>;
  readonly contentType?: string | undefined;
  /** The request's `stream`: `false` for a complete file. By default, short WAV and FLAC are complete. */
  readonly stream?: boolean | null | undefined;
  /** Whether a client may ask for a range of a complete file; it is generated anew, so it must have a seed. Default: `none`. */
  readonly ranges?: 'bytes' | 'none' | undefined;
  /** Length of the text, known at the end; default: that of the request. */
  readonly characters?: (() => number) | undefined;
}

/** Formats whose header has the length; many readers refuse one without it. */
const lengthFormats: readonly AudioFormatName[] = ['wav', 'flac'];

export const answerSpeech = (context: ModelContext, response: Response, delivery: Delivery): Promise<void> =>
  withJob(context, response, (job) => sendSpeech(context, response, delivery, job), delivery.accepted);

/** After the headers, errors reset the connection or become the last event: no partial answer looks complete. */
async function sendSpeech(
  context: ModelContext,
  response: Response,
  { accepted, format, form, coding, contentType, stream, ranges, characters = () => accepted.characters }: Delivery,
  job: Job,
): Promise<void> {
  const { sampleRate } = accepted;
  const { sampleRate: storedRate, mimeType }: AudioFormat = audioFormats[format];
  const send = createSlowClientWriter(job, context.settings.limits, createStreamWriter(response));
  let speech: SpeechInProgress | undefined;
  const { timestamps } = accepted;
  const playedRate = storedRate ?? sampleRate;
  let encoder: Promise<Encoder> | undefined;
  function openEncoder(): Promise<Encoder> {
    const opened = context.encoders.open({ format, sampleRate, ...coding });
    encoder ??= opened;
    return opened;
  }
  const { openTemporaryFile: openFile } = context;
  const { completeFileMilliseconds } = context.settings.limits;
  const transfer = chooseTransfer();
  const output = openOutput();
  let sent: readonly string[] = [];

  function chooseTransfer(): 'stream' | 'complete' | 'complete if soon' {
    if (form !== undefined || stream === true) return 'stream';
    if (stream === false) return 'complete';
    if ('text' in accepted.speech) return 'stream';
    const isShort =
      context.forecast.secondsFor(context.modelName, accepted.characters) * 1000 <= completeFileMilliseconds;
    return isShort && lengthFormats.includes(format) ? 'complete if soon' : 'stream';
  }

  function openOutput(): SpeechOutput {
    if (form === undefined) return through(openEncoder(), openBytes());
    return form.open({
      ...{ openEncoder, send, format, mimeType, sampleRate: playedRate, timestamps, characters, openFile },
      sizes: lengthFormats.includes(format) ? 'at the beginning' : 'at the end',
      seed: () => speech?.seed,
      warnings: () => speech?.warnings() ?? [],
    });
  }

  function openBytes(): Sink<Encoded> {
    if (transfer === 'complete') return sendWhenComplete({ begin, send }, openFile);
    if (transfer === 'complete if soon') return sendCompleteIfSoon({ begin, send }, completeFileMilliseconds);
    return createByteSink(send);
  }

  function begin(bytes?: number): ByteRange | undefined {
    response.status(200).set({
      'Content-Type': form?.contentType ?? contentType ?? mimeType,
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
      'X-Sample-Rate': String(playedRate),
      'X-Seed': String(speech?.seed),
    });
    sent = speech?.warnings() ?? [];
    response.set(warningFields(sent));
    const whole = bytes === undefined ? undefined : wholeFile(bytes);
    if (bytes !== undefined) response.set('Content-Length', String(bytes));
    const range = bytes !== undefined && ranges === 'bytes' ? answerRange(response, bytes) : whole;
    if (!response.writableEnded) response.flushHeaders();
    response.locals.failureEvent = form?.failure;
    return range;
  }

  try {
    const arrived = response.locals.arrived as number;
    speech = await openSpeech(context, accepted, { job, arrived });
    const { events, warnings } = speech;
    // Opened with the output; a codec that fails is an error before the answer begins.
    await encoder;
    if (transfer === 'stream') begin();
    const giveWay = createFairness(job, context.settings.limits);
    for await (const { samples, sentences = [] } of withSilence(events, accepted)) {
      await output.write(samples);
      await output.time?.(sentences);
      await giveWay(samples.length / sampleRate);
    }
    await output.finish();
    // Some warnings are known only at the end, such as silence. Complete files have them in the header.
    if (!response.writableEnded) {
      response.addTrailers(warningFields(warnings().slice(sent.length)));
      response.end();
    }
    if (warnings().length > 0) context.logger.warn({ job: job.id, warnings: warnings() }, 'speech had warnings');
  } finally {
    await speech?.close();
    // Not awaited: a codec may still be loading.
    void output.abort();
  }
}
