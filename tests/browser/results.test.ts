/** Read along, dialogues, and past results of the playground. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Mock, startMock } from './mock-server.ts';
import { useBrowser } from './use-browser.ts';

const { open, openClean } = useBrowser();
let mock: Mock;
let page: Page;

beforeEach(async () => {
  // Longer than the times of the words.
  mock = await startMock({ pieces: 20 });
  for (const id of ['anna', 'ben']) {
    mock.voices.set(id, { id, prompt_text: 'Hello.', bytes: Buffer.alloc(96_044), preset: true });
  }
  ({ page } = await openClean(mock.url));
});
afterEach(async () => mock[Symbol.asyncDispose]());

const textOf = async (id: string): Promise<string> => (await page.locator(`#${id}`).textContent()) ?? '';
const position = async (): Promise<number> => Number((await textOf('position')).split(':')[1]);
const complete = () => page.locator('#state', { hasText: /^Complete$/ }).waitFor();
const speak = async (text?: string): Promise<void> => {
  if (text !== undefined) await page.fill('#text', text);
  await page.click('#speak');
  await complete();
};
const heard = (word: string) => page.locator('.heard', { hasText: word }).waitFor();

describe('reading along', () => {
  it('lights up the words, plays from a chosen one, and asks the server once', async () => {
    await speak('Hello there. Bye.');
    await page.click('#along-open');
    await page.locator('.sentence').first().waitFor();
    expect(await page.locator('.sentence').allTextContents()).toEqual(['Hello there.', 'Bye.']);
    expect(await page.evaluate('document.activeElement.id')).toBe('along-title');
    const { seed } = mock.speeches[0]?.body ?? {};
    expect(mock.speeches[1]).toMatchObject({ body: { seed, stream_format: 'json', timestamps: 'word' } });
    await page.locator('.sentence span', { hasText: 'there.' }).click();
    await heard('there.');
    expect(await position()).toBeGreaterThanOrEqual(0.4);
    await heard('Bye.');
    // A sentence that is chosen by keyboard plays from its first word.
    await page.locator('.sentence').first().press('Enter');
    await heard('Hello');
    await complete();
    await page.selectOption('#format', 'vtt');
    await Promise.all([page.waitForEvent('download'), page.click('#download')]);
    expect(mock.speeches).toHaveLength(2);
  });

  it('has the chapters of a text with headings', async () => {
    await speak('# Hello there\n\n## Bye');
    expect(await page.isVisible('#chapters')).toBe(false);
    await page.click('#along-open');
    const chapters = page.getByRole('navigation', { name: 'Chapters' }).getByRole('button');
    await chapters.first().waitFor();
    expect(await chapters.allTextContents()).toEqual(['Hello there', 'Bye']);
    await chapters.last().click();
    await heard('Bye.');
    await complete();
  });

  it('is of the last speech only, and says what failed', async () => {
    await speak('Hello.');
    mock.settings.refusal = { status: 503, message: 'the queue is full' };
    await page.click('#along-open');
    await page.getByRole('alert').filter({ hasText: 'the queue is full' }).waitFor();
    delete mock.settings.refusal;
    await page.click('#along-open');
    await page.locator('.sentence').first().waitFor();
    Object.assign(mock.settings, { pieces: 6000, pace: 50 });
    await page.click('#speak');
    await page.locator('#state', { hasText: 'Generating' }).waitFor();
    expect(await page.isVisible('#along')).toBe(false);
    await page.click('#cancel');
    await page.locator('#state', { hasText: 'Canceled' }).waitFor();
    expect(await page.isVisible('#along')).toBe(false);
  });
});

describe('a dialogue', () => {
  it('has a voice for each speaker', async () => {
    await page.fill('#text', 'Anna: Hello.\nBen: Hi.\nanna: Bye.');
    expect(await page.isVisible('#speakers')).toBe(false);
    await page.selectOption('#input-format', 'script');
    await page.getByLabel('Anna', { exact: true }).waitFor();
    expect(await page.locator('#speaker-list label').allTextContents()).toEqual(['Anna', 'Ben']);
    expect(await page.getByLabel('Ben', { exact: true }).inputValue()).toBe('ben');
    await page.getByLabel('Ben', { exact: true }).selectOption('default');
    // The choice stays while the text changes.
    await page.fill('#text', 'Anna: Hello.\nBen: Hi.\nCleo: Bye.');
    await speak();
    expect(mock.speeches[0]?.body).toMatchObject({
      input_format: 'script',
      voices: { Anna: 'anna', Ben: 'default', Cleo: expect.any(String) },
    });
    await page.selectOption('#input-format', 'plain');
    expect(await page.isVisible('#speakers')).toBe(false);
    await speak();
    expect(mock.speeches[1]?.body).not.toHaveProperty('voices');
  });
});

describe('options of the text', () => {
  it('read out numbers only if the user decides', async () => {
    await page.fill('#text', 'It costs $5.');
    await page.click('#options summary');
    await page.selectOption('#normalize', 'false');
    expect(await textOf('options-note')).toBe('numbers: left to the model');
    await speak();
    await page.selectOption('#normalize', 'true');
    await speak();
    await page.click('#options-reset');
    await speak();
    expect(mock.speeches.map(({ body }) => body.normalize)).toEqual([false, true, undefined]);
  });

  it('offers every format for download', async () => {
    const formats = await page.evaluate('[...document.getElementById("format").options].map(({ value }) => value)');
    expect(formats).toEqual(['wav', 'pcm', 'mp3', 'flac', 'opus', 'ogg', 'aac', 'srt', 'vtt', 'json']);
  });
});

describe('past results', () => {
  const results = () => page.locator('#results h3').allTextContents();

  it('are kept over a reload, opened and deleted', async () => {
    expect(await page.isVisible('#history')).toBe(false);
    await speak('The first.');
    await page.getByRole('heading', { name: 'The first.' }).waitFor();
    await speak('The second.');
    await page.getByRole('heading', { name: 'The second.' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'The first.' }).waitFor();
    expect(await results()).toEqual(['The second.', 'The first.']);
    await page.getByRole('button', { name: 'Open “The first.”' }).click();
    await page.locator('#duration', { hasText: '0:02.0' }).waitFor();
    expect([await textOf('state'), await page.evaluate('document.activeElement.id')]).toEqual(['Complete', 'play']);
    const seed = mock.speeches[0]?.body.seed;
    expect(await textOf('stat-seed')).toBe(String(seed));
    await page.selectOption('#format', 'mp3');
    await Promise.all([page.waitForEvent('download'), page.click('#download')]);
    expect(mock.speeches[2]?.body).toMatchObject({ input: 'The first.', seed, response_format: 'mp3' });
    await page.click('#play');
    await page.locator('#state', { hasText: 'Playing' }).waitFor();
    await page.getByRole('button', { name: 'Delete “The second.”' }).click();
    await page.getByRole('heading', { name: 'The second.' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { name: 'The first.' }).waitFor();
    expect(await results()).toEqual(['The first.']);
    await page.click('#history-clear');
    await page.locator('#status.notice', { hasText: 'All results deleted.' }).waitFor();
    expect(await page.isVisible('#history')).toBe(false);
    await page.reload();
    await page.locator('#server[data-state=ready]').waitFor();
    expect(await results()).toEqual([]);
  });

  it('are at most twenty, and no failed speech', async () => {
    Object.assign(mock.settings, { pieces: 1, pace: 0 });
    for (let count = 1; count <= 21; count++) await speak(`Number ${count}.`);
    await page.getByRole('heading', { name: 'Number 21.' }).waitFor();
    await page.getByRole('heading', { name: 'Number 1.', exact: true }).waitFor({ state: 'detached' });
    expect(await results()).toHaveLength(20);
    mock.settings.refusal = { status: 503, message: 'the queue is full' };
    await page.fill('#text', 'Refused.');
    await page.click('#speak');
    await page.getByRole('alert').filter({ hasText: 'the queue is full' }).waitFor();
    expect(await results()).toHaveLength(20);
  });
});

describe('the demo model', () => {
  it('is called so', async () => {
    await page.locator('#server[data-state=ready]').waitFor();
    expect(await page.isVisible('#demo-note')).toBe(false);
    await using demo = await startMock({ model: 'demo', models: ['demo', 'voxcpm-0.5b'] });
    const { page: other } = await open(demo.url);
    await other.locator('#demo-note', { hasText: 'This is the demo model' }).waitFor();
    await other.selectOption('#model', 'voxcpm-0.5b');
    expect(await other.isVisible('#demo-note')).toBe(false);
  });
});
