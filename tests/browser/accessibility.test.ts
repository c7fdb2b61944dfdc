import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startMock } from './mock-server.ts';
import { audit, useBrowser } from './use-browser.ts';

const { open, openClean } = useBrowser();

/** States of the page that a user goes through. */
const states: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  'the start': async () => {},
  'options and audio': async (page) => {
    await page.click('#options summary');
    await page.fill('#text', 'Hello there. [pause:1s]');
    await page.click('#speak');
    await page.locator('#state', { hasText: 'Complete' }).waitFor();
  },
  'read along, and past results': async (page) => {
    await page.click('#along-open');
    await page.locator('.sentence').first().waitFor();
    await page.locator('#results li').first().waitFor();
  },
  'a dialogue': async (page) => {
    await page.selectOption('#input-format', 'script');
    await page.fill('#text', 'Anna: Hello.\nBen: Hi.');
    await page.getByLabel('Ben', { exact: true }).waitFor();
  },
  'an error': async (page) => {
    await page.fill('#text', '');
    await page.click('#speak');
  },
  generating: async (page) => {
    await page.fill('#text', 'Hello there, at length.');
    await page.click('#speak');
    await page.locator('#state', { hasText: 'Generating' }).waitFor();
  },
  'Create voice': async (page) => {
    await page.click('#cancel');
    await page.click('#tab-create');
    await page.setInputFiles('#file', { name: 'anna.wav', mimeType: 'audio/wav', buffer: Buffer.alloc(44) });
  },
  recording: async (page) => {
    await page.check('[value=record]');
    await page.click('#record');
    await page.locator('#record', { hasText: 'Stop' }).waitFor();
  },
  Voices: (page) => page.click('#tab-voices'),
  'the question before deletion': (page) => page.getByRole('button', { name: 'Delete anna' }).click(),
  'the API key': async (page) => {
    await page.keyboard.press('Escape');
    await page.click('#key-open');
  },
};

describe.each(['light', 'dark'] as const)('axe finds nothing in the %s theme', (colorScheme) => {
  it.each([
    ['a desktop', { width: 1280, height: 860 }],
    ['a telephone', { width: 360, height: 740 }],
  ])('on %s', async (_name, viewport) => {
    await using mock = await startMock();
    mock.voices.set('anna', { id: 'anna', prompt_text: 'Hello.', bytes: Buffer.alloc(96_044), preset: false });
    // Without transitions no color is caught half-way.
    const options = { colorScheme, viewport, reducedMotion: 'reduce' } as const;
    const { page } = await openClean(mock.url, options);
    const found: Record<string, readonly string[]> = {};
    for (const [name, enter] of Object.entries(states)) {
      if (name === 'generating') Object.assign(mock.settings, { pieces: 6000, pace: 50 });
      await enter(page);
      found[name] = await audit(page);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
    }
    expect(found).toEqual(Object.fromEntries(Object.keys(states).map((name) => [name, []])));
  });
});

describe('keyboard only', () => {
  it('generates and plays speech, switches tabs, and creates, uses and deletes a voice', async () => {
    // Far longer than a slow machine takes to press Cancel.
    await using mock = await startMock({ pieces: 6000, pace: 50 });
    const { page } = await openClean(mock.url);
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const focused = () => page.evaluate<string>('document.activeElement.id');
    /** Presses Tab until an element has the focus, which must be visible. */
    const reach = async (id: string) => {
      for (let steps = 0; steps < 40; steps++) {
        await press('Tab');
        if ((await focused()) === id) return;
      }
      throw new Error(`#${id} is not within 40 steps of the Tab key, which end at #${await focused()}`);
    };

    await press('Tab', 'Enter');
    expect(await focused()).toBe('main');
    await reach('text');
    await page.keyboard.type('Hello there.');
    await reach('speak');
    await press('Enter');
    await page.locator('#state', { hasText: 'Generating' }).waitFor();
    expect(await focused()).toBe('speak');
    await press('Tab');
    expect(await focused()).toBe('cancel');
    await press('Enter');
    await page.locator('#state', { hasText: 'Canceled' }).waitFor();
    expect(await focused()).toBe('speak');
    Object.assign(mock.settings, { pieces: 300, pace: 0 });
    await press('Enter');
    await page.locator('#state', { hasText: 'Playing' }).waitFor();
    await reach('play');
    await press('Space');
    await page.locator('#state', { hasText: 'Complete' }).waitFor();

    for (let steps = 0; (await focused()) !== 'tab-speak' && steps < 40; steps++) await press('Shift+Tab');
    await press('ArrowRight');
    expect([await focused(), await page.isVisible('#panel-create')]).toEqual(['tab-create', true]);
    await reach('voice-id');
    await page.keyboard.type('me');
    await press('Tab', 'ArrowRight');
    await reach('record');
    await press('Enter');
    await page.locator('#record', { hasText: 'Stop' }).waitFor();
    await page.waitForTimeout(600);
    await press('Enter');
    await page.locator('#preview').waitFor();
    await reach('transcript');
    await page.keyboard.type('Beep.');
    await reach('create');
    await press('Enter');
    await page.locator('#created').waitFor();
    expect(mock.voices.has('me')).toBe(true);
    await press('Enter');
    expect([await focused(), await page.inputValue('#voice')]).toEqual(['text', 'me']);

    for (let steps = 0; (await focused()) !== 'tab-speak' && steps < 40; steps++) await press('Shift+Tab');
    await press('End');
    expect(await focused()).toBe('tab-voices');
    await press('Tab', 'Tab', 'Tab', 'Tab', 'Enter');
    await page.getByRole('dialog').waitFor();
    await press('Tab', 'Enter');
    await page.locator('#status.notice', { hasText: 'Voice “me” deleted.' }).waitFor();
    expect([await focused(), mock.voices.size]).toEqual(['tab-voices', 0]);
  });

  it('shows the focus', async () => {
    await using mock = await startMock();
    const { page } = await open(mock.url);
    const outlines: Record<string, unknown> = {};
    for (let steps = 0; steps < 11; steps++) {
      await page.keyboard.press('Tab');
      const [name, style] = await page.evaluate<[string, string]>(`(() => {
        const { id, outerHTML } = document.activeElement;
        return [id || outerHTML.slice(0, 40), getComputedStyle(document.activeElement).outlineStyle];
      })()`);
      outlines[name] = style;
    }
    expect(Object.keys(outlines).length).toBeGreaterThan(10);
    expect(Object.entries(outlines).filter(([, style]) => style !== 'solid')).toEqual([]);
  });
});

describe('themes', () => {
  it('follow the system until the user chooses one, and remember the choice', async () => {
    await using mock = await startMock();
    const { page } = await open(mock.url, { colorScheme: 'dark' });
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const dark = await background();
    expect(await page.textContent('#theme')).toMatch(/Theme: system/);
    await page.click('#theme');
    const light = await background();
    expect(light).not.toBe(dark);
    await page.reload();
    expect([await page.textContent('#theme-name'), await background()]).toEqual(['light', light]);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.click('#theme');
    expect([await page.textContent('#theme-name'), await background()]).toEqual(['dark', dark]);
  });
});
