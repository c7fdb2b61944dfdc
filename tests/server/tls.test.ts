/** HTTPS with certificates from files. */
import { unwatchFile, watchFile } from 'node:fs';
import { copyFile, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { openTlsFiles, type TlsFiles } from '../../src/server/http/tls-files.ts';
import { eventually } from '../support/eventually.ts';
import { createGate } from '../support/gate.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { rawRequest } from './raw-request.ts';
import { startServer, type TestServer } from './start-server.ts';

/** Self-signed certificates for 127.0.0.1 named `one` and `two`, and an encrypted key. */
const fixtures = join(process.cwd(), 'tests', 'fixtures', 'tls');
const log: string[] = [];
const logger = pino({ base: null }, { write: (line: string) => void log.push(line) });
const at = (name: string): string => join(fixtures, name);

const open = (cert: string, key: string): Promise<TlsFiles> => openTlsFiles({ cert: at(cert), key: at(key) }, logger);

/** The name in the certificate of a server. */
const nameOf = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.once('error', reject);
  });

const url = ({ port }: TestServer, path: string): string => `https://127.0.0.1:${port}${path}`;
const isHealthy = async (server: TestServer, ca: Buffer): Promise<boolean> =>
  (await rawRequest(url(server, '/healthz'), { ca, agent: false })).status === 200;

it.each([
  ['one.crt', 'two.key', /--tls-key .*two\.key is not the key of the certificate --tls-cert .*one\.crt$/],
  ['one.key', 'one.key', /--tls-cert .*one\.key is not a certificate in PEM format$/],
  ['one.crt', 'one.crt', /--tls-key .*one\.crt is not a private key in PEM format$/],
  ['one.crt', 'locked.key', /--tls-key .*locked\.key is encrypted; decrypt it with: openssl pkey/],
  ['none', 'one.key', /cannot read --tls-cert .*none: no such file$/],
  ['one.crt', '.', /cannot read --tls-key .*: it is a folder$/],
])('files that are wrong are refused in one line %s with %s', async (cert, key, message) => {
  const reason = expect.stringMatching(message);
  await expect(open(cert, key)).rejects.toMatchObject({ code: 'INVALID_REQUEST', message: reason });
});

it('serves HTTPS with HTTP/1.1, and nothing over plain HTTP', async () => {
  await using server = await startServer({ listen: { tls: await open('one.crt', 'one.key') } });
  expect(await isHealthy(server, await readFile(at('one.crt')))).toBe(true);
  await expect(fetch(`http://127.0.0.1:${server.port}/healthz`)).rejects.toThrow();
  const options = { port: server.port, host: '127.0.0.1', rejectUnauthorized: false };
  const socket = connect({ ...options, ALPNProtocols: ['h2', 'http/1.1'] });
  await new Promise((resolve) => socket.once('secureConnect', resolve));
  expect((socket as TLSSocket).alpnProtocol).toBe('http/1.1');
  socket.destroy();
});

it('changes to a new certificate without a restart, and keeps the old one if the new files are wrong', async () => {
  await using folder = await temporaryFolder();
  const live = { cert: folder.join('live.crt'), key: folder.join('live.key') };
  /** In one step, so that the watch never finds half a file. */
  const put = async (name: string, path: string): Promise<void> => {
    await copyFile(at(name), `${path}.new`);
    await rename(`${path}.new`, path);
  };
  await put('one.crt', live.cert);
  await put('one.key', live.key);
  const checkMilliseconds = 20;
  let settle = (): Promise<void> => Promise.resolve();
  const tls = await openTlsFiles(live, logger, { checkMilliseconds, settle: () => settle() });
  await using server = await startServer({ listen: { tls } });
  expect(await nameOf(server.port)).toBe('one');
  await put('two.crt', live.cert);
  await eventually(() => log.some((line) => line.includes('the old one stays in use')), 'a complaint');
  const complaint = JSON.parse(log.find((line) => line.includes('the old one stays in use')) as string);
  expect(complaint.reason).toContain(`--tls-key ${live.key} is not the key of`);
  expect(complaint.file).toBeUndefined();
  expect(await nameOf(server.port)).toBe('one');
  await put('two.key', live.key);
  await eventually(async () => (await nameOf(server.port)) === 'two', 'the new certificate');
  // As renewals do: one file after the other, and the first one is noticed meanwhile.
  const [noticed, renewed] = [createGate(), createGate()];
  settle = () => {
    noticed.open();
    return renewed.passed;
  };
  log.length = 0;
  await put('one.crt', live.cert);
  await noticed.passed;
  const followed = createGate();
  watchFile(live.key, { interval: checkMilliseconds, persistent: false }, followed.open);
  await put('one.key', live.key);
  renewed.open();
  await eventually(async () => (await nameOf(server.port)) === 'one', 'the renewed certificate');
  // The watch notices the second file too, which is no news.
  await followed.passed;
  unwatchFile(live.key, followed.open);
  const [again, complete] = [createGate(), createGate()];
  settle = () => {
    again.open();
    return complete.passed;
  };
  await put('two.crt', live.cert);
  await again.passed;
  await put('two.key', live.key);
  complete.open();
  await eventually(async () => (await nameOf(server.port)) === 'two', 'the next certificate');
  expect(log.map((line) => JSON.parse(line).msg)).toEqual(['TLS certificate reloaded', 'TLS certificate reloaded']);
});

it('never closes a connection with a running request to make room, only idle ones', async () => {
  const listen = { tls: await open('one.crt', 'one.key'), connections: { total: 2, perAddress: 100 } };
  await using server = await startServer({ listen });
  const ca = await readFile(at('one.crt'));
  const release = server.backend.hold();
  const body = JSON.stringify({ input: 'hello', response_format: 'pcm', stream: true });
  const speaking = rawRequest(url(server, '/v1/audio/speech'), { method: 'POST', body, ca, agent: false });
  await eventually(() => server.backend.calls.length > 0, 'the engine is busy');
  for (let count = 0; count < 4; count += 1) expect(await isHealthy(server, ca)).toBe(true);
  release();
  expect((await speaking).text.length).toBeGreaterThan(0);
});

it('ends the connection when speech fails after its first audio', async () => {
  let decoded = 0;
  const onCall = ({ kind }: { readonly kind: string }): void => {
    if (kind === 'decode') decoded += 1;
    if (decoded === 2) throw new Error('out of luck');
  };
  await using server = await startServer({
    backend: { info: { patchSamples: 1_280 }, onCall },
    listen: { tls: await open('one.crt', 'one.key') },
  });
  const ca = await readFile(at('one.crt'));
  const body = JSON.stringify({ input: 'hello', voice: 'alloy', response_format: 'pcm' });
  const asked = rawRequest(url(server, '/v1/audio/speech'), { method: 'POST', body, ca, agent: false });
  await expect(asked).rejects.toThrow('aborted');
});
