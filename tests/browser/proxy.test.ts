/** The playground through a proxy on plain HTTP, where browsers send no Sec-Fetch-Site. */
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startServer, type TestServer } from '../server/start-server.ts';
import { listen } from '../support/listen.ts';
import { remoteName } from './launch.ts';
import { useBrowser } from './use-browser.ts';

const { open } = useBrowser();

interface Proxy extends AsyncDisposable {
  /** URL for the browser. */
  readonly origin: string;
  target?: TestServer;
}

/** @param hostHeader `kept` from the browser, or `rewritten` to that of the server, the default of most proxies */
async function startProxy(hostHeader: 'kept' | 'rewritten'): Promise<Proxy> {
  const forward = (request: IncomingMessage, response: ServerResponse): void => {
    const { url = '' } = proxy.target ?? {};
    const host = hostHeader === 'kept' ? request.headers.host : new URL(url).host;
    const headers = { ...request.headers, host, 'x-forwarded-host': request.headers.host };
    const outgoing = httpRequest(`${url}${request.url}`, { method: request.method ?? 'GET', headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    request.pipe(outgoing);
  };
  const server = await listen(forward);
  const proxy: Proxy = { ...server, origin: server.url.replace('127.0.0.1', remoteName) };
  return proxy;
}

async function speak(page: Page): Promise<void> {
  await page.fill('#text', 'Hello there.');
  await page.click('#speak');
}

describe.each(['kept', 'rewritten'] as const)('through a proxy with the host %s', (hostHeader) => {
  it('names the missing option', async () => {
    await using proxy = await startProxy(hostHeader);
    await using server = await startServer();
    proxy.target = server;
    const { page } = await open(proxy.origin);
    await speak(page);
    const alert = page.getByRole('alert').filter({ hasText: `--cors-origin ${proxy.origin}` });
    await alert.waitFor();
    const host = hostHeader === 'kept' ? new URL(proxy.origin).host : new URL(server.url).host;
    expect(await alert.textContent()).toContain(`"${host}"`);
  });

  it('works with that option', async () => {
    await using proxy = await startProxy(hostHeader);
    await using server = await startServer({ settings: { corsOrigins: [proxy.origin] } });
    proxy.target = server;
    const { page, problems } = await open(proxy.origin);
    await speak(page);
    await page.locator('#state', { hasText: /Complete|Playing/ }).waitFor();
    // Chromium logs for each plain HTTP page that it ignores one of the headers.
    const unexpected = problems.filter((problem) => !problem.startsWith('The Cross-Origin-Opener-Policy header'));
    expect([await page.textContent('#alert'), unexpected]).toEqual(['', []]);
  });
});
