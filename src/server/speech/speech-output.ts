/** What the formats of server-sent events share. */
import type { EncoderOptions } from '../../audio/encode/format.ts';
import type { AudioSink, WriteBytes } from '../../audio/encode/sink.ts';
import type { TimedSentence } from '../../engine/timing/timed-text.ts';
import { createTimestamps, type TimestampItem, type TimestampLevel } from './timestamps.ts';

export const base64 = (bytes: Uint8Array): string =>
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
export const timing = (
  level: TimestampLevel,
  send: (items: readonly TimestampItem[]) => Promise<void>,
): Pick<SpeechOutput, 'time'> => {
  if (level === 'none') return {};
  const itemsOf = createTimestamps(level);
  return { time: async (sentences) => (sentences.length > 0 ? send(itemsOf(sentences)) : undefined) };
};

export const warningsField = (warnings: readonly string[]) => warnings.length > 0 && { warnings };
