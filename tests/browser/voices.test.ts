import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { decodeWav } from '../../src/audio/decode/wav.ts';
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';
import { type Mock, startMock } from './mock-server.ts';
import { useBrowser } from './use-browser.ts';

const { openClean } = useBrowser();
let mock: Mock;
let page: Page;

const wave = Buffer.from(encodeWav(new Float32Array(48_000).fill(0.25), 48_000));
const file = { name: 'anna.wav', mimeType: 'audio/wav', buffer: wave };

beforeEach(async () => {
  mock = await startMock();
  mock.voices.set('house', { id: 'house', prompt_text: 'Of the house.', bytes: wave, preset: true });
  ({ page } = await openClean(mock.url));
  await page.click('#tab-create');
});
afterEach(async () => mock[Symbol.asyncDispose]());

const alert = async (): Promise<string> => (await page.locator('#alert').textContent()) ?? '';
const focused = () => page.evaluate('document.activeElement.id');

/** Playwright's own waiting needs `eval` in the page, which the page's policy forbids. */
async function holds(condition: string): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await page.evaluate(condition))) {
    if (Date.now() > end) throw new Error(`not true within 20 seconds: ${condition}`);
    await page.waitForTimeout(10);
  }
}

async function create(name: string): Promise<void> {
  await page.fill('#voice-id', name);
  await page.fill('#transcript', 'What Anna says.');
  await page.click('#create');
}

describe('Create voice', () => {
  it('uploads a file as it is, and speaks with the voice', async () => {
    await page.setInputFiles('#file', file);
    expect(await page.textContent('#drop-text')).toBe('anna.wav');
    expect(await page.isVisible('#preview')).toBe(true);
    await create('anna');
    await page.locator('#created', { hasText: '“anna” is ready. The prompt audio is quiet.' }).waitFor();
    expect(mock.voices.get('anna')?.prompt_text).toBe('What Anna says.');
    expect(mock.voices.get('anna')?.bytes.equals(wave)).toBe(true);
    expect(await focused()).toBe('created-use');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('text');
    await page.keyboard.type('Hello.');
    await page.keyboard.press('Control+Enter');
    await page.locator('#state', { hasText: /Complete|Playing/ }).waitFor();
    expect(mock.speeches[0]?.body).toMatchObject({ voice: 'anna', input: 'Hello.' });
  });

  it('has the noise removed if wanted, of one voice', async () => {
    for (const name of ['anna', 'ben']) {
      await page.setInputFiles('#file', file);
      if (name === 'anna') await page.check('#denoise');
      await create(name);
      await page.locator('#created', { hasText: `“${name}” is ready.` }).waitFor();
    }
    expect(['anna', 'ben'].map((name) => mock.voices.get(name)?.denoise)).toEqual(['true', undefined]);
  });

  it('accepts a dropped file', async () => {
    const transfer = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['RIFF'], 'dropped.wav', { type: 'audio/wav' }));
      return transfer;
    })()`);
    await page.dispatchEvent('#drop', 'drop', { dataTransfer: transfer });
    expect(await page.textContent('#drop-text')).toBe('dropped.wav');
  });

  it('records a WAV file', async () => {
    await page.check('[value=record]');
    await page.click('#record');
    await holds(`document.getElementById('level').value > 0.05`);
    await holds(`document.getElementById('record-time').textContent >= '0:01.5'`);
    await page.click('#record');
    await page.locator('#preview').waitFor();
    await create('me');
    await page.locator('#created').waitFor();
    const { samples, sampleRate } = decodeWav(mock.voices.get('me')?.bytes ?? Buffer.alloc(0));
    expect(sampleRate).toBe(48_000);
    expect(samples.length / sampleRate).toBeGreaterThan(1);
    expect(samples.length / sampleRate).toBeLessThan(4);
    expect(samples.reduce((loudest, sample) => Math.max(loudest, Math.abs(sample)), 0)).toBeGreaterThan(0.05);
  });

  it('asks for missing fields one by one', async () => {
    await page.click('#create');
    expect([await alert(), await focused()]).toEqual(['Enter a name for the voice.', 'voice-id']);
    await page.fill('#voice-id', 'anna');
    await page.click('#create');
    expect([await alert(), await focused()]).toEqual(['Add a recording of the voice.', 'file']);
    await page.setInputFiles('#file', file);
    await page.click('#create');
    await page.getByRole('alert').filter({ hasText: 'Enter the transcript of the recording.' }).waitFor();
    expect(await focused()).toBe('transcript');
  });

  it('needs no transcript if the server needs none', async () => {
    mock.settings.needsTranscript = false;
    await page.fill('#voice-id', 'anna');
    await page.setInputFiles('#file', file);
    await page.click('#create');
    await page.locator('#created').waitFor();
    expect(mock.voices.get('anna')?.prompt_text).toBeNull();
  });

  it('shows the quality of a recording before it is sent', async () => {
    await page.setInputFiles('#file', file);
    const quality = page.locator('#audio-quality');
    await quality.waitFor();
    expect(await quality.textContent()).toBe('1.0 s, speech -12 dB');
    const quiet = Buffer.from(encodeWav(new Float32Array(48_000).fill(0.006), 48_000));
    await page.setInputFiles('#file', { ...file, buffer: quiet });
    await page.locator('#audio-quality', { hasText: 'the recording is quiet (-44 dB)' }).waitFor();
    // A format that the browser can't read.
    await page.setInputFiles('#file', { ...file, name: 'anna.caf', buffer: Buffer.from('caff') });
    await quality.waitFor({ state: 'hidden' });
  });

  it('keeps the form when the server refuses', async () => {
    await page.setInputFiles('#file', file);
    await create('house');
    await page.getByRole('alert').filter({ hasText: 'already exists' }).waitFor();
    expect(await page.inputValue('#transcript')).toBe('What Anna says.');
    expect(await page.textContent('#drop-text')).toBe('anna.wav');
  });
});

describe('without a microphone', () => {
  it('explains it and suggests a file', async () => {
    await page.evaluate(`navigator.mediaDevices.getUserMedia = () =>
      Promise.reject(new DOMException('', 'NotAllowedError'))`);
    await page.check('[value=record]');
    await page.click('#record');
    await page.getByRole('alert').filter({ hasText: 'Microphone access was denied.' }).waitFor();
    expect(await page.textContent('#record')).toBe('Start recording');
  });
});

describe('Voices', () => {
  beforeEach(async () => {
    for (const id of ['anna', '声音']) mock.voices.set(id, { id, prompt_text: 'Hello.', bytes: wave, preset: false });
    await page.click('#tab-voices');
    await page.click('#refresh');
    await page.getByRole('heading', { name: 'anna' }).waitFor();
  });

  it('lists them, and cannot delete those included with svc', async () => {
    expect(await page.locator('#voices h3').allTextContents()).toEqual(['house', 'anna', '声音']);
    expect(await page.textContent('#voice-count')).toBe('3');
    expect(await page.getByRole('button', { name: 'Delete house' }).count()).toBe(0);
  });

  it('plays their recordings one at a time, also by keyboard', async () => {
    const long = Buffer.from(encodeWav(new Float32Array(480_000).fill(0.01), 48_000));
    for (const id of ['anna', '声音']) mock.voices.set(id, { id, prompt_text: 'Hello.', bytes: long, preset: false });
    await page.getByRole('button', { name: 'Play anna' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Stop anna' }).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Stop');
    await page.getByRole('button', { name: 'Play 声音' }).click();
    await page.getByRole('button', { name: 'Stop 声音' }).waitFor();
    expect(await page.getByRole('button', { name: /^Stop/ }).count()).toBe(1);
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Play 声音' }).waitFor();
    // A second of audio ends by itself.
    await page.getByRole('button', { name: 'Play house' }).click();
    await page.getByRole('button', { name: 'Stop house' }).waitFor();
    await page.getByRole('button', { name: 'Play house' }).waitFor();
    mock.voices.delete('anna');
    await page.getByRole('button', { name: 'Play anna' }).click();
    await page.getByRole('alert').filter({ hasText: 'unknown voice "anna"' }).waitFor();
    expect(await page.getByRole('button', { name: /^Stop/ }).count()).toBe(0);
  });

  it('uses a voice', async () => {
    await page.getByRole('button', { name: 'Use 声音' }).click();
    expect(await page.inputValue('#voice')).toBe('声音');
    expect(await page.getAttribute('#tab-speak', 'aria-selected')).toBe('true');
  });

  it('deletes a voice after confirmation, with Cancel as the default', async () => {
    await page.selectOption('#voice', '声音', { force: true });
    await page.getByRole('button', { name: 'Delete 声音' }).click();
    await page.getByRole('dialog', { name: 'Delete voice?' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(mock.voices.has('声音')).toBe(true);
    await page.getByRole('button', { name: 'Delete 声音' }).click();
    await page.keyboard.press('Escape');
    expect(mock.voices.has('声音')).toBe(true);
    await page.getByRole('button', { name: 'Delete 声音' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.locator('#status.notice', { hasText: 'Voice “声音” deleted.' }).waitFor();
    expect(mock.voices.has('声音')).toBe(false);
    await holds(`document.getElementById('voice-count').textContent === '2'`);
    expect(await page.inputValue('#voice')).toBe('');
  });

  it('leads to Create voice when there are none', async () => {
    mock.voices.clear();
    await page.click('#refresh');
    await page.click('#first-voice');
    expect(await focused()).toBe('voice-id');
  });
});
