/** Errors of malformed messages in one line: those of the library are lists in JSON, over a page. */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { attempt } from '../../errors.ts';
import { sanitizeLine } from '../../messages.ts';

const issues = z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })).min(1);

export function withOneLineErrors<Sender extends Pick<Transport, 'send'>>(transport: Sender): Sender {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => send(shortened(message), options);
  return transport;
}

function shortened(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message)) return message;
  return { ...message, error: { ...message.error, message: oneLineOf(message.error.message) } };
}

function oneLineOf(text: string): string {
  const list = text.indexOf('[');
  const found = list === -1 ? undefined : attempt(() => issues.parse(JSON.parse(text.slice(list)))[0]);
  if (found === undefined) return sanitizeLine(text);
  const problem = found.message.replace(/^Invalid input: /, '').replace('expected record', 'expected object');
  return sanitizeLine(`invalid request: ${found.path.join('.')}: ${problem}`);
}
