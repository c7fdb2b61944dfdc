/** Idle time and parsing of messages, for all WebSocket protocols. */
import { requestError } from '../../validation.ts';

export interface IdleTimer {
  /** Restarts the time. */
  touch(): void;
  stop(): void;
}

export interface IdleLimits {
  /** Until the first `touch`, in milliseconds. */
  readonly start: number;
  readonly idle: number;
  /** Whether nothing more is expected of the client: then it may stay idle. */
  readonly isBusy: () => boolean;
  readonly expire: () => void;
}

export function createIdleTimer({ start, idle, isBusy, expire }: IdleLimits): IdleTimer {
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
  return {
    touch,
    stop() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/** @throws SvcError INVALID_REQUEST */
export function parseMessage(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw requestError('the message is not JSON');
  }
}
