import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { decodeWav } from '../../src/audio/decode/wav.ts';
import { remoteName } from './launch.ts';
import { type Mock, startMock } from './mock-server.ts';
import { useBrowser } from './use-browser.ts';

const { open, openClean } = useBrowser();
let mock: Mock;
let page: Page;

beforeEach(async () => {
  mock = await startMock();
  ({ page } = await openClean(mock.url));
  await page.fill('#text', 'Hello there.');
});
afterEach(async () => mock[Symbol.asyncDispose]());

const textOf = async (id: string): Promise<string> => (await page.locator(`#${id}`).textContent()) ?? '';
const speak = async (end = 'Complete'): Promise<void> => {
  await page.click('#speak');
  await stateIs(end);
};
/** Seconds. */
const position = async (): Promise<number> => Number((await textOf('position')).split(':')[1]);
const stateIs = (state: string) => page.locator('#state', { hasText: new RegExp(`^${state}$`) }).waitFor();
const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  const end = Date.now() + 600_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`not true within ten minutes: ${condition}`);
    await page.waitForTimeout(20);
  }
};

async function download(format: string): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  await page.selectOption('#format', format);
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('#download')]);
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}

describe('generating speech', () => {
  it('plays while generating', async () => {
    Object.assign(mock.settings, { pieces: 6000, pace: 60 });
    await page.click('#speak');
    await until(async () => (await position()) > 0.5);
    expect(mock.streams).toEqual({ open: 1, complete: 0, abandoned: 0 });
    expect(await textOf('state')).toBe('Generating…');
    expect(await page.getAttribute('#play', 'aria-label')).toBe('Pause');
    await page.click('#cancel');
  });

  it('shows time to first audio, RTF, duration, rate and seed', async () => {
    mock.settings.pace = 50;
    await speak();
    expect(await textOf('stat-first')).toMatch(/^\d+ ms$/);
    expect(Number.parseInt(await textOf('stat-first'), 10)).toBeGreaterThanOrEqual(50);
    expect(Number(await textOf('stat-rtf'))).toBeGreaterThan(0.4);
    expect(await textOf('duration')).toBe('0:01.0');
    expect(await textOf('stat-rate')).toBe('16 kHz');
    expect(await textOf('stat-seed')).toBe(String(mock.speeches[0]?.body.seed));
    expect(await textOf('status')).toMatch(/^Complete: 1\.0 seconds of audio, the first after \d\.\d seconds\.$/);
  });

  it('sends changed settings only', async () => {
    await speak();
    await page.click('#options summary');
    await page.fill('#cfg', '3.5');
    await page.fill('#timesteps', '4');
    await page.fill('#speed', '1.5');
    await page.selectOption('#language', { label: 'German' });
    await page.fill('#seed', '42');
    expect(await textOf('options-note')).toBe('guidance 3.5, steps 4, speed 1.5, language: German, seed 42');
    await page.click('#speak');
    await until(() => mock.speeches.length === 2);
    const [seed, id] = [expect.any(Number), expect.any(String)];
    const path = '/v1/audio/speech';
    const common = { model: 'mock-model', input: 'Hello there.', response_format: 'wav', stream_format: 'sse' };
    const options = { cfg_value: 3.5, inference_timesteps: 4, language: 'de', speed: 1.5, seed: 42 };
    expect(mock.speeches).toEqual([
      { path, id, body: { ...common, seed } },
      { path, id, body: { ...common, ...options } },
    ]);
  });

  it('sends the format of the text, and hints at tags', async () => {
    const note = () => textOf('input-format-note');
    expect(await note()).toContain('SSML is recognized');
    await page.fill('#text', 'One. [pause:1s] Two.');
    expect(await note()).toContain('Your text has tags');
    await page.selectOption('#input-format', { label: 'Text with tags' });
    expect(await note()).toContain('[voice:anna]');
    await page.click('#speak');
    await until(() => mock.speeches.length === 1);
    expect(mock.speeches[0]?.body).toMatchObject({ input: 'One. [pause:1s] Two.', input_format: 'script' });
  });

  it('shows the text as spoken, again when it changes', async () => {
    await page.fill('#text', 'It costs 5 😀');
    await page.click('#spoken summary');
    const shown = (text: RegExp) => page.locator('#spoken-list', { hasText: text }).waitFor();
    await shown(/English, detectedIt costs fiveWritten: It costs 5 😀Left out: 😀/);
    await page.click('#options summary');
    await page.selectOption('#language', 'de');
    await shown(/German, as chosenIt costs fünf/);
    expect(mock.speeches.map(({ path, body }) => [path, body.seed])).toEqual(
      mock.speeches.map(() => ['/v1/audio/speech/text', undefined]),
    );
    mock.settings.refusal = { status: 400, message: 'language is wrong' };
    await page.selectOption('#language', 'fr');
    await page.locator('#spoken-status', { hasText: 'language is wrong' }).waitFor();
    await page.fill('#text', ' ');
    await page.locator('#spoken-status', { hasText: 'Enter a text first.' }).waitFor();
    expect([await textOf('alert'), await textOf('spoken-list')]).toEqual(['', '']);
  });

  it('replays, pauses and seeks', async () => {
    await speak();
    await until(async () => (await position()) === 1);
    await page.click('#play');
    await until(async () => (await position()) < 0.9);
    await page.click('#play');
    await page.focus('#seek');
    await page.keyboard.press('End');
    await until(async () => (await position()) === 1);
    expect(await page.getAttribute('#seek', 'aria-valuetext')).toBe('1.0 of 1.0 seconds');
  });

  it('draws the waveform', async () => {
    const pixels = () =>
      page.evaluate<number[]>(`(() => {
        const canvas = document.getElementById('canvas');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return [...new Set(Array.from({ length: data.length / 4 }, (_, at) => data[at * 4 + 3]))];
      })()`);
    await speak();
    expect((await pixels()).length).toBeGreaterThan(1);
  });

  it('is reproducible by its seed', async () => {
    await page.click('#speak');
    await page.click('#seed-reuse');
    const seed = await textOf('stat-seed');
    expect(await page.inputValue('#seed')).toBe(seed);
    await page.click('#speak');
    await until(() => mock.speeches.length === 2);
    expect(mock.speeches[1]?.body.seed).toBe(Number(seed));
  });
});

describe('download', () => {
  it('offers WAV and PCM without a request to the server', async () => {
    await page.click('#options summary');
    await page.fill('#seed', '5');
    await speak();
    const wave = await download('wav');
    expect(wave.name).toBe('speech-5.wav');
    const { samples, sampleRate } = decodeWav(wave.bytes);
    expect([samples.length, sampleRate]).toEqual([16_000, 16_000]);
    const pcm = await download('pcm');
    expect(pcm.bytes.equals(wave.bytes.subarray(44))).toBe(true);
    expect(mock.speeches).toHaveLength(1);
  });

  it('requests other formats from the server with the same seed', async () => {
    await speak();
    const { name, bytes } = await download('mp3');
    const seed = mock.speeches[0]?.body.seed;
    expect([name, bytes.toString()]).toEqual([`speech-${seed}.mp3`, 'encoded audio']);
    expect(mock.speeches[1]).toMatchObject({ path: '/v1/audio/speech', body: { seed, response_format: 'mp3' } });
  });

  it('makes captions from the timestamps of the same speech', async () => {
    await speak();
    const { name, bytes } = await download('srt');
    const seed = mock.speeches[0]?.body.seed;
    expect(name).toBe(`speech-${seed}.srt`);
    expect(bytes.toString()).toBe(
      '1\n00:00:00,100 --> 00:00:00,900\nHello there.\n\n2\n00:00:01,200 --> 00:00:02,000\nBye.\n',
    );
    expect(mock.speeches[1]).toMatchObject({
      path: '/v1/audio/speech',
      body: { seed, stream_format: 'json', timestamps: 'word', retry_badcase: false },
    });
    expect((await download('vtt')).bytes.toString()).toContain('Hello <00:00:00.400><c>there.</c>');
  });
});

describe('cancel', () => {
  it.each(['the button', 'Escape'])('stops the stream here and on the server, with %s', async (by) => {
    Object.assign(mock.settings, { pieces: 6000, pace: 50 });
    await page.click('#speak');
    await until(async () => (await position()) > 0.2);
    if (by === 'Escape') await page.keyboard.press('Escape');
    else await page.click('#cancel');
    await stateIs('Canceled');
    await until(() => mock.streams.abandoned === 1 && mock.cancelled.length === 1);
    expect(mock.cancelled).toEqual([{ job_id: mock.speeches[0]?.id }]);
    expect(mock.speeches[0]?.id).toMatch(/^playground-[\d-]{8,}$/);
    expect(await page.isDisabled('#cancel')).toBe(true);
    expect(await textOf('alert')).toBe('');
    const heard = await position();
    await page.waitForTimeout(300);
    expect(await position()).toBe(heard);
    // Audio received so far can still be downloaded.
    const { bytes } = await download('wav');
    expect(bytes.length).toBeGreaterThan(44 + 0.2 * 32_000);
    expect(await page.isDisabled('#format option[value=mp3]')).toBe(true);
  });

  it('works before the first audio', async () => {
    mock.settings.pace = 30_000;
    await page.click('#speak');
    await stateIs('Waiting for audio…');
    await page.click('#cancel');
    await stateIs('Canceled');
    await until(() => mock.cancelled.length === 1);
  });
});

describe('errors', () => {
  it('are said as the server says them', async () => {
    mock.settings.refusal = { status: 503, message: 'the queue is full (8 of 8)', retryAfter: 4 };
    await page.click('#speak');
    await page.getByRole('alert').filter({ hasText: 'the queue is full' }).waitFor();
    expect(await textOf('alert')).toBe('the queue is full (8 of 8) (try again in 4 s)');
    expect(await textOf('state')).toBe('Failed');
    delete mock.settings.refusal;
    await speak();
    expect(await textOf('alert')).toBe('');
  });

  it('report an interrupted stream, and keep its audio', async () => {
    // A page that has not read the beginning loses it with the connection.
    const isHeard = () => until(async () => (await textOf('stat-first')).endsWith(' ms'));
    mock.settings.breakAfter = { pieces: 5, when: isHeard };
    await speak('Incomplete');
    expect(await textOf('alert')).toBe('The connection was lost before the speech was complete. Try again.');
    expect((await download('wav')).bytes.length).toBeGreaterThan(44);
  });

  it('include a missing text, without a request to the server', async () => {
    await page.fill('#text', ' ');
    await page.click('#speak');
    expect(await textOf('alert')).toBe('Enter the text to speak.');
    expect(await page.getAttribute('#text', 'aria-invalid')).toBe('true');
    expect(await page.evaluate('document.activeElement.id')).toBe('text');
    expect(mock.speeches).toEqual([]);
  });

  it.each(['-1', '4294967296', '1e3', 'abc'])('include the invalid seed %s', async (seed) => {
    await page.click('#options summary');
    await page.fill('#seed', seed);
    await page.click('#speak');
    expect(await textOf('alert')).toBe('The seed must be a whole number from 0 to 4294967295.');
    expect(mock.speeches).toEqual([]);
  });
});

describe('what the page says', () => {
  const markedFields = () => page.$$eval('[aria-invalid]', (fields) => fields.map(({ id }) => id));

  it('is that speech was silent', async () => {
    await speak();
    expect(await page.isVisible('#warnings')).toBe(false);
    mock.settings.silent = true;
    await page.click('#speak');
    await page.locator('#warnings', { hasText: 'the speech is silent' }).waitFor();
    // The server knows more.
    mock.settings.warnings = ['the speech is silent after 3 attempts'];
    await page.click('#speak');
    await page.locator('#warnings', { hasText: /^Note: the speech is silent after 3 attempts\.$/ }).waitFor();
  });

  it('is what the server finds at the end, and why it stops', async () => {
    mock.settings.warnings = ['a part of the speech is clipped', 'another'];
    await speak();
    expect(await textOf('warnings')).toBe('Note: a part of the speech is clipped. Note: another.');
    mock.settings.failure = 'the server is shutting down; retry later';
    await speak('Incomplete');
    expect(await textOf('alert')).toBe('the server is shutting down; retry later');
  });

  it('is about the field at fault alone, until it is corrected', async () => {
    await page.fill('#text', '');
    await page.click('#speak');
    expect(await markedFields()).toEqual(['text']);
    await page.fill('#text', 'Hello.');
    expect([await textOf('alert'), await markedFields()]).toEqual(['', []]);
    for (const [param, id] of [
      ['voice', 'voice'],
      ['input', 'text'],
      ['seed', 'seed'],
    ] as const) {
      mock.settings.refusal = { status: 400, message: `${param} is wrong`, param };
      await page.click('#speak');
      await page.locator('#alert', { hasText: `${param} is wrong` }).waitFor();
      expect(await markedFields()).toEqual([id]);
    }
  });

  it('fits 320 px, with the voice before the format', async () => {
    await page.setViewportSize({ width: 320, height: 800 });
    await page.click('#options summary');
    await speak();
    const offset = (id: string) => page.$eval(id, (field) => field.getBoundingClientRect().top);
    expect(await offset('#voice')).toBeLessThan(await offset('#input-format'));
    for (const tab of ['speak', 'create', 'voices']) {
      await page.click(`#tab-${tab}`);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    }
  });
});

describe('playback on the server', () => {
  it("shows the server's message", async () => {
    await page.click('#server-play');
    await page.locator('#status.notice', { hasText: 'Played 1.0 seconds of audio on the server.' }).waitFor();
    expect(mock.speeches[0]?.path).toBe('/v1/audio/speech/playback');
  });
});

describe('plain HTTP from another machine', () => {
  it('plays without worklets, which need HTTPS, and explains why it cannot record', async () => {
    Object.assign(mock.settings, { pieces: 6000, pace: 60 });
    const { page: remote, problems } = await open(mock.url.replace('127.0.0.1', remoteName));
    expect(await remote.evaluate('isSecureContext || "audioWorklet" in new AudioContext()')).toBe(false);
    await remote.fill('#text', 'Hello there.');
    await remote.click('#speak');
    await until(async () => (await remote.textContent('#position')) !== '0:00.0');
    expect(mock.streams).toEqual({ open: 1, complete: 0, abandoned: 0 });
    await remote.click('#cancel');
    await remote.click('#tab-create');
    await remote.check('[value=record]');
    await remote.click('#record');
    await remote.getByRole('alert').filter({ hasText: 'Recording needs HTTPS or localhost.' }).waitFor();
    expect(problems).toEqual([]);
  });
});

describe('the page', () => {
  it.each([
    [true, true],
    [null, true],
    [undefined, true],
    [false, false],
  ])('offers playback on the server if it has an audio output: %s', async (playback, isOffered) => {
    await using server = await startMock({ ...(playback === undefined ? {} : { playback }) });
    const { page: other } = await open(server.url);
    expect(await other.isVisible('#server-play')).toBe(isOffered);
  });

  it.each([320, 375, 768, 1280])(
    'has a header that fits into %s pixels, with the links and a long name',
    async (width) => {
      await using server = await startMock({ model: 'a-model-with-a-rather-long-name-q8_0' });
      const { page: other } = await open(server.url, { viewport: { width, height: 800 } });
      expect(await other.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      for (const name of ['API reference', 'Run in this browser']) {
        const box = await other.getByRole('link', { name }).boundingBox();
        expect([name, box && box.x >= 0 && box.x + box.width <= width]).toEqual([name, true]);
      }
      // In one row with the title, even on small screens.
      const [title, tools] = await Promise.all([
        other.locator('.brand').boundingBox(),
        other.locator('.tools').boundingBox(),
      ]);
      expect(
        Math.abs((title?.y ?? 0) + (title?.height ?? 0) / 2 - (tools?.y ?? 99) - (tools?.height ?? 0) / 2),
      ).toBeLessThan(8);
    },
  );
});

describe('the choice of the model', () => {
  it('is not offered where there is a single one', async () => {
    expect(await page.isVisible('#model')).toBe(false);
    await speak();
    expect(mock.speeches[0]?.body.model).toBe('mock-model');
  });

  it('goes into the request', async () => {
    await using several = await startMock({ model: 'small', models: ['small', 'large'] });
    const { page: other } = await open(several.url);
    await other.locator('#server[data-state=ready]').waitFor();
    expect(await other.locator('#model option').allTextContents()).toEqual(['small', 'large']);
    expect(await other.locator('#server-text').textContent()).toBe('small, large');
    await other.fill('#text', 'Hello there.');
    await other.selectOption('#model', 'large');
    await other.click('#speak');
    await other.locator('#state', { hasText: 'Complete' }).waitFor();
    expect(several.speeches[0]?.body).toMatchObject({ model: 'large', input: 'Hello there.' });
  });
});
