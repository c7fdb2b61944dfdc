/** Uploads that stall, over real sockets. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from '@jest/globals';
import express from 'express';
import { limitUploads } from '../../src/server/middleware/bodies.ts';
import { eventually } from '../support/eventually.ts';
import { createGate } from '../support/gate.ts';

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
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  const upload = async (): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '1234567890' });
    return [answer.status, await answer.text()];
  };
  try {
    const first = upload();
    first.catch(() => undefined);
    await eventually(() => complete === 1, 'the first upload is being processed');
    // Its time begins after that of the first one, which therefore was over before.
    const stuck = connect(port, '127.0.0.1');
    stuck.on('error', () => undefined);
    stuck.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n123');
    await once(stuck, 'close');
    const second = upload();
    await eventually(() => complete === 2, 'the second upload got its place');
    processed.open();
    expect(await Promise.all([first, second])).toEqual([
      [200, 'done'],
      [200, 'done'],
    ]);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

it('a client that holds all places leaves some to others', async () => {
  const app = express();
  app.set('trust proxy', true);
  app.post('/', limitUploads(4, 60_000), async (request, response) => {
    for await (const _ of request);
    response.end('done');
  });
  const refuse: express.ErrorRequestHandler = (_error, _request, response, _next) => void response.status(500).end();
  app.use(refuse);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  const upload = async (client: string) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${client}\r\nContent-Length: 10\r\n\r\n123`);
    await once(server, 'request');
    return socket;
  };
  try {
    const greedy = [];
    for (let count = 0; count < 4; count += 1) greedy.push(await upload('10.0.0.1'));
    const send = (client: string) =>
      fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        body: '1234567890',
        headers: { 'X-Forwarded-For': client },
      });
    // Its own further ones are refused; those of others take the places of the oldest, until all have as many.
    expect((await send('10.0.0.1')).status).toBe(500);
    const others = [];
    for (let count = 0; count < 2; count += 1) {
      const cut = once(greedy[count] as (typeof greedy)[number], 'close');
      others.push(await upload('10.0.0.2'));
      await cut;
    }
    expect(greedy.map(({ closed }) => closed)).toEqual([true, true, false, false]);
    expect((await send('10.0.0.2')).status).toBe(500);
    expect((await send('10.0.0.3')).status).toBe(200);
    for (const socket of [...greedy, ...others]) socket.destroy();
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
