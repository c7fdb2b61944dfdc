/** The official client of MCP, against a server of the tests. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

export const createClient = (): Client => new Client({ name: 'tests', version: '1.0.0' });

export interface Agent extends AsyncDisposable {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  call(name: string, input: object, options?: RequestOptions): Promise<CallToolResult>;
}

export async function connectAgent(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Agent> {
  const client = createClient();
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } });
  await client.connect(transport as Transport);
  return { client, transport, call: callerOf(client), [Symbol.asyncDispose]: () => client.close() };
}

export const callerOf =
  (client: Client): Agent['call'] =>
  async (name, input, options) =>
    (await client.callTool({ name, arguments: { ...input } }, undefined, options)) as CallToolResult;

export const textOf = ({ content }: CallToolResult): string =>
  content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
