import { type AudioSink, createByteSink, type Sink, through, type WriteBytes } from '../../../audio/encode/sink.ts';
import type { Encoded } from '../../../audio/transform.ts';
import { type Lifetime, untilAborted } from '../../../cancellation.ts';
import type { TextFeed } from '../../../engine/live/text-feed.ts';
import type { SpeechEvent } from '../../../engine/speech-event.ts';
import type { TimedWord } from '../../../engine/timing/timed-text.ts';
import type { ServerContext } from '../../context.ts';
import { closeCodes, type LiveSocket } from '../../live/live-socket.ts';
import type { LiveSpeech } from '../../live/speak-live.ts';
import { createSlowClientWriter } from '../../speech/slow-client-writer.ts';
import type { SessionConfig } from './speech-stream-schema.ts';

/** The speech between the first text and `input.done`. */
export interface LiveUtterance {
  readonly index: number;
  readonly config: SessionConfig;
  /** Text that is spoken while it is written. */
  readonly feed: TextFeed | undefined;
  /** Text that is spoken when it is complete. */
  whole: string;
  characters: number;
  readonly lifetime: Lifetime;
  isCanceled: boolean;
  /** Whether `input.commit` has ended it, whose answer differs. */
  isCommitted: boolean;
}

export type Fields = Readonly<Record<string, unknown>>;

interface UnitOptions {
  readonly utterance: LiveUtterance;
  /** Called with each event of the speech. */
  readonly touch: () => void;
  readonly reply: (type: string, fields: Fields) => Promise<void>;
}

/** The audio between `audio.start` and `audio.done`. */
interface Unit {
  readonly part: number;
  readonly sink: AudioSink;
  /** Samples of the utterance before it. */
  readonly start: number;
  readonly words: TimedWord[];
}

/** Sends an utterance in units: the parts of a text that is spoken while it is written, or all of it. */
export function createUnits(context: ServerContext, socket: LiveSocket, { utterance, reply, touch }: UnitOptions) {
  const { config, feed, whole, index } = utterance;
  const { limits } = context.settings;
  const format = config.response_format ?? 'wav';
  const isSplit = feed !== undefined && config.streaming_mode !== 'token_level';
  let unit: Unit | undefined;
  let finished = 0;
  /** Sent so far of the unit. */
  let bytes = 0;
  let chunks = 0;

  const event = (type: string, fields: Fields = {}): Promise<void> =>
    reply(type, { utterance_index: index, sentence_index: finished, ...fields });

  async function send({ events, sampleRate, job, openTemporaryFile }: LiveSpeech): Promise<void> {
    const patiently = (pass: (bytes: Uint8Array) => Promise<void>): WriteBytes => {
      const write = createSlowClientWriter(job, limits, (signal) => (bytes) => untilAborted(signal, pass(bytes)));
      return (bytes) =>
        write(bytes).catch((error: unknown) => {
          // Nothing else gets through either.
          if (!job.signal.aborted) socket.close(closeCodes.policyViolation, 'the client reads too slowly');
          throw error;
        });
    };
    const sendBytes = patiently(passOn);
    let sent = 0;

    function passOn(message: Uint8Array): Promise<void> {
      const before = bytes;
      bytes += message.length;
      return config.word_timestamps ? sendChunk(message, before, null) : socket.send([message]);
    }

    const milliseconds = (length: number): number => Math.round((length / pcmBytes / sampleRate) * 1000);

    /** @param timestamps of the whole unit, or null before its end */
    function sendChunk(audio: Uint8Array, before: number, timestamps: readonly Fields[] | null): Promise<void> {
      chunks += 1;
      return event('audio.chunk', {
        chunk_id: chunks - 1,
        chunk_start_ms: milliseconds(before),
        chunk_end_ms: milliseconds(before + audio.length),
        sample_rate: sampleRate,
        channels: 1,
        audio_b64: Buffer.from(audio).toString('base64'),
        timestamps,
      });
    }

    async function begin({ part, text = '' }: SpeechEvent): Promise<Unit> {
      bytes = 0;
      chunks = 0;
      await event('audio.start', {
        sentence_text: feed === undefined ? whole : text,
        format,
        job_id: job.id,
        ...(config.stream_audio && { sample_rate: sampleRate, channels: 1 }),
        ...(config.word_timestamps && { word_timestamps: true }),
      });
      const encoder = context.encoders.open({ format, sampleRate });
      const sink = through(encoder, config.stream_audio ? createByteSink(sendBytes) : await openMessage());
      return { part, sink, start: sent, words: [] };
    }

    /** The bytes of a file as one message, which is sent when the file is complete. */
    async function openMessage(): Promise<Sink<Encoded>> {
      const file = await openTemporaryFile();
      let isSending = false;
      return {
        write: file.write,
        async finish() {
          bytes = await file.size();
          isSending = true;
          let advance = (): void => undefined;
          async function* watched(): AsyncGenerator<Uint8Array> {
            for await (const piece of file.read()) {
              yield piece;
              advance();
            }
          }
          // Continues if the utterance is canceled: a message can't be revoked.
          void socket.send(watched()).finally(() => {
            isSending = false;
            advance();
            void file.close();
          });
          const next = patiently(
            () =>
              new Promise((resolve) => {
                advance = resolve;
              }),
          );
          while (isSending) await next(new Uint8Array(0));
        },
        abort: () => (isSending ? Promise.resolve() : file.close()),
      };
    }

    async function finish({ sink, start, words }: Unit): Promise<void> {
      await sink.finish();
      if (config.word_timestamps) {
        const from = start / sampleRate;
        const at = (seconds: number): number => Math.max(0, Math.round((seconds - from) * 1000));
        const timed = words.map(({ text, start, end }) => ({ word: text, start_ms: at(start), end_ms: at(end) }));
        await sendChunk(new Uint8Array(0), bytes, timed);
      }
      await event('audio.done', { total_bytes: bytes, error: false });
      unit = undefined;
      finished += 1;
    }

    for await (const speech of events) {
      touch();
      if (unit !== undefined && isSplit && speech.part !== unit.part) await finish(unit);
      unit ??= await begin(speech);
      await unit.sink.write(speech.samples);
      unit.words.push(...(speech.sentences ?? []).flatMap(({ words }) => words));
      sent += speech.samples.length;
    }
    if (unit !== undefined) await finish(unit);
  }

  return {
    send,
    /** Whether audio of the unit was sent that is not complete. */
    isPartial: (): boolean => unit !== undefined && bytes > 0,
    count: (): number => finished,
    /** Ends a unit that can't be completed. */
    async abort(): Promise<void> {
      if (unit === undefined) return;
      void unit.sink.abort();
      unit = undefined;
      await event('audio.done', {
        total_bytes: bytes,
        error: !utterance.isCanceled,
        ...(utterance.isCanceled && { cancelled: true }),
      });
      finished += 1;
    },
  };
}

/** Bytes of a sample of `pcm`. */
const pcmBytes = 2;
