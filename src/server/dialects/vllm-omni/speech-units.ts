import { type AudioSink, createByteSink, type Sink, through, type WriteBytes } from '../../../audio/encode/sink.ts';
import type { Encoded } from '../../../audio/transform.ts';
import type { Lifetime } from '../../../cancellation.ts';
import type { TextFeed } from '../../../engine/live/text-feed.ts';
import type { SpeechEvent } from '../../../engine/speech-event.ts';
import type { TimedWord } from '../../../engine/timing/timed-text.ts';
import { ignore } from '../../../errors.ts';
import type { ServerContext } from '../../context/context.ts';
import { closeCodes, type LiveSocket } from '../../context/live-socket.ts';
import type { LiveSpeech } from '../../live/speak-live.ts';
import { createSlowClientWriter } from '../../speech/slow-client-writer.ts';
import type { SessionConfig } from './session-config.ts';

export interface LiveUtterance {
  readonly index: number;
  readonly config: SessionConfig;
  readonly feed: TextFeed | undefined;
  whole: string;
  characters: number;
  readonly lifetime: Lifetime;
  isCanceled: boolean;
  /** Whether `input.commit` has ended it, whose answer differs. */
  isCommitted: boolean;
}

export type Fields = Readonly<Record<string, unknown>>;

export interface UnitTarget {
  readonly context: ServerContext;
  readonly socket: LiveSocket;
  readonly utterance: LiveUtterance;
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
export class Units {
  readonly #target: UnitTarget;
  #unit: Unit | undefined;
  #finished = 0;
  /** Bytes and chunks of the unit that were sent so far. */
  #bytes = 0;
  #chunks = 0;
  /** Samples of the utterance that were spoken so far. */
  #sent = 0;

  constructor(target: UnitTarget) {
    this.#target = target;
  }

  async send(speech: LiveSpeech): Promise<void> {
    const { utterance, touch } = this.#target;
    const isSplit = utterance.feed !== undefined && utterance.config.streaming_mode !== 'token_level';
    for await (const event of speech.events) {
      touch();
      if (this.#unit !== undefined && isSplit && event.part !== this.#unit.part) await this.#finish(this.#unit, speech);
      this.#unit ??= await this.#begin(event, speech);
      await this.#unit.sink.write(event.samples);
      this.#unit.words.push(...(event.sentences ?? []).flatMap(({ words }) => words));
      this.#sent += event.samples.length;
    }
    if (this.#unit !== undefined) await this.#finish(this.#unit, speech);
  }

  /** Whether audio of the unit was sent that is not complete. */
  isPartial(): boolean {
    return this.#unit !== undefined && this.#bytes > 0;
  }

  count(): number {
    return this.#finished;
  }

  async abort(): Promise<void> {
    if (this.#unit === undefined) return;
    void this.#unit.sink.abort();
    this.#unit = undefined;
    const { isCanceled } = this.#target.utterance;
    await this.#event('audio.done', {
      total_bytes: this.#bytes,
      error: !isCanceled,
      ...(isCanceled && { cancelled: true }),
    });
    this.#finished += 1;
  }

  #event(type: string, fields: Fields = {}): Promise<void> {
    const { reply, utterance } = this.#target;
    return reply(type, { utterance_index: utterance.index, sentence_index: this.#finished, ...fields });
  }

  async #begin({ part, text = '' }: SpeechEvent, speech: LiveSpeech): Promise<Unit> {
    const { context, socket, utterance } = this.#target;
    const { config, feed, whole } = utterance;
    const { sampleRate, job } = speech;
    const format = config.response_format ?? 'wav';
    this.#bytes = 0;
    this.#chunks = 0;
    await this.#event('audio.start', {
      sentence_text: feed === undefined ? whole : text,
      format,
      job_id: job.id,
      ...(config.stream_audio && { sample_rate: sampleRate, channels: 1 }),
      ...(config.word_timestamps && { word_timestamps: true }),
    });
    const encoder = context.encoders.open({ format, sampleRate });
    const sendBytes = this.#patiently(speech, (message) => {
      const before = this.#bytes;
      this.#bytes += message.length;
      return config.word_timestamps ? this.#sendChunk(message, before, null, sampleRate) : socket.send([message]);
    });
    const sink = through(encoder, config.stream_audio ? createByteSink(sendBytes) : await this.#openMessage(speech));
    return { part, sink, start: this.#sent, words: [] };
  }

  async #finish({ sink, start, words }: Unit, { sampleRate }: LiveSpeech): Promise<void> {
    await sink.finish();
    if (this.#target.utterance.config.word_timestamps) {
      const from = start / sampleRate;
      const at = (seconds: number): number => Math.max(0, Math.round((seconds - from) * 1000));
      const timed = words.map(({ text, start, end }) => ({ word: text, start_ms: at(start), end_ms: at(end) }));
      await this.#sendChunk(new Uint8Array(0), this.#bytes, timed, sampleRate);
    }
    await this.#event('audio.done', { total_bytes: this.#bytes, error: false });
    this.#unit = undefined;
    this.#finished += 1;
  }

  /** @param timestamps of the whole unit, or null before its end */
  #sendChunk(
    audio: Uint8Array,
    before: number,
    timestamps: readonly Fields[] | null,
    sampleRate: number,
  ): Promise<void> {
    const milliseconds = (length: number): number => Math.round((length / pcmBytes / sampleRate) * 1000);
    this.#chunks += 1;
    return this.#event('audio.chunk', {
      chunk_id: this.#chunks - 1,
      chunk_start_ms: milliseconds(before),
      chunk_end_ms: milliseconds(before + audio.length),
      sample_rate: sampleRate,
      channels: 1,
      audio_b64: Buffer.from(audio).toString('base64'),
      timestamps,
    });
  }

  #patiently({ job }: Pick<LiveSpeech, 'job'>, pass: (bytes: Uint8Array) => Promise<void>): WriteBytes {
    const { context, socket } = this.#target;
    const write = createSlowClientWriter(job, context.settings.limits, pass);
    return (bytes) =>
      write(bytes).catch((error: unknown) => {
        // Nothing else gets through either.
        if (!job.signal.aborted) socket.close(closeCodes.policyViolation, 'the client reads too slowly');
        throw error;
      });
  }

  /** The bytes of a file as one message, which is sent when the file is complete. */
  async #openMessage(speech: LiveSpeech): Promise<Sink<Encoded>> {
    const file = await speech.openTemporaryFile();
    let isSending = false;
    const send = async (): Promise<void> => {
      let advance = ignore;
      async function* watched(): AsyncGenerator<Uint8Array> {
        for await (const piece of file.read()) {
          yield piece;
          advance();
        }
      }
      // Continues if the utterance is canceled: a message can't be revoked.
      void this.#target.socket.send(watched()).finally(() => {
        isSending = false;
        advance();
        void file.close();
      });
      const passed = (): Promise<void> =>
        new Promise((resolve) => {
          advance = resolve;
        });
      const next = this.#patiently(speech, passed);
      while (isSending) await next(new Uint8Array(0));
    };
    return {
      write: file.write,
      finish: async () => {
        this.#bytes = await file.size();
        isSending = true;
        await send();
      },
      abort: () => (isSending ? Promise.resolve() : file.close()),
    };
  }
}

const pcmBytes = 2;
