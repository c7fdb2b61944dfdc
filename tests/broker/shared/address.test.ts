import { expect, it } from '@jest/globals';
import { parseBrokerUrl } from '../../../src/broker/shared/address.ts';

const nodes = (...all: readonly (readonly [string, number])[]) => all.map(([host, port]) => ({ host, port }));

it.each([
  ['redis://127.0.0.1:6379', { kind: 'single', nodes: nodes(['127.0.0.1', 6379]), database: 0 }],
  ['redis://host/', { kind: 'single', nodes: nodes(['host', 6379]), database: 0 }],
  ['valkey://host', { kind: 'single', nodes: nodes(['host', 6379]), shown: 'redis://host' }],
  ['redis://[::1]:7000', { kind: 'single', nodes: nodes(['::1', 7000]) }],
  [
    'rediss://user:s%40cret@host:1/2',
    {
      ...{ kind: 'single', nodes: nodes(['host', 1]), username: 'user', password: 's@cret' },
      ...{ database: 2, tls: {}, shown: 'rediss://host:1/2' },
    },
  ],
  ['valkeys://:secret@host', { password: 'secret', tls: {}, shown: 'rediss://host' }],
  [
    'redis+sentinel://:secret@one,two:7000/mymaster/3',
    {
      ...{ kind: 'sentinel', nodes: nodes(['one', 26_379], ['two', 7000]), master: 'mymaster' },
      ...{ password: 'secret', database: 3, shown: 'redis+sentinel://one,two:7000/mymaster/3' },
    },
  ],
  [
    'valkeys+cluster://one,two:7000',
    {
      ...{ kind: 'cluster', nodes: nodes(['one', 6379], ['two', 7000]) },
      ...{ tls: {}, database: 0, shown: 'rediss+cluster://one,two:7000' },
    },
  ],
])('accepts %s', (text, expected) => {
  expect(parseBrokerUrl(text)).toMatchObject(expected);
});

it.each([
  ...['', 'localhost', 'http://host', 'redis:', 'redis://', 'amqp://user:secret@host', 'redis://user:secret@one,two'],
  ...['redis://user:secret@host/name', 'redis://user:secret@host:70000', 'redis://user:se%cret@host'],
  ...['redis+sentinel://:secret@host', 'redis+sentinel://:secret@host/mymaster/1/2'],
  ...['redis+cluster://:secret@one,,two', 'redis+cluster://:secret@host/1', 'redis+other://:secret@host'],
])('refuses %j', (text) => {
  const message = expect.stringMatching(/^--broker must be an address such as redis:\/\/127\.0\.0\.1:6379, /);
  expect(() => parseBrokerUrl(text)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', message }));
  expect(() => parseBrokerUrl(text)).not.toThrow(/cret/);
});

it('refuses certificates without TLS', () => {
  expect(() => parseBrokerUrl('redis://:secret@host', { tls: {} })).toThrow(
    'certificates for the broker need TLS; write rediss:// instead of redis://',
  );
});
