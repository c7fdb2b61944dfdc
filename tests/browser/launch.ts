/** Starts Debian's Chromium with a beeping microphone, a fresh profile and no background requests. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** A name of this machine that browsers don't trust, like any other plain HTTP address. */
export const remoteName = 'playground.test';

/** `software`: WebGPU on the CPU, with Chromium's own driver. */
const graphics = {
  none: ['--disable-gpu'],
  software: [
    '--enable-unsafe-webgpu',
    '--use-webgpu-adapter=swiftshader',
    '--enable-features=Vulkan',
    '--ignore-gpu-blocklist',
  ],
} as const;

export const openBrowser = (driver: keyof typeof graphics = 'none'): Promise<Browser> =>
  chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      ...['--headless', '--no-sandbox', ...graphics[driver], '--disable-quic', '--no-first-run', '--disable-sync'],
      ...['--disable-background-networking', '--disable-component-update'],
      ...['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
      `--host-resolver-rules=MAP ${remoteName} 127.0.0.1`,
      '--autoplay-policy=no-user-gesture-required',
    ],
  });

export interface OpenPage {
  readonly page: Page;
  /** Requested URLs, including those of other origins. */
  readonly requested: readonly string[];
  /** Errors of scripts, of the security policy and of failed requests. */
  readonly problems: readonly string[];
}

/** An empty page of its own context: nothing is stored, nothing shared. */
export async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 860 }, ...options });
  // A guard against hanging: machines may be slow.
  context.setDefaultTimeout(600_000);
  const page = await context.newPage();
  const requested: string[] = [];
  const problems: string[] = [];
  context.on('request', (request) => requested.push(request.url()));
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // Chromium logs each status of 400 and above; tests check those themselves.
    const expected = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !expected) problems.push(message.text());
  });
  return { page, requested, problems };
}

/** The playground, or the page that runs in the browser, once it knows its server or its models. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const opened = await newPage(browser, options);
  await opened.page.goto(url);
  await opened.page.locator('#server[data-state]').waitFor();
  return opened;
}
