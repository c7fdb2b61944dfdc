/** The sessions of MCP clients over HTTP, each with a server of its own. */
import type { Request, Response } from 'express';
import { SvcError } from '../../errors.ts';

export interface McpSession {
  /** Name of the API key that opened it; nobody else may use it. */
  readonly owner: string | undefined;
  serve(request: Request, response: Response): Promise<void>;
  close(): Promise<void>;
}

export interface McpSessions {
  /** Undefined also for a session of another key. */
  find(id: string, owner: string | undefined): McpSession | undefined;
  /** Closes the session that has been idle longest to make room. @throws SvcError QUEUE_FULL when none is idle */
  open(id: string, session: McpSession): void;
  /** Asserts that `open` will succeed. @throws SvcError QUEUE_FULL */
  makeRoom(): void;
  forget(id: string): void;
  /** Closes all sessions, those with running requests when `ended` resolves and the last answers are sent. */
  close(ended: () => Promise<void>): Promise<void>;
}

interface Entry {
  readonly session: McpSession;
  /** Open requests, among them streams of notifications. */
  requests: number;
}

/** How long a session may be idle, in milliseconds; its client then opens another. */
const idleMilliseconds = 3_600_000;

export function createMcpSessions(most: number, idle = idleMilliseconds): McpSessions {
  /** The least recently used first. */
  const entries = new Map<string, Entry>();
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  let isClosing = false;

  function forget(id: string): void {
    clearTimeout(timers.get(id));
    timers.delete(id);
    entries.delete(id);
  }

  function end(id: string): Promise<void> {
    const entry = entries.get(id);
    forget(id);
    return entry?.session.close() ?? Promise.resolve();
  }

  function rest(id: string, entry: Entry): void {
    entries.delete(id);
    entries.set(id, entry);
    timers.set(id, setTimeout(() => void end(id), idle).unref());
  }

  function makeRoom(): void {
    if (entries.size < most) return;
    const [oldest] = [...entries].find(([, { requests }]) => requests === 0) ?? [];
    if (oldest === undefined) {
      throw new SvcError('QUEUE_FULL', `too many MCP sessions at once (the limit is ${most}); retry later`);
    }
    void end(oldest);
  }

  return {
    find(id, owner) {
      const entry = entries.get(id);
      if (entry === undefined || entry.session.owner !== owner) return undefined;
      const { session } = entry;
      return {
        ...session,
        async serve(request, response) {
          clearTimeout(timers.get(id));
          entry.requests += 1;
          response.once('close', () => {
            entry.requests -= 1;
            if (entry.requests > 0 || entries.get(id) !== entry) return;
            if (isClosing) void end(id);
            else rest(id, entry);
          });
          await session.serve(request, response);
        },
      };
    },
    makeRoom,
    open(id, session) {
      makeRoom();
      rest(id, { session, requests: 0 });
    },
    forget,
    async close(ended) {
      isClosing = true;
      await ended();
      // The answers of requests that have just ended are sent by now.
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.all([...entries.keys()].map(end));
    },
  };
}
