import type { Request, Response } from 'express';
import { SvcError } from '../../errors.ts';
import { show } from '../../messages.ts';
import type { Span } from '../../tracing/span.ts';
import { requestError } from '../../validation.ts';
import { keyOf, type StoredKey } from '../http/api-keys.ts';
import type { OpenTemporaryFile } from './temporary-file.ts';

export interface Client {
  /** Names the request in the log, and for `cancel`. */
  readonly requestId: string;
  readonly key: StoredKey | undefined;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
  /** Seconds within which the speech must begin. */
  readonly deadlineSeconds?: number | undefined;
  readonly span?: Span | undefined;
  /** Opens files of a request whose utterances share its part of them; by default, each has its own. */
  readonly openTemporaryFile?: OpenTemporaryFile | undefined;
}

export const clientOf = (response: Response): Client => ({
  requestId: String(response.req.id),
  key: keyOf(response),
  signal: clientSignal(response),
  deadlineSeconds: deadlineOf(response.req),
  span: response.locals.span as Span | undefined,
});

/** @throws SvcError INVALID_REQUEST */
function deadlineOf({ headers }: Request): number | undefined {
  const given = headers['x-deadline-seconds'];
  if (given === undefined) return undefined;
  const seconds = Number(given);
  if (seconds > 0 && seconds <= longestDeadline) return seconds;
  throw requestError(`X-Deadline-Seconds must be a number above 0 and up to ${longestDeadline}, got ${show(given)}`);
}

const longestDeadline = 3_600;

/** Aborted when the client disconnects before the end of its answer, even while its body is read. */
export function clientSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  const leave = (): void => {
    if (!response.writableFinished) gone.abort(new SvcError('CANCELLED', 'the client disconnected'));
  };
  if (response.closed || response.req.socket.destroyed) leave();
  else response.once('close', leave);
  return gone.signal;
}
