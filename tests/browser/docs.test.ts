/** The API reference of a real server. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startServer, type TestServer } from '../server/start-server.ts';
import { audit, useBrowser } from './use-browser.ts';

const { newPage } = useBrowser();
let server: TestServer;

beforeEach(async () => {
  // A second of audio for the player.
  server = await startServer({ backend: { info: { patchSamples: 3200 } }, settings: { apiKey: 'secret' } });
});
afterEach(() => server.close());

const open = (width = 1280, colorScheme: 'light' | 'dark' = 'light') =>
  newPage({ viewport: { width, height: 800 }, colorScheme, reducedMotion: 'reduce' });
const ready = (page: Page): Promise<void> => page.locator('#operations-tag-service').waitFor();

/** The page itself, once it knows its operations. */
async function openDocs(...look: Parameters<typeof open>): Promise<Page> {
  const { page } = await open(...look);
  await page.goto(`${server.url}/docs`);
  await ready(page);
  return page;
}

async function trySpeech(page: Page): Promise<void> {
  const operation = page.locator('#operations-speech-postV1AudioSpeech');
  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Execute' }).click();
  await operation.locator('.responses-table.live-responses-table').waitFor();
}

describe('the API reference', () => {
  it('is reached from the playground, which hands its key on, and speaks', async () => {
    const { page, requested, problems } = await open();
    await page.goto(server.url);
    await page.fill('#key', 'secret');
    await page.keyboard.press('Enter');
    await page.locator('#server[data-state=ready]').waitFor();
    await page.getByRole('link', { name: 'API reference' }).click();
    await ready(page);
    expect(await page.locator('.info .renderedMarkdown pre').count()).toBe(4);
    await trySpeech(page);
    const audio = page.locator('.playable audio');
    await audio.waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download speech.wav' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('speech.wav');
    await page.waitForFunction("document.querySelector('.playable audio').readyState > 0");
    expect(problems).toEqual([]);
    expect(requested.filter((url) => !/^(?:data:|blob:)/.test(url) && !url.startsWith(server.url))).toEqual([]);
  });

  it('fills in forms with requests that the server accepts', async () => {
    const { page } = await open();
    await page.addInitScript(`sessionStorage.setItem('svc-api-key', 'secret')`);
    await page.goto(`${server.url}/docs`);
    await ready(page);
    const operation = page.locator('#operations-speech-postTts');
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.playable audio').waitFor();
  });

  it('has code samples for this server, folded within an operation', async () => {
    const page = await openDocs();
    expect(await page.locator('.info pre', { hasText: `curl ${server.url}/v1/audio/speech` }).count()).toBe(1);
    const operation = page.locator('#operations-voices-postV1Voices');
    await operation.locator('.opblock-summary-control').click();
    const upload = operation.locator('pre', { hasText: 'audio=@anna.wav' });
    await upload.waitFor({ state: 'hidden' });
    await operation.getByText('Example: clone a voice').click();
    await upload.waitFor();
  });

  it('asks for the key itself', async () => {
    const page = await openDocs();
    await trySpeech(page);
    await page.locator('.live-responses-table', { hasText: 'invalid_api_key' }).waitFor();
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page.getByLabel('auth-bearer-value').fill('secret');
    const bearer = page.locator('form', { hasText: 'bearer' });
    await bearer.getByRole('button', { name: 'Apply credentials' }).click();
    await bearer.locator('.btn-done').click();
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.playable audio').waitFor();
  });

  it.each([375, 1280])('has contents and fits into %s pixels with an open operation', async (width) => {
    const page = await openDocs(width);
    const contents = await page
      .locator('nav[aria-label=Contents] a')
      .evaluateAll((links) =>
        links.map((link) => (link as unknown as { getAttribute(name: string): string }).getAttribute('href')),
      );
    const sections = await page.locator('.opblock-tag').evaluateAll((tags) => tags.map(({ id }) => `#${id}`));
    expect(contents).toEqual(sections);
    await trySpeech(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  });

  it.each([
    ['light', 375],
    ['dark', 1280],
  ] as const)('passes axe in the %s theme at %s pixels', async (scheme, width) => {
    const page = await openDocs(width, scheme);
    const found = [await audit(page)];
    await trySpeech(page);
    found.push(await audit(page));
    expect(found).toEqual([[], []]);
  });
});
