/** The page as it is shipped, against `svc serve` with the demo model. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { decodeWav } from '../../src/audio/decode/wav.ts';
import { presets } from '../presets.ts';
import { type Service, startService } from './start-service.ts';
import { useBrowser } from './use-browser.ts';

const { openClean } = useBrowser();
let service: Service;
let page: Page;

beforeAll(async () => {
  service = await startService('--api-key', 'secret');
  ({ page } = await openClean(service.url));
  await page.fill('#key', 'secret');
  await page.keyboard.press('Enter');
  await page.locator('#server[data-state=ready]').waitFor();
});
afterAll(async () => service[Symbol.asyncDispose]());

const textOf = async (id: string): Promise<string> => (await page.locator(`#${id}`).textContent()) ?? '';

async function speak(text: string): Promise<void> {
  await page.click('#tab-speak');
  await page.fill('#text', text);
  await page.click('#speak');
  // Not the cancel button: a short sentence may be complete too soon.
  await page.locator('#wave:not([data-state=none])').waitFor();
}

async function isProcessing(): Promise<boolean> {
  const response = await fetch(`${service.url}health`, { headers: { Authorization: 'Bearer secret' } });
  return ((await response.json()) as { readonly is_processing: boolean }).is_processing;
}

const finished = () => page.locator('#wave:is([data-state=complete], [data-state=failed])').waitFor();

async function download(format: string): Promise<Buffer> {
  await page.selectOption('#format', format);
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('#download')]);
  return readFile(await file.path());
}

describe('the playground of svc serve', () => {
  it("shows the model's limits", async () => {
    const voices = await page.locator('#voice option').allTextContents();
    expect(voices).toEqual(['Default voice', ...presets]);
    await speak('Hello 你.');
    await finished();
    expect(await textOf('warnings')).toContain('cannot read "你" of the text');
    await speak('Hello.');
    await finished();
    expect(await page.isVisible('#warnings')).toBe(false);
  });

  it('generates speech, and the same audio for a download in another format', async () => {
    await speak('Hello there.');
    await finished();
    expect(await textOf('alert')).toBe('');
    expect(Number(await textOf('stat-rtf'))).toBeGreaterThan(0);
    const wave = decodeWav(await download('wav'));
    expect(wave.samples.length / wave.sampleRate).toBeGreaterThan(0.4);
    expect(wave.samples.reduce((loudest, sample) => Math.max(loudest, Math.abs(sample)), 0)).toBeGreaterThan(0.01);
    const flac = await download('flac');
    expect(flac.subarray(0, 4).toString()).toBe('fLaC');
    expect(flac.length).toBeLessThan(wave.samples.length * 2);
  });

  it('makes captions of a script', async () => {
    await page.selectOption('#input-format', 'script');
    await speak('Hello there. [pause:2s] And goodbye.');
    await finished();
    const wave = decodeWav(await download('wav'));
    const captions = (await download('srt')).toString();
    expect(captions).toMatch(/^1\n00:00:00,\d{3} --> 00:00:0\d,\d{3}\nHello there\.\n\n2\n/);
    const [, seconds = ''] = / --> 00:00:(\d\d,\d{3})\nAnd goodbye\.\n$/.exec(captions) ?? [];
    expect(Math.abs(Number(seconds.replace(',', '.')) - wave.samples.length / wave.sampleRate)).toBeLessThan(0.5);
    await page.selectOption('#input-format', 'auto');
  });

  it('plays a long text before it is complete, and cancels it on the server', async () => {
    await speak('The quick brown fox jumps over the lazy dog. '.repeat(12));
    const end = Date.now() + 600_000;
    while (!((await textOf('position')) > '0:00.1') && Date.now() < end) await page.waitForTimeout(20);
    expect(await textOf('state')).toMatch(/^Generating/);
    expect(await isProcessing()).toBe(true);
    await page.keyboard.press('Escape');
    await page.locator('#state', { hasText: 'Canceled' }).waitFor();
    const idle = Date.now() + 20_000;
    while ((await isProcessing()) && Date.now() < idle) await page.waitForTimeout(50);
    expect(await isProcessing()).toBe(false);
  });

  it('records, uses and deletes a voice', async () => {
    await page.click('#tab-create');
    await page.check('[value=record]');
    await page.click('#record');
    await page.locator('#record-time', { hasText: /^0:02/ }).waitFor();
    await page.click('#record');
    await page.locator('#preview').waitFor();
    await page.fill('#voice-id', 'beeper');
    await page.fill('#transcript', 'Beep, beep.');
    await page.click('#create');
    await page.locator('#created').waitFor();
    await page.click('#created-use');
    await speak('Hello.');
    await finished();
    expect([await textOf('alert'), await textOf('stat-first')]).toEqual(['', expect.stringMatching(/s$/)]);
    await page.click('#tab-voices');
    await page.getByRole('button', { name: 'Delete beeper' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.locator('#status.notice', { hasText: 'Voice “beeper” deleted.' }).waitFor();
    await page.getByRole('heading', { name: 'beeper' }).waitFor({ state: 'detached' });
  });

  it("shows the server's errors", async () => {
    await page.click('#tab-create');
    await page.setInputFiles('#file', { name: 'noise.wav', mimeType: 'audio/wav', buffer: Buffer.from('no audio') });
    await page.fill('#voice-id', 'noise');
    await page.fill('#transcript', 'Nothing.');
    await page.click('#create');
    await page.getByRole('alert').filter({ hasText: /audio/ }).waitFor();
  });
});
