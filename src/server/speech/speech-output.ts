/** Forms of an answer that carry more than the bytes of the audio. */
import type { AudioFormatName } from '../../audio/encode/format.ts';
import type { AudioSink, WriteBytes } from '../../audio/encode/sink.ts';
import type { Encoder } from '../../audio/transform.ts';
import type { TimedSentence } from '../../engine/timing/timed-text.ts';
import type { OpenTemporaryFile } from '../context/temporary-file.ts';
import type { Problem } from '../http/problem.ts';
import { createTimestamps, type TimestampItem, type TimestampLevel } from '../schemas/timestamps.ts';

export const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');

/** Takes each piece of audio with `write`, then its sentences with `time`. */
export interface SpeechOutput extends AudioSink {
  /** Only sentences that were not given before; none without timestamps. */
  readonly time?: (sentences: readonly TimedSentence[]) => Promise<void>;
}

export interface AnswerOptions {
  /** Called at once, so that the codec loads while the first audio is generated; again for each further file. */
  readonly openEncoder: () => Promise<Encoder>;
  readonly send: WriteBytes;
  readonly format: AudioFormatName;
  readonly mimeType: string;
  /** Sample rate of the encoded audio in Hz. */
  readonly sampleRate: number;
  readonly timestamps: TimestampLevel;
  /** Known with the first audio. */
  readonly seed: () => number | undefined;
  /** Complete once the speech has ended. */
  readonly warnings: () => readonly string[];
  /** Length of the text, known at the end. */
  readonly characters: () => number;
  /** Whether a file begins with its sizes, as WAV does: it is stored until it is complete. */
  readonly sizes: 'at the beginning' | 'at the end';
  readonly openFile: OpenTemporaryFile;
}

export interface AnswerForm {
  readonly contentType: string;
  readonly open: (options: AnswerOptions) => SpeechOutput;
  /** The end of an answer whose speech failed; without it, the connection is reset. */
  readonly failure?: (problem: Problem) => string;
}

export const eventStream = 'text/event-stream; charset=utf-8';

export const timing = (
  level: TimestampLevel,
  send: (items: readonly TimestampItem[]) => Promise<void>,
): Pick<SpeechOutput, 'time'> => {
  if (level === 'none') return {};
  const itemsOf = createTimestamps(level);
  return { time: async (sentences) => (sentences.length > 0 ? send(itemsOf(sentences)) : undefined) };
};

export const warningsField = (warnings: readonly string[]) => warnings.length > 0 && { warnings };
