/** Long texts that arrive together, and more of them than the queue takes. */
import { once } from 'node:events';
import { afterEach, expect, it, jest } from '@jest/globals';
import { rawSockets } from './raw-sockets.ts';
import { freshServer } from './test-server.ts';

const server = freshServer();

const body = (input: string): string => JSON.stringify({ input, response_format: 'pcm' });
const invalid = (length: number): string => `<speak>${'a '.repeat(length / 2)}<p></speak>`;

afterEach(() => void jest.restoreAllMocks());

const open = rawSockets();

it('are refused by a full queue before they are read', async () => {
  await server.start({ slots: 1, maxWaiting: 0 });
  const { end } = await server.occupy();
  const statusOf = async (input: string): Promise<number> => (await server.speak({ input })).status;
  expect([await statusOf(invalid(100)), await statusOf(invalid(10_000))]).toEqual([400, 503]);
  await end();
  expect(await statusOf(invalid(10_000))).toBe(400);
});

it('count as waiting while they are read', async () => {
  await server.start({ slots: 1, maxWaiting: 1 });
  const speak = () => server.speak({ input: 'A sentence. '.repeat(2000) });
  const answers = await Promise.all(Array.from({ length: 5 }, speak));
  for (const { body } of answers) await body?.cancel();
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 503, 503, 503]);
  // Those places are free again.
  const answer = await speak();
  await answer.body?.cancel();
  expect(answer.status).toBe(200);
});

it('are parsed in turns with other requests', async () => {
  const { port } = await server.started();
  // Connections that the server has accepted: it accepts one in each turn of the event loop.
  const sockets = await Promise.all(Array.from({ length: 10 }, () => open(port)));
  for (const socket of sockets) {
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(socket, 'data');
  }
  let turn = 0;
  let next = setImmediate(function count() {
    turn += 1;
    next = setImmediate(count);
  });
  const turns: number[] = [];
  const parse = JSON.parse.bind(JSON);
  jest.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
    if (text.length > 20_000) {
      turns.push(turn);
      // Longer than a turn may take.
      for (const end = performance.now() + 11; performance.now() < end; );
    }
    return parse(text, reviver);
  });
  const sent = body(invalid(20_000));
  const head = `POST /v1/audio/speech HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${sent.length}\r\n\r\n`;
  const answers = sockets.map((socket) => once(socket, 'data'));
  for (const socket of sockets) socket.write(head + sent);
  await Promise.all(answers);
  clearImmediate(next);
  expect(turns).toHaveLength(10);
  expect(new Set(turns).size).toBeGreaterThanOrEqual(9);
});
