/** One connection: answers its requests in order. */
import type { Socket } from 'node:net';
import { createStreamWriter } from '../audio/encode/sink.ts';
import { followSignal } from '../cancellation.ts';
import { ignore, SvcError, toSvcError } from '../errors.ts';
import { didYouMean, show } from '../messages.ts';
import type { ServerContext } from '../server/context/context.ts';
import { problemOf } from '../server/http/problem.ts';
import { encodeEvent, type ReceiveLimits, receiveEvents } from './events.ts';
import { parseRequest, type WyomingRequest } from './requests.ts';
import { createSpeaker } from './speaker.ts';

export type Connection = ReturnType<typeof serveConnection>;

interface ConnectionOptions {
  /** The encoded answer to `describe`. */
  readonly describe: () => Promise<Uint8Array>;
  readonly limits: ReceiveLimits;
}

/** Time limit for a client to read the last event, in milliseconds. */
const lastMilliseconds = 2_000;

/**
 * A failed request ends the connection after an `error` event, as in Piper's server: older versions of Home Assistant don't
 * know that event and would wait for the audio.
 */
export function serveConnection(context: ServerContext, socket: Socket, options: ConnectionOptions) {
  const { describe, limits } = options;
  const { models, logger, settings } = context;
  const client = followSignal();
  const lifetime = followSignal(client.signal);
  const leave = (): void => client.end(new SvcError('CANCELLED', 'the client disconnected'));
  const closed = new Promise<void>((resolve) => socket.once('close', resolve));
  // An error is followed by `close`.
  socket.once('end', leave).once('close', leave).on('error', leave).setNoDelay();
  const write = createStreamWriter(socket, client.signal);

  async function send(event: Uint8Array): Promise<void> {
    const { stallMilliseconds } = settings.limits;
    const stalled = new SvcError('CANCELLED', `the client read nothing for ${stallMilliseconds / 1000} s`);
    const timer = setTimeout(() => client.end(stalled), stallMilliseconds);
    await write(event).finally(() => clearTimeout(timer));
  }

  const speaker = createSpeaker(context, {
    socket,
    signal: lifetime.signal,
    onFailure: (error) => lifetime.end(toSvcError(error)),
  });
  let program: string | undefined;
  let isIdle = true;
  let isLast = false;

  function handle(request: WyomingRequest): Promise<void> | void {
    switch (request.type) {
      case 'describe':
        return describe().then(send);
      case 'ping':
        return send(encodeEvent({ type: 'pong', data: { text: request.text ?? null } }));
      case 'select-program':
        program = findProgram(request.name);
        return;
      case 'synthesize':
        return speaker.speak({ ...request, model: program });
      case 'synthesize-start':
        return speaker.begin({ ...request, model: program });
      case 'synthesize-chunk':
        return speaker.push(request.text);
      case 'synthesize-stop':
        return speaker.end();
    }
  }

  /** Other requests may name a single model as they like, but a program is chosen from those that `info` lists. */
  function findProgram(name: string): string {
    const found = models.find(name);
    if (found !== undefined) return found;
    const known = models.list().flatMap((model) => [model.name, ...model.aliases]);
    const problem = `unknown program ${show(name)} (available: ${known.join(', ')})`;
    throw new SvcError('MODEL_NOT_FOUND', `${problem}${didYouMean(name, known)}`);
  }

  async function serve(): Promise<void> {
    for await (const event of receiveEvents(socket, limits, lifetime.signal)) {
      isIdle = false;
      const request = parseRequest(event);
      if (request !== undefined) await handle(request);
      isIdle = !speaker.isOpen();
      if (isLast && isIdle) return;
    }
  }

  async function fail(thrown: unknown): Promise<void> {
    isIdle = false;
    lifetime.end(toSvcError(thrown));
    const { message, code } = problemOf(thrown);
    if (client.signal.aborted) return;
    // Without the message, which may quote the text.
    logger.warn({ remoteAddress: socket.remoteAddress, code }, 'wyoming request failed');
    await send(encodeEvent({ type: 'error', data: { text: message, code } }));
  }

  void serve()
    .catch(fail)
    .catch(ignore)
    .then(() => {
      lifetime.end();
      socket.end();
      const last = setTimeout(() => socket.destroy(), lastMilliseconds);
      void closed.then(() => clearTimeout(last));
    });

  return {
    /** Whether no request is being handled. */
    isIdle: (): boolean => isIdle,
    /** Closes the connection after the present request; a text in pieces ends where it is. */
    finish(): void {
      isLast = true;
      if (isIdle) socket.end();
      else if (speaker.isOpen()) speaker.finish().then(() => socket.end(), ignore);
    },
    /** Resolves when the socket is closed. */
    closed,
  };
}
