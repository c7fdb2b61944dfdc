/** The sessions of MCP clients over HTTP, each with a server of its own. */
import type { Request, Response } from 'express';
import { SvcError } from '../../errors.ts';

export interface McpSession {
  /** Name of the API key that opened it; nobody else may use it. */
  readonly owner: string | undefined;
  serve(request: Request, response: Response): Promise<void>;
  close(): Promise<void>;
}

export type McpSessions = ReturnType<typeof createMcpSessions>;

interface Entry {
  readonly session: McpSession;
  /** Open requests, among them streams of notifications. */
  requests: number;
  timer?: NodeJS.Timeout;
}

/** Part of all sessions that one API key may have, as of WebSockets. */
const shareOfKey = 1 / 4;

/** How long a session may be idle, in milliseconds; its client then opens another. */
const idleMilliseconds = 3_600_000;

export function createMcpSessions(most: number, idle = idleMilliseconds) {
  /** The least recently used first. */
  const entries = new Map<string, Entry>();
  let isClosing = false;

  function forget(id: string): void {
    clearTimeout(entries.get(id)?.timer);
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
    entry.timer = setTimeout(() => void end(id), idle).unref();
  }

  const mostOfKey = Math.ceil(most * shareOfKey);
  const heldBy = (owner: string | undefined): number =>
    [...entries.values()].filter(({ session }) => session.owner === owner).length;

  /** Closes an idle session of the owner, or of who has most. @throws SvcError RATE_LIMITED, QUEUE_FULL if none is idle */
  function makeRoom(owner: string | undefined): void {
    const isGreedy = owner !== undefined && heldBy(owner) >= mostOfKey;
    if (!isGreedy && entries.size < most) return;
    const idle = [...entries].filter(([, { requests }]) => requests === 0);
    const owners = isGreedy ? [owner] : byGreed(idle);
    const [oldest] = idle.find(([, { session }]) => session.owner === owners[0]) ?? [];
    if (oldest !== undefined) return void end(oldest);
    if (!isGreedy)
      throw new SvcError('QUEUE_FULL', `too many MCP sessions at once (the limit is ${most}); retry later`);
    const problem = `this API key is limited to ${mostOfKey} MCP sessions at once`;
    throw new SvcError('RATE_LIMITED', `${problem}; close one first`);
  }

  /** Owners of idle sessions, first those who have most sessions, idle or not. */
  function byGreed(idle: readonly (readonly [string, Entry])[]): readonly (string | undefined)[] {
    const owners = [...new Set(idle.map(([, { session }]) => session.owner))];
    return owners.sort((one, other) => heldBy(other) - heldBy(one));
  }

  return {
    /** Undefined also for a session of another key. */
    find(id: string, owner: string | undefined): McpSession | undefined {
      const entry = entries.get(id);
      if (entry === undefined || entry.session.owner !== owner) return undefined;
      const { session } = entry;
      return {
        ...session,
        async serve(request, response) {
          clearTimeout(entry.timer);
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
    open(id: string, session: McpSession): void {
      makeRoom(session.owner);
      rest(id, { session, requests: 0 });
    },
    forget,
    /** Closes all sessions, those with running requests when `ended` resolves and the last answers are sent. */
    async close(ended: () => Promise<void>): Promise<void> {
      isClosing = true;
      await ended();
      // The answers of requests that have just ended are sent by now.
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.all([...entries.keys()].map(end));
    },
  };
}
