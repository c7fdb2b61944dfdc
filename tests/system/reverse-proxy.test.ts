/** Debian's nginx with the configuration of docs/reverse-proxy.md. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, createServer as createSocket } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { startServer } from '../server/start-server.ts';
import { eventually } from '../support/eventually.ts';
import { freshFolder } from '../support/test-folder.ts';

const page = readFileSync(join(process.cwd(), 'docs', 'reverse-proxy.md'), 'utf8');
const documented = /```nginx\n(.*?)```/s.exec(page)?.[1] ?? '';

let nginx: ChildProcess;

afterEach(async () => {
  const ended = once(nginx, 'close');
  nginx.kill('SIGTERM');
  await ended;
});
const folder = freshFolder();

async function freePort(): Promise<number> {
  const server = createSocket().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts nginx in front of a port; returns its own. */
async function startNginx(upstream: number): Promise<number> {
  const port = await freePort();
  const site = documented.replace('listen 80;', `listen ${port};`).replace(':8000;', `:${upstream};`);
  expect(site).toContain(`listen ${port};`);
  expect(site).toContain(`http://127.0.0.1:${upstream};`);
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = kinds.map((kind) => `${kind}_temp_path ${folder.join(kind)};`).join('\n');
  const configuration = `daemon off; user root; pid ${folder.path}/pid; error_log stderr;
events {}
http { access_log off; ${temporary} ${site} }`;
  writeFileSync(folder.join('nginx.conf'), configuration);
  nginx = spawn('/usr/sbin/nginx', ['-c', folder.join('nginx.conf')], { stdio: ['ignore', 'ignore', 'inherit'] });
  const isUp = async (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => true,
      () => false,
    );
  await eventually(isUp, 'nginx answers');
  return port;
}

const speech = { path: '/v1/audio/speech', method: 'POST', headers: { 'Content-Type': 'application/json' } };

it('passes on the first patch before the second is generated', async () => {
  let release = (): void => undefined;
  let decoded = 0;
  const onCall = ({ kind }: { readonly kind: string }): void => {
    if (kind !== 'decode') return;
    decoded += 1;
    if (decoded === 1) release = server.backend.hold();
  };
  await using server = await startServer({
    backend: { info: { patchSamples: 1_280 }, onCall },
    settings: { apiKey: 'k', hosts: 'any' },
  });
  const port = await startNginx(server.port);
  const headers = { ...speech.headers, Authorization: 'Bearer k' };
  const outgoing = request({ host: '127.0.0.1', port, ...speech, headers });
  outgoing.end(JSON.stringify({ input: 'hello', response_format: 'pcm', sample_rate: 16_000 }));
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const [first] = (await once(response, 'data')) as [Buffer];
  expect([first.length, decoded]).toEqual([2 * 1_280, 1]);
  release();
  let bytes = first.length;
  response.on('data', (part: Buffer) => {
    bytes += part.length;
  });
  await once(response, 'end');
  expect(bytes).toBe(5 * 2 * 1_280);
});

it.each([
  ['loopback', '127.0.0.9'],
  [1, '127.0.0.9'],
  [false, '127.0.0.1'],
] as const)(
  'with --trust-proxy %s, the log has the address %s, whatever the client states',
  async (trustProxy, address) => {
    await using server = await startServer({ settings: { apiKey: 'k', hosts: 'any', trustProxy } });
    const port = await startNginx(server.port);
    const headers = { 'X-Forwarded-For': '6.6.6.6', 'X-Request-Id': 'mine' };
    const asked = get({ host: '127.0.0.1', port, path: '/healthz', localAddress: '127.0.0.9', headers });
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.resume();
    await eventually(() => server.log.some((line) => line.includes('mine')), 'the request is logged');
    const line = JSON.parse(server.log.find((text) => text.includes('mine')) ?? '');
    expect(line.req.remoteAddress).toBe(address);
  },
);

it('upgrades a WebSocket', async () => {
  const upstream: Server = createServer((_request, response) => void response.end());
  upstream.on('upgrade', ({ headers }, socket) => {
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${headers.upgrade}\r\nConnection: Upgrade\r\n\r\n`);
    socket.pipe(socket);
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const port = await startNginx((upstream.address() as AddressInfo).port);
  const headers = { Connection: 'Upgrade', Upgrade: 'websocket' };
  const asked = get({ host: '127.0.0.1', port, path: '/v1/audio/speech/stream', headers });
  const [response, socket] = (await once(asked, 'upgrade')) as [IncomingMessage, import('node:net').Socket];
  expect([response.statusCode, response.headers.upgrade]).toEqual([101, 'websocket']);
  socket.write('heard');
  const [echo] = (await once(socket, 'data')) as [Buffer];
  expect(echo.toString()).toBe('heard');
  socket.destroy();
  upstream.closeAllConnections();
  upstream.close();
});
