import { createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { listenFailure } from '../src/listen-failure.ts';

const failureOf = (host: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (cause) => resolve(listenFailure(host, 8080, cause).message));
    server.listen(0, host, () => server.close(() => reject(new Error('listens'))));
  });

describe('listenFailure', () => {
  it.each([
    ['EADDRINUSE', 'cannot listen on name:80: the port is in use'],
    ['ENOTFOUND', 'cannot listen on name:80: unknown host'],
    ['EAI_AGAIN', 'cannot listen on name:80: unknown host'],
    ['EADDRNOTAVAIL', 'cannot listen on name:80: not an address of this machine'],
    ['EACCES', 'cannot listen on name:80: permission denied'],
    ['EMFILE', 'cannot listen on name:80: listen EMFILE'],
  ])('%s: %s', (code, message) => {
    const cause = Object.assign(new Error(`listen ${code}`), { code });
    expect(listenFailure('name', 80, cause)).toMatchObject({ code: 'IO', message, cause });
  });

  it('explains real system errors', async () => {
    expect(await failureOf('name.invalid')).toMatch(/: unknown host$/);
    // An address reserved for documentation.
    expect(await failureOf('192.0.2.1')).toBe('cannot listen on 192.0.2.1:8080: not an address of this machine');
  });
});
