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
    ['EADDRINUSE', 'expected a free address for name:80, received one that is in use'],
    ['ENOTFOUND', 'expected a name or address that can be found for the host, received name'],
    ['EAI_AGAIN', 'expected a name or address that can be found for the host, received name'],
    ['EADDRNOTAVAIL', 'expected an address of this machine for the host, received name'],
    ['EACCES', 'expected a port that this user may listen on for name:80, received one that is not allowed'],
    ['EMFILE', 'expected to listen on name:80, received listen EMFILE'],
  ])('%s: %s', (code, message) => {
    const cause = Object.assign(new Error(`listen ${code}`), { code });
    expect(listenFailure('name', 80, cause)).toMatchObject({ code: 'IO', message, cause });
  });

  it('knows what the system says', async () => {
    expect(await failureOf('name.invalid')).toMatch(/^expected a name or address that can be found for the host/);
    // Of a range for documentation.
    expect(await failureOf('192.0.2.1')).toBe('expected an address of this machine for the host, received 192.0.2.1');
  });
});
