/** Connections with messages over WebSockets, in any protocol. */
import { aborted } from '../../cancellation.ts';
import { attempt, toSvcError } from '../../errors.ts';
import { requestError } from '../../validation.ts';
import type { ServerContext } from '../context/context.ts';
import { closeCodes } from '../context/live-socket.ts';
import type { Connection } from '../context/sockets.ts';
import { type Problem, problemOf } from '../http/problem.ts';
import { reportFailure } from '../middleware/failure.ts';

interface IdleTimes {
  /** Milliseconds until the first `touch`. */
  readonly start: number;
  /** Milliseconds after it. */
  readonly idle: number;
}

interface IdleLimits extends IdleTimes {
  /** Whether nothing more is expected of the client: then it may stay idle. */
  readonly isBusy: () => boolean;
  readonly expire: () => void;
}

export function createIdleTimer({ start, idle, isBusy, expire }: IdleLimits) {
  let isOver = false;
  let timer = setTimeout(check, start);
  function check(): void {
    if (isBusy()) touch();
    else expire();
  }
  function touch(): void {
    clearTimeout(timer);
    if (!isOver) timer = setTimeout(check, idle);
  }
  function stop(): void {
    isOver = true;
    clearTimeout(timer);
  }
  return { touch, stop };
}

/** @throws SvcError INVALID_REQUEST */
export function parseMessage(text: string): unknown {
  const message: unknown = attempt(() => JSON.parse(text));
  if (message === undefined) throw requestError('the message is not JSON');
  return message;
}

/** A connection that opens, may be idle, is drained or canceled, reports errors, and ends once. Protocols give messages a meaning. */
export abstract class SocketSession {
  /** `closing` when no more messages are expected. */
  protected state: 'open' | 'closing' | 'over' = 'open';
  protected readonly context: ServerContext;
  protected readonly connection: Connection;
  #timer: ReturnType<typeof createIdleTimer> | undefined;

  constructor(context: ServerContext, connection: Connection) {
    this.context = context;
    this.connection = connection;
  }

  /** A message of an open session. A promise holds further messages back. What it throws goes to `refuse`. */
  protected abstract receive(message: string): Promise<void> | undefined;
  protected abstract refuse(error: unknown): void;
  /** Whether nothing more is expected of the client: then it may stay idle. */
  protected abstract isBusy(): boolean;
  protected abstract expire(): void;
  /** The server shuts down: a session without speech says goodbye. */
  protected abstract drain(): void;
  /** The connection is over. Resolves when all speech is. */
  protected abstract stop(): Promise<unknown>;

  /** Receives messages until the connection is over. @param times default: those of the server */
  async serve(times?: IdleTimes): Promise<void> {
    const { socket, closing } = this.connection;
    const { sessionStartMilliseconds: start, sessionIdleMilliseconds: idle } = this.context.settings.limits;
    const reactions = { isBusy: () => this.isBusy(), expire: () => this.expire() };
    if (this.state === 'open') this.#timer = createIdleTimer({ ...(times ?? { start, idle }), ...reactions });
    socket.onText((message) => {
      if (this.state !== 'open') return undefined;
      try {
        return this.receive(message)?.catch((error: unknown) => this.refuse(error));
      } catch (error) {
        this.refuse(error);
        return undefined;
      }
    });
    const drain = (): void => this.drain();
    if (closing.aborted && this.state === 'open') drain();
    closing.addEventListener('abort', drain, { once: true });
    await aborted(socket.signal);
    closing.removeEventListener('abort', drain);
    this.finish();
    await this.stop();
  }

  protected touch(): void {
    this.#timer?.touch();
  }

  protected stopReceiving(): void {
    this.state = 'closing';
    this.#timer?.stop();
  }

  protected end(code: number, reason: string): void {
    this.finish();
    this.connection.socket.close(code, reason);
  }

  protected leave(): void {
    this.end(closeCodes.goingAway, 'the server is shutting down');
  }

  /** Logs and counts an error. @returns what the client may know of it */
  protected report(error: unknown): Problem {
    const { socket, client } = this.connection;
    const problem = problemOf(error);
    const about = { requestId: client.requestId, status: problem.status, isGone: socket.signal.aborted };
    reportFailure(this.context, toSvcError(error), about);
    return problem;
  }

  protected finish(): void {
    this.state = 'over';
    this.#timer?.stop();
  }
}
