/** MCP over standard input and output, for a client that has started this process. */
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { aborted, followSignal } from '../../cancellation.ts';
import type { ServerContext } from '../context/context.ts';
import { createMcpServer, type McpOptions } from './create-mcp-server.ts';
import { createKeptSpeech } from './kept-speech.ts';
import { withOneLineErrors } from './one-line-errors.ts';

export interface StdioOptions extends Required<Pick<McpOptions, 'local'>> {
  readonly stdin: Readable;
  readonly stdout: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/** Longest message: a recording of 25 MiB in base64. */
const mostBytes = 40 * 2 ** 20;

/** Resolves when the client is gone or the signal fires, and running calls are canceled. */
export async function serveStdio(
  context: ServerContext,
  { stdin, stdout, signal, local }: StdioOptions,
): Promise<void> {
  const mcp = createMcpServer(context, { owner: undefined, kept: createKeptSpeech(), local });
  const lifetime = followSignal(signal);
  const end = (): void => lifetime.end();
  stdin.once('end', end).once('close', end);
  stdout.once('close', end).once('error', end);
  mcp.server.onclose = end;
  mcp.server.onerror = ({ message }) => context.logger.warn({ reason: message }, 'message ignored');
  try {
    const transport = new StdioServerTransport(stdin, stdout as Writable, { maxBufferSize: mostBytes });
    await mcp.connect(withOneLineErrors(transport));
    await aborted(lifetime.signal);
    await context.queue.drain(0);
  } finally {
    lifetime.detach();
    await mcp.close();
  }
}
