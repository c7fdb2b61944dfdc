/** A broker that asks for client certificates and knows a user with the documented rights only. Needs redis-server, openssl. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { freePort, type RedisProcess, startRedis } from '../../bench/broker/redis-process.ts';
import { parseBrokerUrl } from '../../src/broker/shared/address.ts';
import { connectBroker } from '../../src/broker/shared/connection.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { openSpeech, speakAlone } from './speech-over-broker.ts';

const pace = { steps: 40, delayMilliseconds: 2 };
const documented = /^user svc on >password (.*)$/m.exec(readFileSync('docs/scale-out.md', 'utf8'))?.[1] ?? '';

let tlsPort: number;
let redis: RedisProcess;

afterAll(async () => redis?.[Symbol.asyncDispose]());
const folder = sharedFolder();
beforeAll(async () => {
  const [cert, key] = [join(folder, 'own.crt'), join(folder, 'own.key')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=svc'];
  const names = ['-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  tlsPort = await freePort();
  const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert];
  redis = await startRedis({ settings: ['--tls-port', String(tlsPort), ...files] });
  await redis.client.call('ACL', 'SETUSER', 'svc', 'on', '>pass word', ...documented.split(' '));
});

const file = (name: string): Buffer => readFileSync(join(folder, name));

it('speaks over TLS with a client certificate, as a user with the documented rights', async () => {
  const tls = { ca: file('own.crt'), cert: file('own.crt'), key: file('own.key') };
  const address = parseBrokerUrl(`rediss://svc:pass%20word@127.0.0.1:${tlsPort}`, { tls });
  await using speech = await openSpeech(address, pace);
  expect((await speech.speak()).samples).toEqual(await speakAlone(pace.steps));
  expect(await redis.client.call('ACL', 'LOG')).toEqual([]);
});

it('says in one line, without the password, why the broker refuses', async () => {
  const silent = { failed: () => undefined, restored: () => undefined };
  const connect = (url: string, tls = {}) =>
    connectBroker(parseBrokerUrl(url, { tls }), 'front', silent).then(
      () => 'connected',
      ({ message }: Error) => message,
    );
  const url = `rediss://svc:wrong@127.0.0.1:${tlsPort}`;
  const shown = `rediss://127.0.0.1:${tlsPort}`;
  const whole = { ca: file('own.crt'), cert: file('own.crt'), key: file('own.key') };
  const messages = [await connect(url), await connect(url, { ca: whole.ca }), await connect(url, whole)];
  expect(messages).toEqual([
    `cannot reach Redis at ${shown}: self-signed certificate`,
    expect.stringMatching(/^cannot reach Redis at .*: .*(certificate required|connection reset|closed)/i),
    `Redis at ${shown} refuses the user or password; write them as in redis://USER:PASSWORD@host`,
  ]);
  for (const message of messages) {
    expect(message).toContain(shown);
    expect(message).not.toMatch(/wrong\b|\n/);
  }
});
