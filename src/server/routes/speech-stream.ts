/** Text in, speech out over a WebSocket, in the protocol of vLLM-Omni. */
import type { Job } from '../../admission/queue.ts';
import { type AudioSink, createByteSink, type Sink, through } from '../../audio/sink.ts';
import type { Encoded } from '../../audio/transform.ts';
import { createTextFeed, type TextFeed } from '../../engine/live/text-feed.ts';
import type { TimedWord } from '../../engine/timing/timed-text.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { followSignal, type Lifetime } from '../../follow-signal.ts';
import { parse, requestError, show } from '../../validation.ts';
import type { Client } from '../client.ts';
import type { ServerContext } from '../context.ts';
import { closeCodes, type LiveSocket } from '../live/live-socket.ts';
import type { SocketRoute } from '../live/sockets.ts';
import { type LiveSpeech, speakLive } from '../live/speak-live.ts';
import { reportFailure } from '../middleware/failure.ts';
import { createPatientWriter } from '../patient-writer.ts';
import { problemOf } from '../problem.ts';
import { inputText, type SessionConfig, sessionConfig } from '../schemas/speech-stream.ts';
import type { SpeechPiece } from '../speech.ts';
import { openTemporaryFile } from '../temporary-file.ts';
import { untilAborted } from '../until-aborted.ts';

/** Longest message but `session.config`, in characters. */
const longestMessage = 128 * 1024;

export const speechStream = (context: ServerContext): SocketRoute => ({
  path: '/v1/audio/speech/stream',
  serve: (socket, client, closing) => serveSession(context, { socket, client, closing }),
});

interface Connection {
  readonly socket: LiveSocket;
  readonly client: Client;
  readonly closing: AbortSignal;
}

/** What is spoken between the first text and `input.done`. */
interface Utterance {
  readonly index: number;
  readonly config: SessionConfig;
  /** Text that is spoken while it is written. */
  readonly feed: TextFeed | undefined;
  /** Text that is spoken when it is complete. */
  whole: string;
  characters: number;
  readonly lifetime: Lifetime;
  isCanceled: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

function serveSession(context: ServerContext, { socket, client, closing }: Connection): Promise<void> {
  const { limits } = context.settings;
  let config: SessionConfig | undefined;
  /** The utterance whose text is still being written. */
  let written: Utterance | undefined;
  /** All that are not over, in order. */
  const utterances: Utterance[] = [];
  let count = 0;
  let speaking: Promise<void> = Promise.resolve();

  const reply = (type: string, fields: Fields = {}): Promise<void> =>
    socket.send(JSON.stringify({ type, ...fields }));

  function fail(error: unknown, fields: Fields = {}): Promise<void> {
    const { status, message, code, param } = problemOf(error);
    reportFailure(context, toSvcError(error), {
      requestId: client.requestId,
      status,
      isGone: socket.signal.aborted,
    });
    return reply('error', { message, code, ...(param !== undefined && { param }), ...fields });
  }

  function end(code: number, reason: string): void {
    clearTimeout(idle);
    socket.close(code, reason);
  }

  let idle = setTimeout(expire, limits.sessionStartMilliseconds);
  function touch(): void {
    clearTimeout(idle);
    if (!socket.signal.aborted) idle = setTimeout(expire, limits.sessionIdleMilliseconds);
  }
  function expire(): void {
    if (utterances.some((utterance) => utterance !== written)) return touch();
    const awaited = config === undefined ? 'session.config' : 'message';
    void fail(requestError(`no ${awaited} received in time; closing the connection`));
    cancel();
    end(closeCodes.policyViolation, `no ${awaited} received`);
  }

  function begin(config: SessionConfig): Utterance {
    const isLive = (config.split_granularity ?? 'none') !== 'none';
    const utterance: Utterance = {
      index: count,
      config,
      feed: isLive ? createTextFeed() : undefined,
      whole: '',
      characters: 0,
      lifetime: followSignal(socket.signal),
      isCanceled: false,
    };
    count += 1;
    utterances.push(utterance);
    if (isLive) speak(utterance);
    return utterance;
  }

  /** Speaks an utterance after the ones before. */
  function speak(utterance: Utterance): void {
    speaking = speaking.then(async () => {
      await speakUtterance(utterance);
      utterance.lifetime.detach();
      utterances.shift();
      touch();
      if (closing.aborted && utterances.length === 0) leave();
    });
  }

  async function speakUtterance(utterance: Utterance): Promise<void> {
    const { index, config, feed, whole, lifetime } = utterance;
    const { split_granularity: granularity, response_format, ...body } = config;
    const units = createUnits(context, socket, { utterance, reply });
    let warnings: readonly string[] = [];
    try {
      lifetime.signal.throwIfAborted();
      if (feed !== undefined || whole.trim() !== '') {
        await speakLive(
          context,
          { ...client, signal: lifetime.signal },
          {
            body: { ...body, first_clause: granularity === 'clause' },
            text: feed?.text ?? whole,
            format: response_format ?? 'wav',
            timestamps: config.word_timestamps ? 'word' : 'none',
          },
          async (speech) => {
            await units.send(speech);
            warnings = speech.warnings();
          },
        );
      }
    } catch (error) {
      feed?.end();
      if (!utterance.isCanceled) await fail(error, units.isPartial() ? { partial_audio: true, action: 'discard' } : {});
      await units.abort();
    }
    await reply('session.done', {
      utterance_index: index,
      total_sentences: units.count(),
      ...(utterance.isCanceled && { cancelled: true }),
      ...(warnings.length > 0 && { warnings }),
    });
  }

  /** Drops what is not spoken yet. */
  function cancel(): void {
    for (const utterance of utterances) {
      utterance.isCanceled = true;
      utterance.lifetime.end(new SvcError('CANCELLED', 'canceled by the client'));
    }
    // Otherwise it speaks already.
    if (written !== undefined && written.feed === undefined) speak(written);
    written = undefined;
  }

  function leave(): void {
    end(closeCodes.goingAway, 'the server is shutting down');
  }

  function addText(config: SessionConfig, text: string): void {
    if (text === '') return;
    const waiting = utterances.reduce((sum, { characters }) => sum + characters, 0);
    if (waiting + text.length > limits.inputCharacters) {
      throw requestError(
        `the text that waits to be spoken is longer than ${limits.inputCharacters} characters; wait for session.done`,
        'text',
      );
    }
    written ??= begin(config);
    written.characters += text.length;
    if (written.feed === undefined) written.whole += text;
    else void written.feed.push(text);
  }

  function handle(message: Fields): void {
    const { type } = message;
    if (type === 'session.config') {
      if (written !== undefined) {
        throw requestError(
          'session.config cannot be applied while an utterance is in progress; send input.done or input.cancel first',
        );
      }
      config = readConfig(context, message);
      return;
    }
    if (config === undefined) throw requestError(`the first message must be session.config, got ${show(type)}`, 'type');
    switch (type) {
      case 'input.text':
        return addText(config, parse(inputText, message).text);
      case 'input.flush':
        return written?.feed?.flush();
      case 'input.done': {
        const done = written ?? begin(config);
        written = undefined;
        if (done.feed === undefined) speak(done);
        else done.feed.end();
        return;
      }
      case 'input.cancel':
        return cancel();
      case 'session.close': {
        if (written !== undefined) cancel();
        void speaking.then(() => end(closeCodes.normal, ''));
        return;
      }
      default:
        throw requestError(`unknown message type ${show(type)}`, 'type');
    }
  }

  socket.onText((text) => {
    touch();
    try {
      handle(readMessage(text));
    } catch (error) {
      void fail(error);
      if (config === undefined) end(closeCodes.policyViolation, 'the first message must be a valid session.config');
    }
  });
  const drain = (): void => {
    if (utterances.length === 0) leave();
  };
  if (closing.aborted) drain();
  closing.addEventListener('abort', drain, { once: true });

  return new Promise((resolve) => {
    socket.signal.addEventListener('abort', () => {
      clearTimeout(idle);
      closing.removeEventListener('abort', drain);
      cancel();
      void speaking.then(resolve);
    });
  });
}

function readMessage(text: string): Fields {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw requestError('the message is not JSON');
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    throw requestError('the message must be a JSON object');
  }
  const fields = message as Fields;
  if (fields.type !== 'session.config' && text.length > longestMessage) {
    throw requestError(`the message has ${text.length} characters; the limit is ${longestMessage}`);
  }
  return fields;
}

function readConfig({ models }: ServerContext, message: Fields): SessionConfig {
  const config = parse(sessionConfig, message);
  models.resolve(config.model);
  if (config.stream_audio && config.response_format !== 'pcm') {
    throw requestError(
      `stream_audio needs the response_format "pcm", got ${show(config.response_format ?? 'wav')}`,
      'stream_audio',
    );
  }
  if (config.word_timestamps && !config.stream_audio) {
    throw requestError('word_timestamps need stream_audio and the response_format "pcm"', 'word_timestamps');
  }
  return config;
}

interface UnitOptions {
  readonly utterance: Utterance;
  readonly reply: (type: string, fields: Fields) => Promise<void>;
}

/** What is sent between `audio.start` and `audio.done`. */
interface Unit {
  readonly part: number;
  readonly sink: AudioSink;
  /** Samples of the utterance before it. */
  readonly start: number;
  readonly words: TimedWord[];
}

/** Sends an utterance in units: the parts of a text that is spoken while it is written, or all of it. */
function createUnits(context: ServerContext, socket: LiveSocket, { utterance, reply }: UnitOptions) {
  const { config, feed, whole, index } = utterance;
  const { limits } = context.settings;
  const format = config.response_format ?? 'wav';
  let unit: Unit | undefined;
  let finished = 0;
  /** Of the unit. */
  let bytes = 0;
  let chunks = 0;

  const event = (type: string, fields: Fields = {}): Promise<void> =>
    reply(type, { utterance_index: index, sentence_index: finished, ...fields });

  async function send({ pieces, sampleRate, job }: LiveSpeech): Promise<void> {
    const sendBytes = createPatientWriter(job, limits, (signal) => (message) => untilAborted(signal, passOn(message)));
    let heard = 0;

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

    async function begin({ part, text }: SpeechPiece): Promise<Unit> {
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
      const sink = through(encoder, config.stream_audio ? createByteSink(sendBytes) : await openMessage(job));
      return { part, sink, start: heard, words: [] };
    }

    /** The bytes of a file as one message, which is sent when the file is complete. */
    async function openMessage({ signal }: Job): Promise<Sink<Encoded>> {
      const file = await openTemporaryFile();
      return {
        write: file.write,
        async finish() {
          bytes = await file.size();
          await untilAborted(signal, socket.send(file.read()));
          await file.close();
        },
        abort: file.close,
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

    for await (const piece of pieces) {
      if (unit !== undefined && feed !== undefined && piece.part !== unit.part) await finish(unit);
      unit ??= await begin(piece);
      await unit.sink.write(piece.samples);
      unit.words.push(...piece.sentences.flatMap(({ words }) => words));
      heard += piece.samples.length;
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
