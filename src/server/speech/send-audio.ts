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
import type { Encoded } from '../../audio/transform.ts';
import type { TimedSentence } from '../../engine/timing/timed-text.ts';
import type { ModelContext } from '../context.ts';
import { createAlignments } from '../dialects/elevenlabs/alignment.ts';
import { publicEvents, publicFailure } from '../dialects/openai/events.ts';
import { nativeEvents, nativeFailure } from '../dialects/voxcpm-cpp/events.ts';
import { answerRange, type ByteRange, wholeFile } from '../http/byte-range.ts';
import type { AcceptedRequest } from './accepted-request.ts';
import { sendCompleteIfSoon, sendWhenComplete } from './complete-file.ts';
import { createFairness } from './fairness.ts';
import { createSlowClientWriter } from './slow-client-writer.ts';
import { openSpeech, type SpeechInProgress, withSilence } from './speech.ts';
import { jsonLines, jsonObject } from './speech-json.ts';
import type { SpeechOutput } from './speech-output.ts';
import { captionedWords, timestampsOf } from './timestamps.ts';
import { warningFields } from './warning-fields.ts';

const events = 'text/event-stream; charset=utf-8';
const json = 'application/json';
const jsonLinesType = 'application/x-ndjson';

/** Content types by the form of an answer; that of bytes depends on the audio format. */
const contentTypes = {
  bytes: undefined,
  'public events': events,
  'native events': events,
  object: json,
  'wav object': json,
  'captioned object': json,
  'captioned lines': jsonLinesType,
  'elevenlabs object': json,
  'elevenlabs lines': jsonLinesType,
} as const;

export interface Delivery {
  readonly accepted: AcceptedRequest;
  readonly format: AudioFormatName;
  readonly form: keyof typeof contentTypes;
  /** By default, that of the format. */
  readonly coding?: Pick<EncoderOptions, 'sampleFormat' | 'bitRate'>;
  /** Overrides the content type of the format. */
  readonly contentType?: string;
  /** The request's `stream`: `false` for a complete file. By default, short WAV and FLAC are complete. */
  readonly stream?: boolean | null | undefined;
  /** Whether a client may ask for a range of a complete file; it is generated anew, so it must have a seed. Default: `none`. */
  readonly ranges?: 'bytes' | 'none' | undefined;
  /** What a `wav object` has beside the audio. */
  readonly fields?: object;
  /** Length of the text, known at the end; default: that of the request. */
  readonly characters?: (() => number) | undefined;
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
  {
    accepted,
    format,
    form,
    coding,
    contentType,
    stream,
    ranges,
    fields,
    characters = () => accepted.characters,
  }: Delivery,
  job: Job,
): Promise<void> {
  const { sampleRate } = accepted;
  const { sampleRate: storedRate, mimeType }: AudioFormat = audioFormats[format];
  const send = createSlowClientWriter(job, context.settings.limits, (signal) => createStreamWriter(response, signal));
  let speech: SpeechInProgress | undefined;
  const { timestamps } = accepted;
  const warned = () => speech?.warnings() ?? [];
  const playedRate = storedRate ?? sampleRate;
  const eventOptions = { encoder: { format, sampleRate, ...coding }, send, warnings: warned, timestamps };
  // Opened early, so that the codec loads while the first audio is generated. Native events open one each.
  const encoder = form === 'native events' ? undefined : context.encoders.open(eventOptions.encoder);
  const { openTemporaryFile: openFile } = context;
  const stored = { sizes: lengthFormats.includes(format) ? 'at the beginning' : 'at the end', openFile } as const;
  const { completeFileMilliseconds } = context.settings.limits;
  const transfer = chooseTransfer();
  const output = openOutput();
  let sent: readonly string[] = [];

  function chooseTransfer(): 'stream' | 'complete' | 'complete if soon' {
    if (form !== 'bytes' || stream === true) return 'stream';
    if (stream === false) return 'complete';
    if ('text' in accepted.speech) return 'stream';
    const isShort =
      context.forecast.secondsFor(context.modelName, accepted.characters) * 1000 <= completeFileMilliseconds;
    return isShort && lengthFormats.includes(format) ? 'complete if soon' : 'stream';
  }

  function openOutput(): SpeechOutput {
    if (encoder === undefined) return nativeEvents(context.encoders, eventOptions);
    switch (form) {
      case 'public events':
        return publicEvents(encoder, eventOptions, characters);
      case 'object':
        return jsonObject(encoder, send, {
          audio: 'audio',
          first: () => ({ audio_format: mimeType, sample_rate: playedRate, seed: speech?.seed }),
          last: (sentences) => ({
            ...(timestamps !== 'none' && { timestamps: timestampsOf(sentences, timestamps, playedRate) }),
            warnings: warned(),
          }),
          ...stored,
        });
      case 'wav object':
        return jsonObject(encoder, send, {
          audio: 'audio_base64',
          first: () => ({}),
          last: () => fields ?? {},
          ...stored,
        });
      case 'captioned object':
        return jsonObject(encoder, send, {
          audio: 'audio',
          first: () => ({ audio_format: mimeType }),
          last: (sentences) => ({ timestamps: captionedWords(sentences) }),
          ...stored,
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
          ...stored,
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
    if (transfer === 'complete') return sendWhenComplete({ begin, send }, openFile);
    if (transfer === 'complete if soon') return sendCompleteIfSoon({ begin, send }, completeFileMilliseconds);
    return createByteSink(send);
  }

  function begin(bytes?: number): ByteRange | undefined {
    response.status(200).set({
      'Content-Type': contentTypes[form] ?? contentType ?? mimeType,
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
      'X-Sample-Rate': String(playedRate),
      'X-Seed': String(speech?.seed),
    });
    sent = speech?.warnings() ?? [];
    response.set(warningFields(sent));
    const whole = bytes === undefined ? undefined : wholeFile(bytes);
    if (bytes !== undefined) response.set('Content-Length', String(bytes));
    const range = bytes !== undefined && ranges === 'bytes' ? answerRange(response.req, response, bytes) : whole;
    if (!response.writableEnded) response.flushHeaders();
    if (form === 'public events') response.locals.failureEvent = publicFailure;
    if (form === 'native events') response.locals.failureEvent = nativeFailure;
    return range;
  }

  try {
    const arrived = response.locals.arrived as number;
    speech = await openSpeech(context, accepted, { job, arrived });
    const { events, warnings } = speech;
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

const alignmentsOf = (align: ReturnType<typeof createAlignments>) => (sentences: readonly TimedSentence[]) => {
  const alignment = align(sentences);
  return { alignment, normalized_alignment: alignment };
};
