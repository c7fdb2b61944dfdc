/** Opens the session of an MCP client over HTTP. */
import { randomUUID } from 'node:crypto';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { clientOf } from '../context/client.ts';
import type { ServerContext } from '../context/context.ts';
import type { McpSession } from '../context/mcp-sessions.ts';
import { createMcpServer, type McpOptions } from './create-mcp-server.ts';
import { withOneLineErrors } from './one-line-errors.ts';

/** The session is known to the server once its `initialize` is served. @throws SvcError QUEUE_FULL */
export async function openSession(
  context: ServerContext,
  { owner, kept }: Pick<McpOptions, 'owner' | 'kept'>,
): Promise<McpSession> {
  const { mcpSessions } = context;
  mcpSessions.makeRoom(owner);
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => mcpSessions.open(id, session),
    onsessionclosed: (id) => mcpSessions.forget(id),
  });
  const mcp = createMcpServer(context, { owner, kept });
  const session: McpSession = {
    owner,
    async serve(request, response) {
      const auth = { token: '', clientId: owner ?? '', scopes: [], extra: { client: clientOf(response) } };
      await transport.handleRequest(Object.assign(request, { auth }), response, request.body);
    },
    close: () => mcp.close(),
  };
  // Its types differ in what may be undefined.
  await mcp.connect(withOneLineErrors(transport as Parameters<typeof mcp.connect>[0]));
  return session;
}
