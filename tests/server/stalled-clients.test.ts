/** Clients that stop reading, on real sockets, and their effect on others. */
import { buffer } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { rawSockets } from './raw-sockets.ts';
import { bytesOf } from './start-server.ts';
import { freshServer } from './test-server.ts';

const open = rawSockets();

/** 8 MB, more than the socket buffers of both ends hold together: 4 MB by default. */
const [patchSamples, patches] = [400_000, 10];
const server = freshServer({
  backend: { firstLevel: 1, stopAt: undefined, info: { patchSamples, contextLength: 4096 } },
  limits: { pauseMilliseconds: 20 },
});

/** A client that sends a request and doesn't read. */
async function ask() {
  const socket = (await open(server.port)).pause();
  const body = `{"input":"hello there","response_format":"pcm","sample_rate":16000,"max_length":${patches}}`;
  const head = `POST /v1/audio/speech HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n`;
  socket.write(`${head}Connection: close\r\n\r\n${body}`);
  return socket;
}

const opened = (count: number): Promise<void> =>
  eventually(() => server.backend.opened.length === count, `${count} sessions are opened`);

const speak = async (): Promise<number> => {
  const body = { input: 'hi', response_format: 'pcm', sample_rate: 16_000, max_length: 1 };
  return (await server.hear(body)).length;
};

it('lose their slot, and get the rest when they read again', async () => {
  await server.start({ slots: 2 });
  const stalled = [await ask(), await ask()];
  await opened(2);
  expect(await speak()).toBe(patchSamples * 2);
  expect(server.backend.opened.map(({ closed }) => closed)).toEqual([false, false, true]);
  const readAll = async (socket: Awaited<ReturnType<typeof ask>>): Promise<number> => (await buffer(socket)).length;
  // Plus headers and chunk lengths.
  for (const bytes of await Promise.all(stalled.map(readAll))) {
    expect(bytes - patches * patchSamples * 2).toBeGreaterThan(0);
    expect(bytes - patches * patchSamples * 2).toBeLessThan(50_000);
  }
  await eventually(() => server.backend.opened.every(({ closed }) => closed), 'the sessions are closed');
});

it('are disconnected when there are too many, longest stalled first', async () => {
  // None of them yields earlier.
  await server.start({ slots: 1, limits: { turnSeconds: 1e9, newcomerTurnSeconds: 1e9 } });
  for (let count = 1; count <= 3; count += 1) {
    await ask();
    await opened(count);
  }
  expect(await speak()).toBe(patchSamples * 2);
  expect(server.backend.opened.map(({ closed }) => closed)).toEqual([true, true, false, true]);
  const reason = 'client too slow: read nothing while other requests waited';
  await eventually(() => server.logged(reason).length > 0, 'the reason is logged');
});

it('keep their slot while no other needs it, until they are disconnected', async () => {
  await server.start({ slots: 1, limits: { stallMilliseconds: 100 } });
  await ask();
  await opened(1);
  await eventually(() => server.backend.opened[0]?.closed === true, 'the session is closed');
  await eventually(() => server.log.join('').includes('the client read nothing for 0.1 s'), 'the reason is logged');
});

it.each([
  ['ahead of its ears', { patchSamples: 160_000 }, 0],
  ['made more slowly than it is heard', { patchSamples: 16 }, 5],
])('give way to a short request: a long answer that is %s', async (_what, info, delayMilliseconds) => {
  await server.start({ slots: 1, backend: { stopAt: 4, info, delayMilliseconds }, limits: { turnSeconds: 0.01 } });
  const body = { input: 'hello', response_format: 'pcm', sample_rate: 16_000, max_length: 12 };
  const ended: string[] = [];
  const listen = async (name: string, request: Promise<Response>): Promise<void> => {
    expect((await bytesOf(request)).length).toBeGreaterThan(0);
    ended.push(name);
  };
  const long = listen('long', server.speak(body));
  await opened(1);
  const release = server.backend.hold();
  const short = listen('short', server.speak({ ...body, max_length: 1 }));
  await eventually(() => server.queue.waiting === 1, 'the short request waits');
  release();
  await Promise.all([long, short]);
  expect(ended).toEqual(['short', 'long']);
});

it('share the slots, so that all long answers progress and a short request is served', async () => {
  await server.start({
    slots: 1,
    backend: { delayMilliseconds: 5, info: { patchSamples: 1_600, contextLength: 4096 } },
    limits: { turnSeconds: 0.05 },
  });
  const received = [0, 0, 0];
  const gone = new AbortController();
  for (const [index] of received.entries()) {
    const body = { input: 'hello', response_format: 'pcm', sample_rate: 16_000, max_length: 4000 };
    void (async () => {
      const response = await server.speak(body, { signal: gone.signal });
      for await (const bytes of response.body ?? []) received[index] = (received[index] ?? 0) + bytes.length;
    })().catch(() => undefined);
  }
  await eventually(() => received.every((bytes) => bytes > 0), 'all have started');
  for (let round = 0; round < 2; round += 1) {
    const before = [...received];
    await eventually(() => received.every((bytes, index) => bytes > (before[index] ?? 0)), 'all make progress');
    expect(await speak()).toBeGreaterThan(0);
  }
  gone.abort();
});
