/** Audio as server-sent events, in the format of the public speech API or of VoxCPM.cpp's server. */
import type { EncoderOptions } from '../../audio/encode/format.ts';
import { type AudioSink, createByteSink, through, type WriteBytes } from '../../audio/encode/sink.ts';
import type { Encoder } from '../../audio/transform.ts';
import type { TimedSentence } from '../../engine/timing/timed-text.ts';
import { bodyOf, type Problem } from '../http/problem.ts';
import type { EncoderPool } from './encoder-pool.ts';
import { createTimestamps, type TimestampItem, type TimestampLevel } from './timestamps.ts';

/** Last event of failed speech; client packages of the public API throw its `error`. */
export const publicFailure = (problem: Problem): string =>
  `data: ${JSON.stringify({ type: 'error', ...bodyOf(problem) })}\n\n`;

/** As in VoxCPM.cpp's server, with the reason. */
export const nativeFailure = ({ message, code }: Problem): string =>
  `event: audio.error\ndata: ${JSON.stringify({ type: 'audio.error', error: true, message, code })}\n\n`;

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');

/** Takes each piece of audio with `write`, then its sentences with `time`. */
export interface SpeechOutput extends AudioSink {
  /** Only sentences that were not given before; none without timestamps. */
  readonly time?: (sentences: readonly TimedSentence[]) => Promise<void>;
}

export interface EventOptions {
  readonly encoder: EncoderOptions;
  readonly send: WriteBytes;
  /** Complete once the speech has ended. */
  readonly warnings: () => readonly string[];
  readonly timestamps: TimestampLevel;
}

/** Sends the times of sentences, if requested. */
const timing = (
  level: TimestampLevel,
  send: (items: readonly TimestampItem[]) => Promise<void>,
): Pick<SpeechOutput, 'time'> => {
  if (level === 'none') return {};
  const itemsOf = createTimestamps(level);
  return { time: async (sentences) => (sentences.length > 0 ? send(itemsOf(sentences)) : undefined) };
};

/**
 * Events of the public speech API: one audio stream, cut into unnamed events. The API counts usage in tokens; here input
 * is counted in characters and output in events.
 */
export function publicEvents(
  encoder: Promise<Encoder>,
  { send, warnings, timestamps }: EventOptions,
  countCharacters: () => number,
): SpeechOutput {
  const event = (data: object): Promise<void> => send(Buffer.from(`data: ${JSON.stringify(data)}\n\n`));
  let sent = 0;
  const deltas = createByteSink((bytes) => {
    sent += 1;
    return event({ type: 'speech.audio.delta', audio: base64(bytes) });
  });
  return {
    ...through(encoder, {
      ...deltas,
      finish() {
        const characters = countCharacters();
        const usage = { input_tokens: characters, output_tokens: sent, total_tokens: characters + sent };
        return event({ type: 'speech.audio.done', usage, ...warningsField(warnings()) });
      },
    }),
    ...timing(timestamps, (items) => event({ type: 'speech.audio.timestamps', items })),
  };
}

/** Events of VoxCPM.cpp's server: each contains a complete audio file. */
export function nativeEvents(
  encoders: EncoderPool,
  { encoder, send, warnings, timestamps }: EventOptions,
): SpeechOutput {
  const event = (data: Readonly<Record<string, unknown>>): Promise<void> =>
    send(Buffer.from(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`));
  return {
    async write(samples) {
      const parts: Uint8Array[] = [];
      const file = through(
        encoders.open(encoder),
        createByteSink(async (bytes) => void parts.push(bytes)),
      );
      await file.write(samples);
      await file.finish();
      await event({ type: 'audio.delta', delta: base64(Buffer.concat(parts)), format: encoder.format });
    },
    finish: () => event({ type: 'audio.completed', ...warningsField(warnings()) }),
    abort: () => Promise.resolve(),
    ...timing(timestamps, (items) => event({ type: 'audio.timestamps', items })),
  };
}

const warningsField = (warnings: readonly string[]) => warnings.length > 0 && { warnings };
