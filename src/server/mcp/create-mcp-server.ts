/** An MCP server for one client: its tools and resources. */
import { randomUUID } from 'node:crypto';
import type { ServerOptions } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import { z } from 'zod';
import { followSignal } from '../../cancellation.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { oneLine, show } from '../../messages.ts';
import { findPackage } from '../../package/package-root.ts';
import { parse } from '../../validation.ts';
import type { Client } from '../context/client.ts';
import type { ServerContext } from '../context/context.ts';
import { problemOf } from '../http/problem.ts';
import { reportFailure } from '../middleware/failure.ts';
import { grantedBy } from './granted-files.ts';
import type { KeptSpeech } from './kept-speech.ts';
import { listModelsTool } from './models.ts';
import { registerResources } from './resources.ts';
import { speakTool } from './speak.ts';
import type { Tool, ToolCall } from './tool.ts';
import { transcribeCheckTool } from './transcribe-check.ts';
import { cloneVoiceTool, listVoicesTool } from './voices.ts';

/** Of forms, which svc sends to no client: one of the package for each session takes 10 ms. */
const jsonSchemaValidator: NonNullable<ServerOptions['jsonSchemaValidator']> = {
  getValidator: (schema) => new AjvJsonSchemaValidator().getValidator(schema),
};

const instructions =
  'Text to speech with cloned voices, on this machine. Call speak with a text; list_voices has the voices, clone_voice adds one from a recording.';

/** Speech between two notifications of progress, in seconds. */
const progressSeconds = 1;

export interface McpOptions {
  readonly owner: string | undefined;
  readonly kept: KeptSpeech;
  readonly local?: {
    /** Folders besides the roots of the client, absolute. */
    readonly folders: readonly string[];
    readonly playsByDefault: () => Promise<boolean>;
  };
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export function createMcpServer(context: ServerContext, { owner, kept, local }: McpOptions): McpServer {
  const { version } = findPackage();
  const about = { name: 'svc', title: 'svc text to speech', version };
  const mcp = new McpServer(about, { instructions, jsonSchemaValidator });
  const { server } = mcp;
  const grantedFolders = local && grantedBy(server, local.folders);
  const { recognize } = context;
  const tools: readonly Tool[] = [
    speakTool(context, { kept, playsByDefault: local?.playsByDefault ?? (async () => false) }),
    cloneVoiceTool(context),
    listVoicesTool(context),
    listModelsTool(context),
    ...(recognize === undefined ? [] : [transcribeCheckTool(context, recognize)]),
  ];
  registerResources(mcp, context, { kept, owner });
  server.registerCapabilities({ tools: {} });
  // Not by `registerTool`, whose errors of arguments are lists of JSON.
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(describe) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) {
      const names = tools.map(({ name }) => name).join(', ');
      throw new McpError(ErrorCode.InvalidParams, `unknown tool ${show(params.name)} (available: ${names})`);
    }
    return run(tool, params.arguments ?? {}, extra);
  });

  async function run(tool: Tool, given: unknown, extra: Extra): Promise<CallToolResult> {
    const started = performance.now();
    const lifetime = followSignal();
    const stop = (): void => lifetime.end(new SvcError('CANCELLED', 'the client has canceled the call'));
    const opener = extra.authInfo?.extra?.client as Client | undefined;
    const signals = [extra.signal, ...(opener ? [opener.signal] : [])];
    for (const signal of signals) {
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    }
    const client: Client = { requestId: randomUUID(), key: undefined, ...opener, signal: lifetime.signal };
    const call: ToolCall = { client, grantedFolders, progress: progressOf(extra), voicesChanged };
    let status = '200';
    try {
      return await tool.call(parse(tool.input, given, `the arguments of ${tool.name}`), call);
    } catch (thrown) {
      const error = toSvcError(thrown);
      const problem = problemOf(error);
      const isGone = lifetime.signal.aborted;
      status = isGone ? 'aborted' : String(problem.status);
      reportFailure(context, error, { requestId: client.requestId, status: problem.status, isGone });
      const text = withToolNames(grantedFolders === undefined ? problem.message : oneLine(error.message));
      const about = { code: problem.code, ...(problem.param !== undefined && { param: problem.param }) };
      return { content: [{ type: 'text', text }], isError: true, _meta: { 'svc/error': about } };
    } finally {
      for (const signal of signals) signal.removeEventListener('abort', stop);
      context.metrics.request({ method: 'MCP', route: tool.name, status }, (performance.now() - started) / 1000);
    }
  }

  async function voicesChanged(): Promise<void> {
    if (mcp.isConnected()) await server.sendResourceListChanged();
  }

  return mcp;
}

/** Agents have no routes: messages that name one name the tool that does the same. */
const withToolNames = (message: string): string =>
  message.replace(/\bGET \/v1\/(?:audio\/)?(voices|models)\b/g, 'list_$1');

const describe = ({ name, title, description, input, output, annotations }: Tool) => ({
  name,
  title,
  description,
  inputSchema: schemaOf(input, 'input'),
  outputSchema: schemaOf(output, 'output'),
  annotations: { title, ...annotations },
});

function schemaOf(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest as { readonly type: 'object' };
}

/** Notifies of the first audio, then of each further second. */
function progressOf({ _meta, sendNotification }: Extra): ToolCall['progress'] {
  const progressToken = _meta?.progressToken;
  let next = 0;
  return async (seconds) => {
    if (progressToken === undefined || seconds < next || seconds === 0) return;
    next = seconds + progressSeconds;
    const progress = Number(seconds.toFixed(3));
    const params = { progressToken, progress, message: `${seconds.toFixed(1)} s of speech` };
    await sendNotification({ method: 'notifications/progress', params });
  };
}
