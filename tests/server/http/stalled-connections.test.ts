/** Clients that ask and never read are disconnected, on every path of the server. */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterEach, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { cutStalled } from '../../../src/server/http/stalled-connections.ts';
import { openTlsFiles } from '../../../src/server/http/tls-files.ts';
import { eventually } from '../../support/eventually.ts';
import { startServer, type TestServer } from '../start-server.ts';

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const limits = { stallMilliseconds: 300 };

/** Otherwise the head of the last request would end the connection. */
const patient = { headersMilliseconds: 1e9, requestMilliseconds: 1e9 };

/** Several answers, which are more than the buffers of both ends hold. */
const path = '/docs/swagger-ui-bundle.js';

/** Sends as many requests at once as may be open, reads no answer, and keeps sending the head of another one. */
function flood(socket: Socket): void {
  sockets.push(socket.on('error', () => undefined));
  socket.pause();
  const head = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n`;
  socket.write(`${head}\r\n`.repeat(8) + head);
  const more = setInterval(() => socket.write('X-More: a\r\n'), 20);
  socket.once('close', () => clearInterval(more));
}

const disconnected = ({ logged }: TestServer): boolean =>
  ['request aborted', 'request errored'].some((message) => logged(`"msg":"${message}"`).length > 0);

it('pipelined requests end without a reader', async () => {
  await using server = await startServer({ limits, listen: patient });
  flood(connect(server.port, '127.0.0.1'));
  await eventually(() => disconnected(server), 'the connection is cut');
});

it('over TLS too', async () => {
  const file = (name: string): string => join(import.meta.dirname, '../../fixtures/tls', name);
  const tls = await openTlsFiles({ cert: file('one.crt'), key: file('one.key') }, pino({ level: 'silent' }));
  await using server = await startServer({ limits, listen: { ...patient, tls } });
  const ca = readFileSync(file('one.crt'));
  flood(connectTls({ port: server.port, host: '127.0.0.1', ca, checkServerIdentity: () => undefined }));
  await eventually(() => disconnected(server), 'the connection is cut');
});

it('a WebSocket whose file is not read frees its slot, although it answers pings', async () => {
  await using server = await startServer({
    slots: 1,
    limits,
    backend: { firstLevel: 1, stopAt: 24, info: { patchSamples: 400_000, contextLength: 4096 } },
  });
  const client = await server.stream();
  client.socket.pause();
  const pongs = setInterval(() => client.socket.pong(), 20);
  client.send('session.config', { response_format: 'wav' });
  client.say('Hello there.');
  await eventually(() => server.logged('"statusCode":101').length > 0, 'the connection is cut');
  clearInterval(pongs);
  client.socket.terminate();
});

it('counts what the system takes, however slowly', () => {
  jest.useFakeTimers();
  try {
    const server = new EventEmitter();
    const handle = { bytesWritten: 1000, writeQueueSize: 900 };
    const destroy = jest.fn();
    cutStalled(server as Server, 300);
    server.emit('connection', Object.assign(new EventEmitter(), { _handle: handle, destroy }));
    for (let count = 0; count < 4; count += 1) {
      jest.advanceTimersByTime(290);
      handle.writeQueueSize -= 1;
    }
    jest.advanceTimersByTime(290);
    expect(destroy).not.toHaveBeenCalled();
    jest.advanceTimersByTime(100);
    expect(destroy).toHaveBeenCalled();
    server.emit('close');
  } finally {
    jest.useRealTimers();
  }
});
