import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import axe, { type AxeResults } from 'axe-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { newPage, type OpenPage, openBrowser, openPage } from './launch.ts';

/** One browser for a file of tests. Pages end with the test that opens them, or the last if a hook before all did. */
export function useBrowser() {
  let browser: Browser;
  let lasting: readonly BrowserContext[] = [];
  let clean: (OpenPage & { readonly url: string })[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
  });
  beforeEach(() => {
    lasting = browser.contexts();
  });
  afterEach(() => {
    expect(clean.flatMap(({ problems }) => problems)).toEqual([]);
    const elsewhere = ({ requested, url }: (typeof clean)[number]) =>
      requested.filter((address) => !address.startsWith(url) && !address.startsWith('blob:'));
    expect(clean.flatMap(elsewhere)).toEqual([]);
  });
  afterEach(async () => {
    clean = clean.filter(({ page }) => lasting.includes(page.context()));
    for (const context of browser.contexts()) if (!lasting.includes(context)) await context.close();
  });
  afterAll(() => browser.close());
  return {
    newPage: (options: BrowserContextOptions) => newPage(browser, options),
    open: (url: string, options?: BrowserContextOptions) => openPage(browser, url, options),
    /** A page that by the end of each test has had no problem and has requested nothing of another site. */
    async openClean(url: string, options?: BrowserContextOptions): Promise<OpenPage> {
      const opened = await openPage(browser, url, options);
      clean.push({ ...opened, url });
      return opened;
    },
  };
}

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Violated rules with their elements. */
export async function audit(page: Page): Promise<readonly string[]> {
  // Not as a script of the page, whose policy allows none from elsewhere.
  await page.evaluate(axe.source);
  const results = await page.evaluate<AxeResults>(`axe.run(document, { runOnly: ${JSON.stringify(tags)} })`);
  expect(results.passes.length).toBeGreaterThan(15);
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
