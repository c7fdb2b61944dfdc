/** Idle connections and socket errors. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import type { BrokerWorker } from '../../../src/broker/worker/broker-worker.ts';
import { openHealthServer } from '../../../src/cli/worker/health-server.ts';
import { beginListening } from '../../../src/server/listen.ts';
import { eventually } from '../../support/eventually.ts';
import { rawSockets } from '../raw-sockets.ts';
import { type StartOptions, startServer, type TestServer } from '../start-server.ts';

const open = rawSockets();

const isHealthy = async (port: number): Promise<boolean> => {
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { Connection: 'close' } });
  return answer.ok;
};

const start = (total: number, perAddress: number, options: StartOptions = {}): Promise<TestServer> =>
  startServer({ ...options, listen: { connections: { total, perAddress } } });

it.each(['', 'GET /health HT'])(
  'a server full of idle connections still answers and closes the oldest (%j)',
  async (sent) => {
    await using server = await start(20, 100);
    const idle = await Promise.all(Array.from({ length: 20 }, () => open(server.port)));
    for (const socket of idle) socket.write(sent);
    for (let count = 0; count < 3; count += 1) expect(await isHealthy(server.port)).toBe(true);
    await eventually(() => idle.filter(({ closed }) => closed).length >= 1, 'the oldest is closed');
    expect(idle.filter(({ closed }) => closed).length).toBeLessThanOrEqual(3);
  },
);

it('a connection that was served is idle again, from then on', async () => {
  await using server = await start(2, 100);
  const ask = async (socket: Socket): Promise<void> => {
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(socket, 'data');
  };
  const [first, second] = [await open(server.port), await open(server.port)];
  await ask(first);
  const third = await open(server.port);
  await eventually(() => second.closed, 'the one that was idle longest is closed');
  const fourth = await open(server.port);
  await eventually(() => first.closed, 'the next is closed');
  expect([third.closed, fourth.closed]).toEqual([false, false]);
});

it('the limit per address closes only connections from that address', async () => {
  await using server = await start(100, 5);
  const others = await Promise.all(Array.from({ length: 5 }, () => open(server.port, '127.0.0.2')));
  const own: Socket[] = [];
  for (let count = 0; count < 10; count += 1) own.push(await open(server.port, '127.0.0.3'));
  await eventually(() => own.slice(0, 5).every(({ closed }) => closed), 'the oldest are closed');
  expect(await isHealthy(server.port)).toBe(true);
  expect([...others, ...own.slice(5)].some(({ closed }) => closed)).toBe(false);
});

it('a connection with a running request is never closed to make room', async () => {
  await using server = await start(2, 100, { slots: 1 });
  const release = server.backend.hold();
  const speak = (): Promise<Response> => server.speak({ input: 'hello', response_format: 'pcm' });
  const speaking = [speak(), speak()];
  await eventually(() => server.queue.active === 1 && server.queue.waiting === 1, 'one request runs, one waits');
  await expect(isHealthy(server.port)).rejects.toThrow();
  release();
  for (const response of await Promise.all(speaking)) expect((await response.arrayBuffer()).byteLength).toBe(40);
  expect(await isHealthy(server.port)).toBe(true);
});

it('bodies that never end make room for other requests, the oldest first', async () => {
  let begun = 0;
  const server = createServer((request, response) => {
    begun += 1;
    request.resume().once('end', () => response.end('done'));
  });
  const connections = { total: 6, perAddress: 4 };
  const { port } = await beginListening(server, { host: '127.0.0.1', port: 0, connections });
  await using _ = {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const head =
    'POST /v1/audio/speech HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{';
  const begin = async (localAddress: string): Promise<Socket> => {
    const socket = await open(port, localAddress);
    socket.write(head);
    await eventually(() => begun === slow.length + 1, 'the request has begun');
    return socket;
  };
  const slow: Socket[] = [];
  for (const address of ['127.0.0.2', '127.0.0.2', '127.0.0.3', '127.0.0.3', '127.0.0.3', '127.0.0.3']) {
    slow.push(await begin(address));
  }
  expect(slow.some(({ closed }) => closed)).toBe(false);
  await open(port, '127.0.0.3');
  await eventually(() => slow[2]?.closed === true, 'the oldest of that address is closed');
  // A new connection that is idle goes before a body that arrives.
  for (let round = 0; round < 2; round += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}`, { headers: { Connection: 'close' } });
    expect(await answer.text()).toBe('done');
  }
  expect(slow.map(({ closed }) => closed)).toEqual([false, false, true, false, false, false]);
  const before = begun;
  for (let count = 1; count <= 2; count += 1) {
    (await open(port)).write(head);
    await eventually(() => begun === before + count, 'another body arrives');
  }
  await eventually(() => slow[0]?.closed === true, 'the oldest of all is closed');
});

describe('requests ahead of their answers', () => {
  const request = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const served = ({ logged }: TestServer): number => logged('"path":"/healthz"').length;

  it('are answered, if there are a few', async () => {
    await using server = await startServer();
    const socket = await open(server.port);
    let answers = '';
    socket.on('data', (part: Buffer) => {
      answers += part;
    });
    for (let round = 1; round <= 3; round += 1) {
      socket.write(request.repeat(8));
      await eventually(() => answers.split('{"status":"ok"}').length === 8 * round + 1, 'all are answered');
    }
  });

  it('end the connection, if there are many', async () => {
    await using server = await startServer();
    const socket = await open(server.port);
    socket.write(request.repeat(500));
    await once(socket.resume(), 'close');
    expect(await isHealthy(server.port)).toBe(true);
    expect(served(server)).toBeLessThanOrEqual(8 + 1);
  });
});

it("a worker's health server answers despite idle connections", async () => {
  const worker = { isReachable: () => true, report: () => ({}) } as unknown as BrokerWorker;
  const server = await openHealthServer(() => worker, { host: '127.0.0.1', port: 0 });
  const idle = await Promise.all(Array.from({ length: 200 }, () => open(server.port)));
  expect(await isHealthy(server.port)).toBe(true);
  await eventually(() => idle.filter(({ closed }) => !closed).length <= 64, 'the oldest are closed');
  await server.close();
});

it('a later socket error is logged and does not stop the server', async () => {
  const server = createServer();
  const reported: string[] = [];
  const onError = ({ message }: Error): number => reported.push(message);
  await beginListening(server, { host: '127.0.0.1', port: 0, onError });
  // Node emits this when accepting a connection fails; without a listener it would throw.
  for (const message of ['accept ENFILE', 'accept ENOMEM']) server.emit('error', new Error(message));
  expect(reported).toEqual(['accept ENFILE', 'accept ENOMEM']);
  await new Promise((resolve) => server.close(resolve));
});
