/** Text in, speech out over a WebSocket, in the protocol of vLLM-Omni. */
import { followSignal } from '../../../cancellation.ts';
import { createTextFeed } from '../../../engine/live/text-feed.ts';
import { SvcError } from '../../../errors.ts';
import { isPlain, show } from '../../../messages.ts';
import { requestError } from '../../../validation.ts';
import type { ServerContext } from '../../context/context.ts';
import { closeCodes } from '../../context/live-socket.ts';
import type { SocketRoute } from '../../context/sockets.ts';
import { parseKnown, warnOfUnknown } from '../../http/unknown-fields.ts';
import { watchPauses } from '../../live/long-pauses.ts';
import { parseMessage, SocketSession } from '../../live/socket-session.ts';
import { type LiveUtterance as SpokenUtterance, speakLive } from '../../live/speak-live.ts';
import { checkNames } from '../../speech/accepted-request.ts';
import { inputText, readConfig, type SessionConfig } from './session-config.ts';
import { type Fields, type LiveUtterance, Units, type UnitTarget } from './speech-units.ts';

/** Longest message but `session.config`, in characters. */
const longestMessage = 128 * 1024;
const mostUtterances = 64;

export const speechStream = (context: ServerContext): SocketRoute => ({
  path: '/v1/audio/speech/stream',
  serve: (connection) => new SpeechStream(context, connection).serve(),
});

class SpeechStream extends SocketSession {
  #config: SessionConfig | undefined;
  #written: LiveUtterance | undefined;
  /** All that are not over, in order. */
  readonly #utterances: LiveUtterance[] = [];
  #count = 0;
  /** Utterances that `input.commit` has ended, and units of all utterances. */
  #segments = 0;
  #spokenUnits = 0;
  #waiting = 0;
  #speaking: Promise<void> = Promise.resolve();
  /** Ends the wait for the rest of a text that can't be spoken. */
  #stopWaiting = (): void => undefined;

  readonly #handlers: Readonly<Record<string, (config: SessionConfig, message: Fields) => void>> = {
    'input.text': (config, message) => this.#addText(config, this.#textOf(message)),
    'input.flush': () => this.#written?.feed?.flush(),
    'input.done': (config) => this.#complete(this.#written ?? this.#begin(config)),
    // As in SGLang-Omni, where a session is one utterance.
    'input.commit': (config) => {
      const utterance = this.#written ?? this.#begin(config);
      utterance.isCommitted = true;
      this.#complete(utterance);
    },
    'input.cancel': () => this.#interrupt(),
    'session.close': () => this.#close(),
  };

  receive(text: string): Promise<void> | undefined {
    const message = readMessage(text);
    const { type } = message;
    if (type === 'session.config') return this.#configure(message);
    if (this.#config === undefined) {
      throw requestError(`the first message must be session.config, got ${show(type)}`, 'type');
    }
    const known = typeof type === 'string' && Object.hasOwn(this.#handlers, type) ? this.#handlers[type] : undefined;
    if (known === undefined) throw requestError(`unknown message type ${show(type)}`, 'type');
    known(this.#config, message);
    return undefined;
  }

  refuse(error: unknown): void {
    void this.#fail(error);
    if (this.#config !== undefined) return;
    this.end(closeCodes.policyViolation, 'the first message must be a valid session.config');
  }

  isBusy(): boolean {
    return this.#utterances.some((utterance) => utterance !== this.#written);
  }

  expire(): void {
    const awaited = this.#config === undefined ? 'session.config' : 'message';
    void this.#fail(requestError(`no ${awaited} received in time; closing the connection`));
    this.#cancel();
    this.end(closeCodes.policyViolation, `no ${awaited} received`);
  }

  drain(): void {
    this.#stopWaiting();
    // Text that waits for `input.done` is not spoken any more.
    const isUnspoken = (utterance: LiveUtterance) => utterance === this.#written && utterance.feed === undefined;
    if (this.#utterances.every(isUnspoken)) this.leave();
  }

  stop(): Promise<void> {
    this.#cancel();
    return this.#speaking;
  }

  #reply(type: string, fields: Fields = {}): Promise<void> {
    return this.connection.socket.send(JSON.stringify({ type, ...fields }));
  }

  #fail(error: unknown, fields: Fields = {}): Promise<void> {
    const { message, code, param } = this.report(error);
    return this.#reply('error', { message, code, ...(param !== undefined && { param }), ...fields });
  }

  async #configure(message: Fields): Promise<void> {
    if (this.#written !== undefined) {
      const problem = 'session.config cannot be applied while an utterance is in progress';
      throw requestError(`${problem}; send input.done or input.cancel first`);
    }
    const chosen = readConfig(message);
    warnOfUnknown(chosen.unknownFields, this.context.settings);
    await checkNames(this.context, chosen);
    this.#config = chosen;
    this.touch();
  }

  #textOf(message: Fields): string {
    const { settings, logger } = this.context;
    const { text, unknownFields } = parseKnown(inputText, message, { others: ['type'] });
    const warnings = warnOfUnknown(unknownFields, settings);
    const { requestId } = this.connection.client;
    if (warnings.length > 0) logger.warn({ requestId, warnings }, 'message had warnings');
    return text;
  }

  #addText(config: SessionConfig, text: string): void {
    if (text === '') return;
    this.touch();
    const most = this.context.settings.limits.inputCharacters;
    const waiting = this.#waiting + text.length;
    const [problem, remedy] =
      text.length > most
        ? [`it has ${text.length} characters`, 'send it in several utterances of less']
        : [
            `with it, ${waiting} characters would wait to be spoken`,
            'send input.done, wait for session.done, and send it again',
          ];
    if (waiting > most) {
      throw requestError(`this text was dropped: ${problem}; the limit is ${most}; ${remedy}`, 'text');
    }
    const written = this.#written ?? this.#begin(config);
    this.#written = written;
    written.characters += text.length;
    this.#waiting = waiting;
    if (written.feed === undefined) written.whole += text;
    else void written.feed.push(text);
  }

  #begin(config: SessionConfig): LiveUtterance {
    if (this.#utterances.length >= mostUtterances) {
      throw requestError(`${mostUtterances} utterances wait to be spoken; wait for session.done`);
    }
    const endPaused = (): void => {
      if (utterance === this.#written) this.#complete(utterance);
    };
    const { textPauseMilliseconds } = this.context.settings.limits;
    const isLive = (config.split_granularity ?? 'none') !== 'none';
    const utterance: LiveUtterance = {
      index: this.#count,
      config,
      feed: isLive ? watchPauses(createTextFeed(), textPauseMilliseconds, endPaused) : undefined,
      whole: '',
      characters: 0,
      lifetime: followSignal(this.connection.socket.signal),
      isCanceled: false,
      isCommitted: false,
    };
    this.#count += 1;
    this.#utterances.push(utterance);
    if (isLive) this.#speak(utterance);
    return utterance;
  }

  #complete(utterance: LiveUtterance): void {
    this.#written = undefined;
    this.#stopWaiting();
    if (utterance.feed === undefined) this.#speak(utterance);
    else utterance.feed.end();
  }

  #speak(utterance: LiveUtterance): void {
    this.#speaking = this.#speaking.then(async () => {
      await this.#speakNow(utterance);
      utterance.lifetime.detach();
      this.#utterances.shift();
      this.#waiting -= utterance.characters;
      this.touch();
      if (this.connection.closing.aborted && this.#utterances.length === 0) this.leave();
    });
  }

  async #speakNow(utterance: LiveUtterance): Promise<void> {
    const { config, feed, whole, lifetime } = utterance;
    const { split_granularity: granularity, streaming_mode: _m, response_format, ...body } = config;
    const reply: UnitTarget['reply'] = (type, fields) => this.#reply(type, fields);
    const { context, connection } = this;
    const units = new Units({ context, socket: connection.socket, utterance, reply, touch: () => this.touch() });
    let warnings: readonly string[] = [];
    try {
      lifetime.signal.throwIfAborted();
      if (feed !== undefined || whole.trim() !== '') {
        const spoken: SpokenUtterance = {
          body: { ...body, first_clause: granularity === 'clause' },
          text: feed?.text ?? whole,
          format: response_format ?? 'wav',
          timestamps: config.word_timestamps ? 'word' : 'none',
        };
        await speakLive(context, { ...connection.client, signal: lifetime.signal }, spoken, async (speech) => {
          await units.send(speech);
          warnings = speech.warnings();
        });
      }
    } catch (error) {
      feed?.end();
      const isPartial = units.isPartial() ? { partial_audio: true, action: 'discard' } : {};
      if (!utterance.isCanceled) await this.#fail(error, isPartial);
      await units.abort();
      await this.#outlive(utterance, error);
    }
    await this.#answer(utterance, units.count(), warnings);
  }

  /** Ends the session after an error of the key; else waits for the rest of a text that can't be spoken. */
  async #outlive(utterance: LiveUtterance, error: unknown): Promise<void> {
    if (error instanceof SvcError && error.code === 'UNAUTHORIZED') {
      this.#cancel();
      this.end(closeCodes.policyViolation, error.message);
    }
    if (utterance !== this.#written || this.connection.closing.aborted) return;
    await new Promise<void>((resolve) => {
      this.#stopWaiting = resolve;
    });
  }

  #answer(utterance: LiveUtterance, units: number, warnings: readonly string[]): Promise<void> {
    this.#spokenUnits += units;
    const ended = {
      utterance_index: utterance.index,
      ...(utterance.isCanceled && { cancelled: true }),
      ...(warnings.length > 0 && { warnings }),
    };
    if (!utterance.isCommitted) return this.#reply('session.done', { ...ended, total_sentences: units });
    const segment = { segment_index: this.#segments, segment_sentences: units, total_sentences: this.#spokenUnits };
    this.#segments += 1;
    return this.#reply('input.committed', { ...ended, ...segment });
  }

  #cancel(): void {
    for (const utterance of this.#utterances) {
      utterance.isCanceled = true;
      utterance.lifetime.end(new SvcError('CANCELLED', 'canceled by the client'));
    }
    // Otherwise it speaks already.
    if (this.#written !== undefined && this.#written.feed === undefined) this.#speak(this.#written);
    this.#written = undefined;
    this.#stopWaiting();
  }

  /** Each cancel is answered: without an utterance, as that of an empty one. */
  #interrupt(): void {
    if (this.#utterances.length > 0) return void this.#cancel();
    void this.#reply('session.done', { utterance_index: this.#count, total_sentences: 0, cancelled: true });
    this.#count += 1;
  }

  #close(): void {
    this.stopReceiving();
    if (this.#written !== undefined) this.#cancel();
    void this.#speaking.then(() => this.end(closeCodes.normal, ''));
  }
}

function readMessage(text: string): Fields {
  const message = parseMessage(text);
  if (!isPlain(message)) throw requestError('the message must be a JSON object');
  const fields = message as Fields;
  if (fields.type !== 'session.config' && text.length > longestMessage) {
    const problem = `it has ${text.length} characters; the limit is ${longestMessage}`;
    throw requestError(`this message was dropped: ${problem}; send a text in several messages`);
  }
  return fields;
}
