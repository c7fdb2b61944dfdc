/** A tool that agents call over MCP. */
import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import type { Client } from '../context/client.ts';

export interface ToolCall {
  readonly client: Client;
  /** Folders that the client or its user has granted, absolute. Undefined over HTTP, where its files are on another machine. */
  readonly grantedFolders: (() => Promise<readonly string[]>) | undefined;
  progress(seconds: number): Promise<void>;
  voicesChanged(): Promise<void>;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For the language model, which sees nothing else. */
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  readonly annotations: ToolAnnotations;
  /** Messages of errors are shown to the language model. */
  call(input: unknown, call: ToolCall): Promise<CallToolResult>;
}

type Typed<Input extends z.ZodObject> = Omit<Tool, 'input' | 'call'> & {
  readonly input: Input;
  call(input: z.output<Input>, call: ToolCall): Promise<CallToolResult>;
};

/** @returns the tool, whose `call` gets what its schema has parsed */
export const defineTool = <Input extends z.ZodObject>(tool: Typed<Input>): Tool => tool as unknown as Tool;

/** A result as data, and as text for clients that read no data. */
export const structured = (data: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(data) }],
  structuredContent: data,
});
