import type { Request, Response } from 'express';
import { SvcError } from '../errors.ts';
import type { Span } from '../tracing/span.ts';
import type { StoredKey } from './api-keys.ts';
import { keyOf } from './middleware/authorize.ts';

/** Who sent a request, over any protocol. */
export interface Client {
  /** Names the request in the log, and for `cancel`. */
  readonly requestId: string;
  readonly key: StoredKey | undefined;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
  /** Of the request, while it is traced. */
  readonly span?: Span | undefined;
}

export const clientOf = (request: Request, response: Response): Client => ({
  requestId: String(request.id),
  key: keyOf(response),
  signal: clientSignal(request, response),
  span: response.locals.span as Span | undefined,
});

/** Aborted when the client disconnects before the end of its answer, even while its body is read. */
export function clientSignal(request: Request, response: Response): AbortSignal {
  const gone = new AbortController();
  const leave = (): void => {
    if (!response.writableFinished) gone.abort(new SvcError('CANCELLED', 'the client disconnected'));
  };
  if (response.closed || request.socket.destroyed) leave();
  else response.once('close', leave);
  return gone.signal;
}
