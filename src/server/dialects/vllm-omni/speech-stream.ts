/** Text in, speech out over a WebSocket, in the protocol of vLLM-Omni. */

import { aborted, followSignal } from '../../../cancellation.ts';
import { createTextFeed } from '../../../engine/live/text-feed.ts';
import { SvcError, toSvcError } from '../../../errors.ts';
import { show } from '../../../messages.ts';
import { requestError } from '../../../validation.ts';
import type { ServerContext } from '../../context.ts';
import type { Client } from '../../http/client.ts';
import { reportFailure } from '../../http/middleware/failure.ts';
import { problemOf } from '../../http/problem.ts';
import { parseKnown, warnOfUnknown } from '../../http/unknown-fields.ts';
import { closeCodes, type LiveSocket } from '../../live/live-socket.ts';
import { watchPauses } from '../../live/long-pauses.ts';
import { createIdleTimer, parseMessage, whenClosing } from '../../live/session.ts';
import type { SocketRoute } from '../../live/sockets.ts';
import { speakLive } from '../../live/speak-live.ts';
import { checkNames } from '../../speech/accepted-request.ts';
import { inputText, type SessionConfig, sessionConfig } from './speech-stream-schema.ts';
import { createUnits, type Fields, type LiveUtterance } from './speech-units.ts';

/** Longest message but `session.config`, in characters. */
const longestMessage = 128 * 1024;
/** Utterances of a connection that may wait to be spoken. */
const mostUtterances = 64;

export const speechStream = (context: ServerContext): SocketRoute => ({
  path: '/v1/audio/speech/stream',
  serve: (socket, client, closing) => serveSession(context, { socket, client, closing }),
});

interface Connection {
  readonly socket: LiveSocket;
  readonly client: Client;
  readonly closing: AbortSignal;
}

function serveSession(context: ServerContext, { socket, client, closing }: Connection): Promise<void> {
  const { limits } = context.settings;
  let config: SessionConfig | undefined;
  /** The utterance whose text is still being written. */
  let written: LiveUtterance | undefined;
  /** All that are not over, in order. */
  const utterances: LiveUtterance[] = [];
  let count = 0;
  /** Utterances that `input.commit` has ended, and units of all utterances. */
  let segments = 0;
  let spokenUnits = 0;
  /** Characters of `utterances`. */
  let waiting = 0;
  let isClosing = false;
  let speaking: Promise<void> = Promise.resolve();
  /** Ends the wait for the rest of a text that can't be spoken. */
  let stopWaiting = (): void => undefined;

  const reply = (type: string, fields: Fields = {}): Promise<void> => socket.send(JSON.stringify({ type, ...fields }));

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
    isClosing = true;
    timer.stop();
    socket.close(code, reason);
  }

  const timer = createIdleTimer({
    start: limits.sessionStartMilliseconds,
    idle: limits.sessionIdleMilliseconds,
    isBusy: () => utterances.some((utterance) => utterance !== written),
    expire() {
      const awaited = config === undefined ? 'session.config' : 'message';
      void fail(requestError(`no ${awaited} received in time; closing the connection`));
      cancel();
      end(closeCodes.policyViolation, `no ${awaited} received`);
    },
  });
  const { touch } = timer;

  function begin(config: SessionConfig): LiveUtterance {
    if (utterances.length >= mostUtterances) {
      throw requestError(`${mostUtterances} utterances wait to be spoken; wait for session.done`);
    }
    const endPaused = (): void => {
      if (utterance === written) complete(utterance);
    };
    const isLive = (config.split_granularity ?? 'none') !== 'none';
    const utterance: LiveUtterance = {
      index: count,
      config,
      feed: isLive ? watchPauses(createTextFeed(), limits.textPauseMilliseconds, endPaused) : undefined,
      whole: '',
      characters: 0,
      lifetime: followSignal(socket.signal),
      isCanceled: false,
      isCommitted: false,
    };
    count += 1;
    utterances.push(utterance);
    if (isLive) speak(utterance);
    return utterance;
  }

  /** Speaks an utterance after the ones before. */
  function speak(utterance: LiveUtterance): void {
    speaking = speaking.then(async () => {
      await speakUtterance(utterance);
      utterance.lifetime.detach();
      utterances.shift();
      waiting -= utterance.characters;
      touch();
      if (closing.aborted && utterances.length === 0) leave();
    });
  }

  async function speakUtterance(utterance: LiveUtterance): Promise<void> {
    const { index, config, feed, whole, lifetime } = utterance;
    const { split_granularity: granularity, streaming_mode: _m, response_format, ...body } = config;
    const units = createUnits(context, socket, { utterance, reply, touch });
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
      if (error instanceof SvcError && error.code === 'UNAUTHORIZED') {
        cancel();
        end(closeCodes.policyViolation, error.message);
      }
      if (utterance === written && !closing.aborted) {
        await new Promise<void>((resolve) => {
          stopWaiting = resolve;
        });
      }
    }
    spokenUnits += units.count();
    const ended = {
      utterance_index: index,
      ...(utterance.isCanceled && { cancelled: true }),
      ...(warnings.length > 0 && { warnings }),
    };
    if (!utterance.isCommitted) return reply('session.done', { ...ended, total_sentences: units.count() });
    const segment = { segment_index: segments, segment_sentences: units.count(), total_sentences: spokenUnits };
    segments += 1;
    await reply('input.committed', { ...ended, ...segment });
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
    stopWaiting();
  }

  /** Each cancel is answered: without an utterance, as that of an empty one. */
  function interrupt(): void {
    if (utterances.length > 0) {
      cancel();
      return;
    }
    void reply('session.done', { utterance_index: count, total_sentences: 0, cancelled: true });
    count += 1;
  }

  function leave(): void {
    end(closeCodes.goingAway, 'the server is shutting down');
  }

  function addText(config: SessionConfig, text: string): void {
    if (text === '') return;
    touch();
    const most = limits.inputCharacters;
    if (text.length > most) {
      const remedy = 'send it in several utterances of less';
      throw requestError(
        `this text was dropped: it has ${text.length} characters; the limit is ${most}; ${remedy}`,
        'text',
      );
    }
    if (waiting + text.length > most) {
      const problem = `with it, ${waiting + text.length} characters would wait to be spoken; the limit is ${most}`;
      throw requestError(
        `this text was dropped: ${problem}; send input.done, wait for session.done, and send it again`,
        'text',
      );
    }
    written ??= begin(config);
    written.characters += text.length;
    waiting += text.length;
    if (written.feed === undefined) written.whole += text;
    else void written.feed.push(text);
  }

  function complete(utterance: LiveUtterance): void {
    written = undefined;
    stopWaiting();
    if (utterance.feed === undefined) speak(utterance);
    else utterance.feed.end();
  }

  async function configure(message: Fields): Promise<void> {
    if (written !== undefined) {
      throw requestError(
        'session.config cannot be applied while an utterance is in progress; send input.done or input.cancel first',
      );
    }
    const chosen = readConfig(message);
    warnOfUnknown(chosen.unknownFields, context.settings);
    await checkNames(context, chosen);
    config = chosen;
    touch();
  }

  function close(): void {
    isClosing = true;
    timer.stop();
    if (written !== undefined) cancel();
    void speaking.then(() => end(closeCodes.normal, ''));
  }

  const handlers: Readonly<Record<string, (config: SessionConfig, message: Fields) => void>> = {
    'input.text': (config, message) => {
      const { text, unknownFields } = parseKnown(inputText, message, { others: ['type'] });
      const warnings = warnOfUnknown(unknownFields, context.settings);
      if (warnings.length > 0) context.logger.warn({ requestId: client.requestId, warnings }, 'message had warnings');
      addText(config, text);
    },
    'input.flush': () => written?.feed?.flush(),
    'input.done': (config) => complete(written ?? begin(config)),
    // As in SGLang-Omni, where a session is one utterance.
    'input.commit': (config) => {
      const utterance = written ?? begin(config);
      utterance.isCommitted = true;
      complete(utterance);
    },
    'input.cancel': interrupt,
    'session.close': close,
  };

  function handle(message: Fields): Promise<void> | undefined {
    const { type } = message;
    if (type === 'session.config') return configure(message);
    if (config === undefined) throw requestError(`the first message must be session.config, got ${show(type)}`, 'type');
    const known = typeof type === 'string' && Object.hasOwn(handlers, type) ? handlers[type] : undefined;
    if (known === undefined) throw requestError(`unknown message type ${show(type)}`, 'type');
    known(config, message);
    return undefined;
  }

  function refuse(error: unknown): void {
    void fail(error);
    if (config === undefined) end(closeCodes.policyViolation, 'the first message must be a valid session.config');
  }

  socket.onText((text) => {
    if (isClosing) return undefined;
    try {
      return handle(readMessage(text))?.catch(refuse);
    } catch (error) {
      refuse(error);
      return undefined;
    }
  });
  const drain = (): void => {
    stopWaiting();
    // Text that waits for `input.done` is not spoken any more.
    if (utterances.every((utterance) => utterance === written && utterance.feed === undefined)) leave();
  };
  const stopDraining = whenClosing(closing, drain);

  return aborted(socket.signal).then(() => {
    isClosing = true;
    timer.stop();
    stopDraining();
    cancel();
    return speaking;
  });
}

/** `token_level` implies samples, and units of any text. @throws SvcError INVALID_REQUEST */
function inMode(config: SessionConfig): SessionConfig {
  if (config.streaming_mode !== 'token_level') return config;
  if (config.stream_audio === false) {
    throw requestError('streaming_mode "token_level" streams audio: stream_audio must be true', 'stream_audio');
  }
  if (config.split_granularity) {
    throw requestError(
      'streaming_mode "token_level" and split_granularity cannot be combined: its speech is one unit',
      'split_granularity',
    );
  }
  const { response_format = 'pcm' } = config;
  return { ...config, response_format, stream_audio: true, split_granularity: 'clause' };
}

function readMessage(text: string): Fields {
  const message = parseMessage(text);
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    throw requestError('the message must be a JSON object');
  }
  const fields = message as Fields;
  if (fields.type !== 'session.config' && text.length > longestMessage) {
    const problem = `it has ${text.length} characters; the limit is ${longestMessage}`;
    throw requestError(`this message was dropped: ${problem}; send a text in several messages`);
  }
  return fields;
}

function readConfig(message: Fields): SessionConfig {
  const config = inMode(parseKnown(sessionConfig, message, { others: ['type'] }));
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
