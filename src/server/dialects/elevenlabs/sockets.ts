/** Text in, speech out over WebSockets, as at ElevenLabs: one speech per connection, or several at once (contexts). */
import type { Request } from 'express';
import { aborted, followSignal, type Lifetime } from '../../../cancellation.ts';
import { createTextFeed, type TextFeed } from '../../../engine/live/text-feed.ts';
import { SvcError, toSvcError } from '../../../errors.ts';
import { parse, requestError } from '../../../validation.ts';
import type { ServerContext } from '../../context.ts';
import type { StoredKey } from '../../http/api-keys.ts';
import type { Client } from '../../http/client.ts';
import { reportFailure } from '../../http/middleware/failure.ts';
import { problemOf } from '../../http/problem.ts';
import { parseKnown, warnOfUnknown } from '../../http/unknown-fields.ts';
import { closeCodes, type LiveSocket } from '../../live/live-socket.ts';
import { watchPauses } from '../../live/long-pauses.ts';
import { createIdleTimer, parseMessage, whenClosing } from '../../live/session.ts';
import type { ServeSocket, SocketClient, SocketRoute } from '../../live/sockets.ts';
import { liveBody } from '../../schemas/speech.ts';
import { checkNames } from '../../speech/accepted-request.ts';
import { chooseModel } from './choose-model.ts';
import {
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
    serve: serveStream(context, name === 'stream-input' ? 'one speech' : 'contexts'),
  }));

/** Contexts that a connection may have at once. */
const mostContexts = 32;
/** Seconds without a message or audio, unless the client sets `inactivity_timeout`. */
const defaultInactivity = 20;
/** Name of the context of messages that name none. */
const unnamed = 'default';

/** A speech whose text is being written, or that is still being spoken. */
interface Context {
  readonly id: string;
  readonly feed: TextFeed;
  readonly lifetime: Lifetime;
  /** From its first message. */
  readonly settings: StreamMessage['voice_settings'];
  /** Undefined until there is text. */
  speaking: Promise<void> | undefined;
  /** Whether the client has flushed the text so far, and no text followed. */
  isFlushed: boolean;
}

/** Errors that each further context would have. */
const fatal: readonly string[] = ['voice_not_found', 'model_not_found', 'invalid_api_key'];

function serveStream(context: ServerContext, mode: 'one speech' | 'contexts'): ServeSocket {
  return (socket, client, closing, request) => {
    let query: StreamQuery;
    try {
      query = parseKnown(streamQuery, request.query, { others: silentParameters });
      warnOfUnknown(query.unknownFields, context.settings);
    } catch (error) {
      refuse(context, socket, client, error);
      return aborted(socket.signal);
    }
    return serveSession(context, { socket, client, closing, mode, query, voice: voiceOf(request) });
  };
}

const voiceOf = ({ params }: Request): string => String(params.voice);

/** A reason has at most 123 bytes. */
const reasonOf = (message: string): string => Buffer.from(message).subarray(0, 120).toString();

/** Reports an error as ElevenLabs does. */
function report(context: ServerContext, socket: LiveSocket, client: Client, error: unknown, fields = {}) {
  const { status, message, code } = problemOf(error);
  const { requestId } = client;
  reportFailure(context, toSvcError(error), { requestId, status, isGone: socket.signal.aborted });
  void socket.send(JSON.stringify({ message, error: code, code: closeCodes.policyViolation, ...fields }));
  return { message, code };
}

function refuse(context: ServerContext, socket: LiveSocket, client: Client, error: unknown): void {
  const { message } = report(context, socket, client, error);
  socket.close(closeCodes.policyViolation, reasonOf(message));
}

interface SocketSession {
  readonly socket: LiveSocket;
  readonly client: SocketClient;
  readonly closing: AbortSignal;
  readonly mode: 'one speech' | 'contexts';
  readonly query: StreamQuery;
  readonly voice: string;
}

function serveSession(
  context: ServerContext,
  { socket, client, closing, mode, query, voice }: SocketSession,
): Promise<void> {
  const { limits, findKey } = context.settings;
  /** Those that take text, by their names. */
  const open = new Map<string, Context>();
  /** Those that are not over. */
  const all = new Set<Context>();
  let key: StoredKey | undefined = client.key;
  let isKnown = findKey === undefined || key !== undefined;
  /** `closing` when the client has asked to close the connection. */
  let state: 'open' | 'closing' | 'over' = 'open';
  let hasWarned = false;
  let hasChecked = false;

  const inactivity = Math.min((query.inactivity_timeout ?? defaultInactivity) * 1000, limits.sessionIdleMilliseconds);
  const timer = createIdleTimer({
    start: isKnown ? inactivity : limits.sessionStartMilliseconds,
    idle: inactivity,
    // The client has sent all text of a speech.
    isBusy: () => [...all].some((one) => open.get(one.id) !== one),
    expire() {
      const seconds = (isKnown ? inactivity : limits.sessionStartMilliseconds) / 1000;
      leave(requestError(`no text received within ${seconds} s; send "" to end the text`));
    },
  });
  const touch = (): void => {
    if (isKnown) timer.touch();
  };

  function stop(): void {
    state = 'over';
    timer.stop();
    for (const one of all) cancel(one);
  }
  function end(code: number, reason: string): void {
    stop();
    socket.close(code, reason);
  }
  function leave(error: unknown): void {
    stop();
    refuse(context, socket, client, error);
  }

  const nameOf = ({ id }: Pick<Context, 'id'>): object =>
    mode === 'contexts' ? { contextId: id, context_id: id } : {};
  const watched: LiveSocket = {
    ...socket,
    send(message) {
      touch();
      return socket.send(message);
    },
  };

  function create(id: string, settings: StreamMessage['voice_settings']): Context {
    const created: Context = {
      id,
      feed: watchPauses(
        createTextFeed({ maxCharacters: limits.inputCharacters }),
        limits.textPauseMilliseconds,
        // Before there is text, only the connection may be idle.
        () => created.speaking !== undefined && complete(created),
      ),
      lifetime: followSignal(socket.signal),
      settings,
      speaking: undefined,
      isFlushed: false,
    };
    open.set(id, created);
    all.add(created);
    return created;
  }

  async function speak(one: Context): Promise<void> {
    const { settings, feed, lifetime } = one;
    const speaker = { ...client, key, signal: lifetime.signal };
    try {
      await speakContext(context, watched, speaker, { voice, query, settings, feed, fields: nameOf(one) });
    } catch (error) {
      if (lifetime.signal.aborted) return;
      const { message, code } = report(context, socket, client, error, nameOf(one));
      if (mode === 'one speech' || fatal.includes(code)) end(closeCodes.policyViolation, reasonOf(message));
    } finally {
      finish(one);
    }
  }

  function finish(one: Context): void {
    one.lifetime.detach();
    all.delete(one);
    if (open.get(one.id) === one) open.delete(one.id);
    if (state === 'over') return;
    void watched.send(JSON.stringify({ audio: null, isFinal: true, ...nameOf(one) }));
    if (mode === 'one speech' || (state === 'closing' && all.size === 0)) end(closeCodes.normal, '');
    else if (closing.aborted) drain();
  }

  function addText(one: Context, text: string): void {
    one.isFlushed = false;
    one.feed.push(text).catch((error: unknown) => one.feed.fail(toSvcError(error)));
    if (text.trim() === '') return;
    one.speaking ??= speak(one);
    if (query.auto_mode) one.feed.flush();
  }

  /** Nothing more is written. */
  function complete(one: Context): void {
    if (open.get(one.id) === one) open.delete(one.id);
    one.feed.end();
    if (one.speaking === undefined) finish(one);
  }

  function cancel(one: Context): void {
    one.lifetime.end(new SvcError('CANCELLED', 'canceled by the client'));
    complete(one);
  }

  /** Text that was flushed is still spoken; to close a context again silences it. */
  function close(id: string): void {
    const one = open.get(id);
    if (one?.isFlushed) complete(one);
    else for (const same of all) if (same.id === id) cancel(same);
  }

  function closeAll(): void {
    state = 'closing';
    for (const id of [...open.keys()]) close(id);
    if (all.size === 0) end(closeCodes.normal, '');
  }

  function authenticate(message: StreamMessage): void {
    if (isKnown) return;
    const bearer = message.authorization?.replace(/^Bearer /i, '');
    const sent = message.xi_api_key ?? message['xi-api-key'] ?? bearer;
    key = sent === undefined ? undefined : findKey?.(sent);
    if (key === undefined) {
      const problem = sent === undefined ? 'missing' : 'incorrect';
      throw new SvcError('UNAUTHORIZED', `${problem} API key; send it in the header xi-api-key or the first message`);
    }
    client.admit(key);
    isKnown = true;
    touch();
  }

  function warn(message: StreamMessage): void {
    if (hasWarned) return;
    hasWarned = true;
    const { enable_ssml_parsing, apply_language_text_normalization } = query;
    const { voice_settings, pronunciation_dictionary_locators } = message;
    const given = { enable_ssml_parsing, apply_language_text_normalization };
    const fields = { ...given, voice_settings, pronunciation_dictionary_locators };
    const unknown = [query.unknownFields, message.unknownFields].flatMap((found) =>
      warnOfUnknown(found, context.settings),
    );
    const warnings = [...unknown, ...warnOfUnused(fields, ['voice_settings.speed'])];
    if (warnings.length > 0) context.logger.warn({ requestId: client.requestId, warnings }, 'speech had warnings');
  }

  /** Before the first text, but not before the key is known. */
  async function check(): Promise<void> {
    hasChecked = true;
    await checkNames(context, parse(liveBody, { model: chooseModel(context, query.model_id), voice }));
  }

  function handle(message: StreamMessage): Promise<void> | undefined {
    authenticate(message);
    if (hasChecked) return void act(message);
    return check().then(() => {
      if (state === 'open') act(message);
    });
  }

  function act(message: StreamMessage): void {
    const id = message.context_id ?? unnamed;
    if (mode === 'one speech') {
      const isEnd = message.text === '' && message.flush !== true;
      if (isEnd) complete(open.get(unnamed) ?? create(unnamed, undefined));
      else write(unnamed, message);
    } else if (message.close_socket === true) closeAll();
    else if (message.close_context === true) close(id);
    else write(id, message);
  }

  function write(id: string, message: StreamMessage): void {
    const { text, flush } = message;
    // An empty text keeps a connection with contexts alive.
    const hasText = text !== undefined && text !== null && text !== '';
    let one = open.get(id);
    if (hasText) {
      if (one === undefined && all.size >= mostContexts) {
        const message = `too many contexts at once (the limit is ${mostContexts}); close one first`;
        return void report(context, socket, client, requestError(message, 'context_id'), nameOf({ id }));
      }
      one ??= create(id, message.voice_settings);
      warn(message);
      addText(one, text);
    }
    if (flush !== true || one === undefined) return;
    one.feed.flush();
    // In automatic mode, each message is flushed, so that a flush says nothing about the end of the text.
    one.isFlushed = !(hasText && query.auto_mode);
  }

  socket.onText((text) => {
    if (state !== 'open') return undefined;
    touch();
    try {
      return handle(readMessage(text))?.catch(leave);
    } catch (error) {
      leave(error);
      return undefined;
    }
  });

  const drain = (): void => {
    if (all.size === 0) end(closeCodes.goingAway, 'the server is shutting down');
  };
  const stopDraining = whenClosing(closing, drain);

  return aborted(socket.signal).then(async () => {
    stopDraining();
    const speaking = [...all].map((one) => one.speaking);
    stop();
    await Promise.all(speaking);
  });
}

const readMessage = (text: string): StreamMessage =>
  parseKnown(streamMessage, parseMessage(text), { others: silentMessageFields, subject: 'the message' });
