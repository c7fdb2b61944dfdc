/** MCP over HTTP: `/mcp`, with a session for each client. */
import type { Request, Response } from 'express';
import { z } from 'zod';
import { yieldToEventLoop } from '../../event-loop.ts';
import type { ServerContext } from '../context/context.ts';
import { keyOf } from '../http/api-keys.ts';
import { jsonWithRecording } from '../middleware/bodies.ts';
import { failureBody } from '../openapi/failures.ts';
import { type Answer, jsonAnswer, jsonRequest, type Operation, route, serverSentEvent } from '../openapi/operation.ts';
import { createKeptSpeech } from './kept-speech.ts';

export const mcpSessionHeader = 'Mcp-Session-Id';

const message = z
  .object({
    jsonrpc: z.literal('2.0').describe('Version of JSON-RPC.'),
    id: z.union([z.string(), z.int()]).optional().describe('ID of a request, which its answer repeats.'),
    method: z.string().describe('What to do, such as `tools/call`.'),
    params: z.record(z.string(), z.unknown()).optional().describe('Arguments of the method.'),
  })
  .describe('A JSON-RPC message of the Model Context Protocol.');

const failure = z.union([
  failureBody,
  z
    .object({
      jsonrpc: z.literal('2.0'),
      error: z.looseObject({
        code: z.int().describe('Code of JSON-RPC.'),
        message: z.string().describe('The problem.'),
      }),
      id: z.union([z.string(), z.int(), z.null()]).optional(),
    })
    .describe('A failure of the protocol.'),
]);

/** As the protocol has it: an error that belongs to no request. */
const errorOf = (message: string) => ({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null });

const failed = (description: string, message: string): Answer => jsonAnswer(description, failure, errorOf(message));

const missingSession = `the request needs the header ${mcpSessionHeader}`;

const failures = {
  400: failed('The message or its session header is missing or invalid.', missingSession),
  404: failed('There is no such session.', 'unknown or expired session; initialize again'),
  406: failed('The client accepts no events.', 'Not Acceptable: Client must accept text/event-stream'),
};

export function mcpOperations(context: ServerContext): readonly Operation[] {
  const { mcpSessions } = context;
  const kept = createKeptSpeech();

  async function serve(request: Request, response: Response): Promise<void> {
    const id = request.get(mcpSessionHeader);
    const owner = keyOf(response)?.name;
    if (id === undefined && request.method === 'POST' && request.body?.method === 'initialize') {
      const { openSession } = await loadSessions();
      return (await openSession(context, { owner, kept })).serve(request, response);
    }
    if (id === undefined) return refuse(response, 400, `${missingSession}, as initialize has returned it`);
    const session = mcpSessions.find(id, owner);
    if (session === undefined) return refuse(response, 404, 'unknown or expired session; initialize again');
    await session.serve(request, response);
  }

  // Calls of tools count.
  const common = { isWork: false, handle: serve };
  const eventsOf = (description: string): Answer => ({
    description,
    contents: { 'text/event-stream': serverSentEvent },
  });
  return [
    {
      ...common,
      ...route('post', '/mcp', 'service', 'Get answers of the MCP server.'),
      description:
        'The Model Context Protocol over streamable HTTP, for agents: tools to speak, clone voices, and list voices and models. A session begins with `initialize`; its ID is in the header `Mcp-Session-Id`. Answers are server-sent events.',
      ...jsonRequest(message, { jsonrpc: '2.0', id: 1, method: 'ping' }),
      answers: {
        200: eventsOf('The answer, and notifications of its progress.'),
        202: { description: 'The notification was accepted.' },
        ...failures,
      },
      handlers: jsonWithRecording(context, audioOfCall),
    },
    {
      ...common,
      ...route('get', '/mcp', 'service', 'Get notifications of the MCP server.'),
      description: 'A stream of messages that answer no request, such as that there are other voices.',
      answers: { 200: eventsOf('The messages.'), ...failures },
    },
    {
      ...common,
      ...route('delete', '/mcp', 'service', 'Delete an MCP session.'),
      description: 'Ends the session in the header `Mcp-Session-Id`.',
      answers: { 200: { description: 'The session has ended.' }, ...failures },
    },
  ];
}

/** Loaded late, as few servers are used by agents, and in turns: together, the packages hold the event loop for 100 ms. */
async function loadSessions(): Promise<typeof import('./open-session.ts')> {
  // Node.js loads its fetch when it is first named.
  void globalThis.Response;
  for (const load of [
    () => import('@modelcontextprotocol/sdk/types.js'),
    () => import('@modelcontextprotocol/sdk/validation/ajv-provider.js'),
  ]) {
    await yieldToEventLoop();
    await load();
  }
  await yieldToEventLoop();
  const sessions = await import('./open-session.ts');
  await yieldToEventLoop();
  return sessions;
}

const audioOfCall = ({ params }: Readonly<Record<string, unknown>>): readonly unknown[] => [
  (params as { readonly arguments?: { readonly audio?: unknown } } | undefined)?.arguments?.audio,
];

function refuse(response: Response, status: number, message: string): void {
  response.status(status).json(errorOf(message));
}
