/** Uploads that stall, over real sockets. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from '@jest/globals';
import express from 'express';
import { limitUploads } from '../../src/server/middleware/bodies.ts';

it('stalled uploads lose their place; complete ones keep it while they are processed', async () => {
  const app = express();
  app.post('/', limitUploads(1, 200), async (request, response) => {
    for await (const _ of request);
    await new Promise((resolve) => setTimeout(resolve, 600));
    response.end('done');
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  try {
    const stuck = connect(port, '127.0.0.1');
    stuck.on('error', () => undefined);
    stuck.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n123');
    const [ended] = await Promise.all([once(stuck, 'close'), new Promise((resolve) => setTimeout(resolve, 100))]);
    expect(ended).toBeDefined();
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '1234567890' });
    expect([answer.status, await answer.text()]).toEqual([200, 'done']);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
