/** Text in, speech out over WebSockets, as at ElevenLabs: one speech per connection, or several at once (contexts). */
import { followSignal, type Lifetime } from '../../../cancellation.ts';
import { createTextFeed, type TextFeed } from '../../../engine/live/text-feed.ts';
import { SvcError, toSvcError } from '../../../errors.ts';
import { parse, requestError } from '../../../validation.ts';
import type { ServerContext } from '../../context/context.ts';
import { closeCodes, type LiveSocket } from '../../context/live-socket.ts';
import type { Connection, SocketRoute } from '../../context/sockets.ts';
import type { Problem } from '../../http/problem.ts';
import { parseKnown, warnOfUnknown } from '../../http/unknown-fields.ts';
import { watchPauses } from '../../live/long-pauses.ts';
import { parseMessage, SocketSession } from '../../live/socket-session.ts';
import { liveBody } from '../../schemas/speech.ts';
import { checkNames } from '../../speech/accepted-request.ts';
import {
  chooseModel,
  type StreamMessage,
  type StreamQuery,
  silentMessageFields,
  silentParameters,
  streamMessage,
  streamQuery,
  warnOfUnused,
} from './schemas.ts';
import { speakContext } from './speak-context.ts';

export const elevenlabsSockets = (context: ServerContext): readonly SocketRoute[] =>
  (['stream-input', 'multi-stream-input'] as const).map((name) => ({
    path: `/v1/text-to-speech/:voice/${name}`,
    access: 'message',
    serve: (connection) =>
      new TextStream(context, connection, name === 'stream-input' ? 'one speech' : 'contexts').begin(),
  }));

const mostContexts = 32;
/** Seconds without a message or audio, unless the client sets `inactivity_timeout`. */
const defaultInactivity = 20;
const unnamed = 'default';

/** A speech whose text is being written, or that is still being spoken. */
interface Context {
  readonly id: string;
  readonly feed: TextFeed;
  readonly lifetime: Lifetime;
  /** From its first message. */
  readonly settings: StreamMessage['voice_settings'];
  speaking: Promise<void> | undefined;
  /** Whether the client has flushed the text so far, and no text followed. */
  isFlushed: boolean;
}

/** Errors that each further context would have. */
const fatal: readonly string[] = ['voice_not_found', 'model_not_found', 'invalid_api_key'];

type Mode = 'one speech' | 'contexts';

/** A reason has at most 123 bytes. */
const reasonOf = (message: string): string => Buffer.from(message).subarray(0, 120).toString();

class TextStream extends SocketSession {
  readonly #mode: Mode;
  readonly #voice = String(this.connection.request.params.voice);
  #query: StreamQuery = parse(streamQuery, {});
  /** Those that take text, by their names. */
  readonly #open = new Map<string, Context>();
  readonly #all = new Set<Context>();
  #key = this.connection.client.key;
  #isKnown = this.context.settings.findKey === undefined || this.#key !== undefined;
  #hasWarned = false;
  #hasChecked = false;
  /** Milliseconds that a client without speech may be idle now. */
  #patience = 0;

  constructor(context: ServerContext, connection: Connection, mode: Mode) {
    super(context, connection);
    this.#mode = mode;
  }

  begin(): Promise<void> {
    const { limits } = this.context.settings;
    try {
      this.#query = parseKnown(streamQuery, this.connection.request.query, { others: silentParameters });
      warnOfUnknown(this.#query.unknownFields, this.context.settings);
    } catch (error) {
      this.refuse(error);
    }
    const inactivity = (this.#query.inactivity_timeout ?? defaultInactivity) * 1000;
    const idle = Math.min(inactivity, limits.sessionIdleMilliseconds);
    const start = this.#isKnown ? idle : limits.sessionStartMilliseconds;
    this.#patience = start;
    return this.serve({ start, idle });
  }

  receive(text: string): Promise<void> | undefined {
    this.#touch();
    const message = readMessage(text);
    this.#authenticate(message);
    if (this.#hasChecked) return void this.#act(message);
    return this.#check().then(() => {
      if (this.state === 'open') this.#act(message);
    });
  }

  refuse(error: unknown): void {
    this.#cancelAll();
    const { message } = this.#report(error);
    this.end(closeCodes.policyViolation, reasonOf(message));
  }

  isBusy(): boolean {
    // The client has sent all text of a speech.
    return [...this.#all].some((one) => this.#open.get(one.id) !== one);
  }

  expire(): void {
    this.refuse(requestError(`no text received within ${this.#patience / 1000} s; send "" to end the text`));
  }

  drain(): void {
    if (this.#all.size === 0) this.leave();
  }

  stop(): Promise<unknown> {
    const speaking = [...this.#all].map((one) => one.speaking);
    this.#cancelAll();
    return Promise.all(speaking);
  }

  #touch(): void {
    if (this.#isKnown) this.touch();
  }

  #report(error: unknown, fields: object = {}): Pick<Problem, 'message' | 'code'> {
    const { message, code } = this.report(error);
    const body = { message, error: code, code: closeCodes.policyViolation, ...fields };
    void this.connection.socket.send(JSON.stringify(body));
    return { message, code };
  }

  #end(code: number, reason: string): void {
    this.#cancelAll();
    this.end(code, reason);
  }

  #cancelAll(): void {
    this.finish();
    for (const one of this.#all) this.#cancel(one);
  }

  #authenticate(message: StreamMessage): void {
    if (this.#isKnown) return;
    const bearer = message.authorization?.replace(/^Bearer /i, '');
    const sent = message.xi_api_key ?? message['xi-api-key'] ?? bearer;
    this.#key = sent === undefined ? undefined : this.context.settings.findKey?.(sent);
    if (this.#key === undefined) {
      const problem = sent === undefined ? 'missing' : 'incorrect';
      throw new SvcError('UNAUTHORIZED', `${problem} API key; send it in the header xi-api-key or the first message`);
    }
    this.connection.client.admit(this.#key);
    this.#isKnown = true;
    this.#touch();
  }

  /** Before the first text, but not before the key is known. */
  async #check(): Promise<void> {
    this.#hasChecked = true;
    const model = chooseModel(this.context, this.#query.model_id);
    await checkNames(this.context, parse(liveBody, { model, voice: this.#voice }));
  }

  #act(message: StreamMessage): void {
    const id = message.context_id ?? unnamed;
    if (this.#mode === 'one speech') {
      const isEnd = message.text === '' && message.flush !== true;
      if (isEnd) this.#complete(this.#open.get(unnamed) ?? this.#create(unnamed, undefined));
      else this.#write(unnamed, message);
    } else if (message.close_socket === true) this.#closeAll();
    else if (message.close_context === true) this.#close(id);
    else this.#write(id, message);
  }

  #write(id: string, message: StreamMessage): void {
    const { text, flush } = message;
    // An empty text keeps a connection with contexts alive.
    const hasText = text !== undefined && text !== null && text !== '';
    let one = this.#open.get(id);
    if (hasText) {
      if (one === undefined && this.#all.size >= mostContexts) {
        const problem = `too many contexts at once (the limit is ${mostContexts}); close one first`;
        return void this.#report(requestError(problem, 'context_id'), this.#nameOf(id));
      }
      one ??= this.#create(id, message.voice_settings);
      this.#warn(message);
      this.#addText(one, text);
    }
    if (flush !== true || one === undefined) return;
    one.feed.flush();
    // In automatic mode, each message is flushed, so that a flush says nothing about the end of the text.
    one.isFlushed = !(hasText && this.#query.auto_mode);
  }

  #nameOf(id: string): object {
    return this.#mode === 'contexts' ? { contextId: id, context_id: id } : {};
  }

  #create(id: string, settings: StreamMessage['voice_settings']): Context {
    const { inputCharacters, textPauseMilliseconds } = this.context.settings.limits;
    const created: Context = {
      id,
      feed: watchPauses(
        createTextFeed({ maxCharacters: inputCharacters }),
        textPauseMilliseconds,
        // Before there is text, only the connection may be idle.
        () => created.speaking !== undefined && this.#complete(created),
      ),
      lifetime: followSignal(this.connection.socket.signal),
      settings,
      speaking: undefined,
      isFlushed: false,
    };
    this.#open.set(id, created);
    this.#all.add(created);
    return created;
  }

  #warn(message: StreamMessage): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const { settings, logger } = this.context;
    const { enable_ssml_parsing, apply_language_text_normalization, unknownFields } = this.#query;
    const { voice_settings, pronunciation_dictionary_locators } = message;
    const given = { enable_ssml_parsing, apply_language_text_normalization };
    const fields = { ...given, voice_settings, pronunciation_dictionary_locators };
    const unknown = [unknownFields, message.unknownFields].flatMap((found) => warnOfUnknown(found, settings));
    const warnings = [...unknown, ...warnOfUnused(fields, ['voice_settings.speed'])];
    const { requestId } = this.connection.client;
    if (warnings.length > 0) logger.warn({ requestId, warnings }, 'speech had warnings');
  }

  #addText(one: Context, text: string): void {
    one.isFlushed = false;
    one.feed.push(text).catch((error: unknown) => one.feed.fail(toSvcError(error)));
    if (text.trim() === '') return;
    one.speaking ??= this.#speak(one);
    if (this.#query.auto_mode) one.feed.flush();
  }

  async #speak(one: Context): Promise<void> {
    const { id, settings, feed, lifetime } = one;
    const { client, socket } = this.connection;
    const speaker = { ...client, key: this.#key, signal: lifetime.signal };
    const send: LiveSocket['send'] = (message) => this.#send(message);
    const spoken = { voice: this.#voice, query: this.#query, settings, feed, fields: this.#nameOf(id) };
    try {
      await speakContext(this.context, { ...socket, send }, speaker, spoken);
    } catch (error) {
      if (lifetime.signal.aborted) return;
      const { message, code } = this.#report(error, this.#nameOf(id));
      if (this.#mode === 'one speech' || fatal.includes(code)) {
        this.#end(closeCodes.policyViolation, reasonOf(message));
      }
    } finally {
      this.#finish(one);
    }
  }

  /** A client that gets audio is not idle. */
  #send(message: Parameters<LiveSocket['send']>[0]): Promise<void> {
    this.#touch();
    return this.connection.socket.send(message);
  }

  #finish(one: Context): void {
    one.lifetime.detach();
    this.#all.delete(one);
    if (this.#open.get(one.id) === one) this.#open.delete(one.id);
    const { state } = this;
    if (state === 'over') return;
    void this.#send(JSON.stringify({ audio: null, isFinal: true, ...this.#nameOf(one.id) }));
    const isLast = this.#mode === 'one speech' || (state === 'closing' && this.#all.size === 0);
    if (isLast) this.#end(closeCodes.normal, '');
    else if (this.connection.closing.aborted) this.drain();
  }

  #complete(one: Context): void {
    if (this.#open.get(one.id) === one) this.#open.delete(one.id);
    one.feed.end();
    if (one.speaking === undefined) this.#finish(one);
  }

  #cancel(one: Context): void {
    one.lifetime.end(new SvcError('CANCELLED', 'canceled by the client'));
    this.#complete(one);
  }

  /** Text that was flushed is still spoken; to close a context again silences it. */
  #close(id: string): void {
    const one = this.#open.get(id);
    if (one?.isFlushed) this.#complete(one);
    else for (const same of this.#all) if (same.id === id) this.#cancel(same);
  }

  #closeAll(): void {
    this.stopReceiving();
    for (const id of [...this.#open.keys()]) this.#close(id);
    if (this.#all.size === 0) this.#end(closeCodes.normal, '');
  }
}

const readMessage = (text: string): StreamMessage =>
  parseKnown(streamMessage, parseMessage(text), { others: silentMessageFields, subject: 'the message' });
