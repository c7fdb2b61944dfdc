import { createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { listenFailure } from '../src/network-errors.ts';

const failureOf = (host: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (cause) => resolve(listenFailure(host, 8080, cause).message));
    server.listen(0, host, () => server.close(() => reject(new Error('listens'))));
  });

describe('listenFailure', () => {
  it.each([
    ['EADDRINUSE', 'cannot listen on name:80: the address is already in use; choose another --port'],
    ['ENOTFOUND', 'cannot listen on name:80: the host name cannot be resolved'],
    ['EAI_AGAIN', 'cannot listen on name:80: the host name cannot be resolved'],
    ['EADDRNOTAVAIL', 'cannot listen on name:80: this machine does not have that address'],
    ['EACCES', 'cannot listen on name:80: permission denied; choose a --port above 1023'],
    ['EMFILE', 'cannot listen on name:80: listen EMFILE'],
  ])('%s: %s', (code, message) => {
    const cause = Object.assign(new Error(`listen ${code}`), { code });
    expect(listenFailure('name', 80, cause)).toMatchObject({ code: 'IO', message, cause });
  });

  it('knows what the system says', async () => {
    expect(await failureOf('name.invalid')).toMatch(
      /^cannot listen on name.invalid:\d+: the host name cannot be resolved$/,
    );
    // Address of a range for documentation.
    expect(await failureOf('192.0.2.1')).toMatch(
      /^cannot listen on 192\.0\.2\.1:\d+: this machine does not have that address$/,
    );
  });
});
