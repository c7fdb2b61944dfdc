import { expect, it } from '@jest/globals';
import { formatWyomingAddress, parseWyomingAddress } from '../../src/wyoming/address.ts';

it.each([
  ['tcp://127.0.0.1:10200', { kind: 'tcp', host: '127.0.0.1', port: 10_200 }],
  ['tcp://0.0.0.0:0', { kind: 'tcp', host: '0.0.0.0', port: 0 }],
  ['tcp://[::1]:10200', { kind: 'tcp', host: '::1', port: 10_200 }],
  ['tcp://speech.local:1', { kind: 'tcp', host: 'speech.local', port: 1 }],
  ['unix:///run/svc.sock', { kind: 'unix', path: '/run/svc.sock' }],
])('reads %s', (text, address) => {
  expect(parseWyomingAddress(text)).toEqual(address);
  expect(formatWyomingAddress(parseWyomingAddress(text))).toBe(text);
});

it.each([
  ...['10200', '127.0.0.1:10200', 'tcp://127.0.0.1', 'tcp://:10200', 'tcp://127.0.0.1:99999', 'stdio://', ''],
  ...['tcp://127.0.0.1:10200/path', 'tcp://user@127.0.0.1:10200', 'http://127.0.0.1:10200', 'unix:///'],
  ...['unix://run/svc.sock'],
])('refuses %j', (text) => {
  expect(() => parseWyomingAddress(text)).toThrow(
    `--wyoming must be tcp://HOST:PORT or unix:///PATH, got ${JSON.stringify(text)}`,
  );
});
