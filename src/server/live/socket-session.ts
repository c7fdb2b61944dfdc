import { aborted } from '../../cancellation.ts';
import { toSvcError } from '../../errors.ts';
import type { Client } from '../context/client.ts';
import type { ServerContext } from '../context/context.ts';
import { closeCodes, type LiveSocket } from '../context/live-socket.ts';
import { type Problem, problemOf } from '../http/problem.ts';
import { reportFailure } from '../middleware/failure.ts';
import { createIdleTimer, type IdleTimer } from './session.ts';

export interface Connection<Peer extends Client = Client> {
  readonly socket: LiveSocket;
  readonly client: Peer;
  /** Aborted when the server shuts down. */
  readonly closing: AbortSignal;
}

/** The meaning of a session's messages. */
export interface SessionProtocol {
  /** A message of an open session. A promise holds further messages back. What it throws goes to `refuse`. */
  receive(message: string): Promise<void> | undefined;
  refuse(error: unknown): void;
  /** Whether nothing more is expected of the client: then it may stay idle. */
  isBusy(): boolean;
  /** The client was idle for too long. */
  expire(): void;
  /** The server shuts down: a session without speech says goodbye. */
  drain(): void;
  /** The connection is over. Resolves when all speech is. */
  stop(): Promise<unknown>;
}

export interface IdleTimes {
  /** Milliseconds until the first `touch`. */
  readonly start: number;
  /** Milliseconds after it. */
  readonly idle: number;
}

/** A connection with messages: it opens, may be idle, is drained or canceled, reports errors, and ends once. */
export class SocketSession {
  /** `closing` when no more messages are expected. */
  state: 'open' | 'closing' | 'over' = 'open';
  readonly #connection: Connection;
  readonly #context: Pick<ServerContext, 'metrics' | 'logger'>;
  readonly #protocol: SessionProtocol;
  #timer: IdleTimer | undefined;

  constructor(context: Pick<ServerContext, 'metrics' | 'logger'>, connection: Connection, protocol: SessionProtocol) {
    this.#context = context;
    this.#connection = connection;
    this.#protocol = protocol;
  }

  /** Receives messages until the connection is over. */
  async serve(times: IdleTimes): Promise<void> {
    const { socket, closing } = this.#connection;
    const protocol = this.#protocol;
    const isBusy = () => protocol.isBusy();
    if (this.state === 'open') this.#timer = createIdleTimer({ ...times, isBusy, expire: () => protocol.expire() });
    socket.onText((message) => {
      if (this.state !== 'open') return undefined;
      try {
        return protocol.receive(message)?.catch((error: unknown) => protocol.refuse(error));
      } catch (error) {
        protocol.refuse(error);
        return undefined;
      }
    });
    const drain = (): void => protocol.drain();
    if (closing.aborted && this.state === 'open') drain();
    closing.addEventListener('abort', drain, { once: true });
    await aborted(socket.signal);
    closing.removeEventListener('abort', drain);
    this.finish();
    await protocol.stop();
  }

  /** Restarts the time that the client may be idle. */
  touch(): void {
    this.#timer?.touch();
  }

  /** Receives no more messages; speech continues. */
  stopReceiving(): void {
    this.state = 'closing';
    this.#timer?.stop();
  }

  /** Closes the connection. */
  end(code: number, reason: string): void {
    this.finish();
    this.#connection.socket.close(code, reason);
  }

  /** Closes the connection because the server shuts down. */
  leave(): void {
    this.end(closeCodes.goingAway, 'the server is shutting down');
  }

  /** Logs and counts an error. @returns what the client may know of it */
  report(error: unknown): Problem {
    const { socket, client } = this.#connection;
    const problem = problemOf(error);
    const { requestId } = client;
    reportFailure(this.#context, toSvcError(error), {
      requestId,
      status: problem.status,
      isGone: socket.signal.aborted,
    });
    return problem;
  }

  /** Receives no more messages and is never idle. */
  finish(): void {
    this.state = 'over';
    this.#timer?.stop();
  }
}
