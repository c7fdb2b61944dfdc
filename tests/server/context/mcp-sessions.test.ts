import { EventEmitter } from 'node:events';
import { expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import { createMcpSessions, type McpSession } from '../../../src/server/context/mcp-sessions.ts';

/** Sessions by owner, as `anna 1`; those that are closed. */
function open(most: number) {
  const sessions = createMcpSessions(most);
  const closed: string[] = [];
  const add = (id: string): void => {
    const session: McpSession = {
      owner: id.split(' ')[0],
      serve: async () => undefined,
      close: async () => void closed.push(id),
    };
    sessions.open(id, session);
  };
  /** Until the answer is closed. */
  const use = async (id: string): Promise<EventEmitter> => {
    const answer = new EventEmitter();
    await sessions.find(id, id.split(' ')[0])?.serve({} as Request, answer as unknown as Response);
    return answer;
  };
  return { add, use, closed };
}

it('gives a key a quarter of all sessions, and closes its own idle ones for more', async () => {
  const { add, use, closed } = open(8);
  for (const id of ['ben 1', 'anna 1', 'anna 2', 'anna 3']) add(id);
  expect(closed).toEqual(['anna 1']);
  const answer = await use('anna 2');
  await use('anna 3');
  expect(() => add('anna 4')).toThrow('this API key is limited to 2 MCP sessions at once; close one first');
  answer.emit('close');
  add('anna 5');
  expect(closed).toEqual(['anna 1', 'anna 2']);
});

it('closes an idle session of the key that has most when all are taken', async () => {
  const { add, use, closed } = open(4);
  for (const id of ['dora 1', 'ben 1', 'carl 1', 'anna 1']) add(id);
  add('emil 1');
  expect(closed).toEqual(['dora 1']);
  for (const id of ['ben 1', 'carl 1', 'anna 1', 'emil 1']) await use(id);
  expect(() => add('fred 1')).toThrow('too many MCP sessions at once (the limit is 4); retry later');
});

it('counts busy sessions too when it looks for who has most', async () => {
  const { add, use, closed } = open(16);
  const ids = ['anna', 'ben', 'carl', 'dora', 'emil'].flatMap((owner) => [1, 2, 3, 4].map((one) => `${owner} ${one}`));
  for (const id of ids.filter((id) => !/carl 4|dora 4|emil [1234]/.test(id)).concat('emil 1', 'emil 2')) add(id);
  await use('anna 1');
  add('fred 1');
  expect(closed).toEqual(['anna 2']);
});
