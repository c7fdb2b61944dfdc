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
