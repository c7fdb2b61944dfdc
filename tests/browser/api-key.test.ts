import { describe, expect, it } from '@jest/globals';
import { startMock } from './mock-server.ts';
import { useBrowser } from './use-browser.ts';

const { open } = useBrowser();

describe('API key', () => {
  it('is requested, kept in this tab only, sent, and forgotten', async () => {
    await using mock = await startMock({ apiKey: 'secret' });
    const { page, problems } = await open(mock.url);
    const dialog = page.getByRole('dialog', { name: 'API key' });
    await dialog.filter({ hasText: 'This server requires an API key.' }).waitFor();
    await page.fill('#key', 'wrong');
    await page.keyboard.press('Enter');
    await dialog.filter({ hasText: 'The server rejected this key.' }).waitFor();
    // Nothing on the page says otherwise, and a slip can be put right.
    expect([await page.textContent('#key-label'), await page.textContent('#status')]).toEqual(['API key', '']);
    expect([await page.inputValue('#key'), await page.evaluate('sessionStorage.length')]).toEqual(['wrong', 0]);
    await page.fill('#key', 'secret');
    await page.keyboard.press('Enter');
    await page.locator('#server-text', { hasText: 'mock-model' }).waitFor();
    expect(await page.textContent('#key-label')).toBe('API key set');
    expect(await page.textContent('#status')).toBe('API key accepted.');

    await page.fill('#text', 'Hello.');
    await page.click('#speak');
    await page.locator('#state', { hasText: /Complete|Playing/ }).waitFor();
    expect(
      await page.evaluate('[Object.values(sessionStorage), Object.values(localStorage), document.cookie]'),
    ).toEqual([['secret'], [], '']);
    await page.reload();
    await page.locator('#server-text', { hasText: 'mock-model' }).waitFor();
    const other = await page.context().newPage();
    await other.goto(mock.url);
    await other.getByRole('dialog', { name: 'API key' }).waitFor();

    await page.click('#key-open');
    await page.click('#key-forget');
    await dialog.filter({ hasText: 'This server requires an API key.' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(problems).toEqual([]);
  });
});

describe('an unreachable server', () => {
  it('is reported', async () => {
    const mock = await startMock();
    const { page } = await open(mock.url);
    await mock[Symbol.asyncDispose]();
    await page.fill('#text', 'Hello.');
    await page.click('#speak');
    await page.getByRole('alert').filter({ hasText: 'Cannot reach the server.' }).waitFor();
  });
});
