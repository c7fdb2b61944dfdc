import { describe, expect, it } from '@jest/globals';
import { parseBrokerUrl } from '../../src/broker/connection.ts';

describe('parseBrokerUrl', () => {
  it.each([
    ['redis://127.0.0.1:6379', 'redis://127.0.0.1:6379', 'redis://127.0.0.1:6379'],
    ['rediss://user:secret@host:1/2', 'rediss://user:secret@host:1/2', 'rediss://host:1/2'],
    ['valkey://host', 'redis://host', 'redis://host'],
    ['valkeys://:secret@host', 'rediss://:secret@host', 'rediss://host'],
    ['redis://[::1]:7000', 'redis://[::1]:7000', 'redis://[::1]:7000'],
  ])('accepts %s', (text, url, shown) => {
    expect(parseBrokerUrl(text)).toEqual({ url, shown });
  });

  it.each(['', 'localhost', 'http://host', 'redis:', 'redis://', 'amqp://user:secret@host'])('refuses %j', (text) => {
    expect(() => parseBrokerUrl(text)).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        message: '--broker must be an address such as redis://127.0.0.1:6379',
      }),
    );
    expect(() => parseBrokerUrl(text)).not.toThrow(/secret/);
  });
});
