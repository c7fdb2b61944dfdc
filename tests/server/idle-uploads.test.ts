/** Uploads that stall, over real sockets. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, it } from '@jest/globals';
import express from 'express';
import { limitUploads } from '../../src/server/context/limit-uploads.ts';
import { eventually } from '../support/eventually.ts';
import { createGate } from '../support/gate.ts';
import { serveApp } from './pages/serve-app.ts';
import { rawSockets } from './raw-sockets.ts';

const open = rawSockets();

it('stalled uploads lose their place; complete ones keep it while they are processed', async () => {
  const app = express();
  const processed = createGate();
  let complete = 0;
  app.post('/', limitUploads(2, 100), async (request, response) => {
    for await (const _ of request);
    complete += 1;
    await processed.passed;
    response.end('done');
  });
  using served = await serveApp(app);
  const upload = async (): Promise<unknown> => {
    const answer = await fetch(served.url, { method: 'POST', body: '1234567890' });
    return [answer.status, await answer.text()];
  };
  const first = upload();
  first.catch(() => undefined);
  await eventually(() => complete === 1, 'the first upload is being processed');
  // Its time begins after that of the first one, which therefore was over before.
  const stuck = await open(served.port);
  stuck.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n123');
  await once(stuck, 'close');
  const second = upload();
  await eventually(() => complete === 2, 'the second upload got its place');
  processed.open();
  expect(await Promise.all([first, second])).toEqual(Array(2).fill([200, 'done']));
});

it('a client that holds all places leaves some to others', async () => {
  const app = express();
  app.set('trust proxy', true);
  let begun = 0;
  const count: express.RequestHandler = (_request, _response, next) => {
    begun += 1;
    next();
  };
  app.post('/', count, limitUploads(4, 60_000), async (request, response) => {
    for await (const _ of request);
    response.end('done');
  });
  using served = await serveApp(app);
  const upload = async (client: string): Promise<Socket> => {
    const [socket, before] = [await open(served.port), begun];
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${client}\r\nContent-Length: 10\r\n\r\n123`);
    await eventually(() => begun > before, 'the upload has begun');
    return socket;
  };
  const statusOf = async (client: string): Promise<number> => {
    const headers = { 'X-Forwarded-For': client };
    return (await fetch(served.url, { method: 'POST', body: '1234567890', headers })).status;
  };
  const greedy: Socket[] = [];
  for (let index = 0; index < 4; index += 1) greedy.push(await upload('10.0.0.1'));
  // Its own further ones are refused; those of others take the places of the oldest, until all have as many.
  expect(await statusOf('10.0.0.1')).toBe(503);
  for (const oldest of greedy.slice(0, 2)) {
    const cut = once(oldest, 'close');
    await upload('10.0.0.2');
    await cut;
  }
  expect(greedy.map(({ closed }) => closed)).toEqual([true, true, false, false]);
  expect([await statusOf('10.0.0.2'), await statusOf('10.0.0.3')]).toEqual([503, 200]);
});
