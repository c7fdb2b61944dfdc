/** The local page as `svc serve` has it, and as a static build. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { exportGguf } from '../../../export/export-gguf.ts';
import { exportOnnx } from '../../../export/onnx/export-onnx.ts';
import { modelPrecisions } from '../../../export/onnx/precision.ts';
import { readAudioFile } from '../../../src/audio/decode/read-audio.ts';
import { decodeWav } from '../../../src/audio/decode/wav.ts';
import { openNativeBackend } from '../../../src/engine/backends/native/native.ts';
import { createEngineFromBackend, type Engine } from '../../../src/engine/engine.ts';
import type { SynthesisRequest } from '../../../src/engine/request.ts';
import { presets } from '../../presets.ts';
import { largestDifference } from '../../support/largest-difference.ts';
import { sharedFolder } from '../../support/test-folder.ts';
import type { OpenPage } from '../launch.ts';
import { type Service, startService } from '../start-service.ts';
import { audit, useBrowser } from '../use-browser.ts';
import { serveFolder } from './serve-folder.ts';

const prompt = join(process.cwd(), 'tests', 'fixtures', 'tiny-v1', 'prompt_b.wav');

const { openClean } = useBrowser();
let page: Page;
let requested: OpenPage['requested'];
let service: Service;
/** The demo model in float32, as the server's own engine runs it. */
let engine: Engine;

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await engine.close();
});
const folder = sharedFolder();
beforeAll(async () => {
  const path = join(folder, 'demo.gguf');
  const checkpoint = join(process.cwd(), 'models', 'demo.gguf');
  await exportGguf({ checkpoint, output: path, type: 'f32' });
  const local = join(folder, 'demo');
  await exportOnnx({ checkpoint, output: local, types: modelPrecisions.f32 });
  engine = createEngineFromBackend(await openNativeBackend(path, { backend: 'cpu', threads: 1 }), { maxBatch: 1 });
  service = await startService('--api-key', 'secret', '--model-path', path, '--local-model', local);
  ({ page, requested } = await openClean(`${service.url}local/`, { reducedMotion: 'reduce' }));
});

const textOf = async (id: string): Promise<string> => (await page.locator(`#${id}`).textContent()) ?? '';
const finished = () => page.locator('#wave:is([data-state=complete], [data-state=failed])').waitFor();

async function speak(text: string): Promise<void> {
  await page.fill('#text', text);
  await page.fill('#seed', '7');
  await page.click('#speak');
  // The previous result disappears when the new speech begins, after the model is loaded.
  await page.locator('#wave:is([data-state=waiting], [data-state=generating])').waitFor();
}

async function download(from = page): Promise<Float32Array> {
  const [file] = await Promise.all([from.waitForEvent('download'), from.click('#download')]);
  return decodeWav(await readFile(await file.path())).samples;
}

/** Audio of an engine for the same request. */
async function streamed(request: SynthesisRequest, by = engine): Promise<Float32Array> {
  const samples: number[] = [];
  for await (const chunk of by.stream({ seed: 7, ...request })) samples.push(...chunk.samples);
  return Float32Array.from(samples);
}

/** Speaks, and compares the audio with that of others for the same request. */
async function speaksLike(text: string, ...others: readonly (() => Promise<Float32Array>)[]): Promise<void> {
  await speak(text);
  await finished();
  expect(await textOf('alert')).toBe('');
  const actual = await download();
  for (const other of others) expectAlike(actual, await other());
}

function expectAlike(actual: Float32Array, expected: Float32Array): void {
  expect(actual).toHaveLength(expected.length);
  expect(largestDifference(actual, expected)).toBeLessThan(1e-3);
}

const authorization = { authorization: 'Bearer secret' };

/** The server's WAV for the same request. */
async function fetched(body: object): Promise<Float32Array> {
  const response = await fetch(`${service.url}v1/audio/speech`, {
    method: 'POST',
    headers: { ...authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ seed: 7, response_format: 'wav', ...body }),
  });
  expect(response.status).toBe(200);
  return decodeWav(Buffer.from(await response.arrayBuffer())).samples;
}

async function addVoice(id: string, text: string): Promise<void> {
  const form = new FormData();
  form.set('id', id);
  form.set('text', text);
  form.set('audio', new Blob([await readFile(prompt)]), 'prompt.wav');
  const { status } = await fetch(`${service.url}v1/voices`, { method: 'POST', headers: authorization, body: form });
  expect(status).toBe(201);
}

describe('the page of svc serve', () => {
  it('is cross-origin isolated for WebAssembly threads and needs no key', async () => {
    expect(await page.evaluate('crossOriginIsolated')).toBe(true);
    expect(await page.locator('#model option').allTextContents()).toEqual(['demo', 'Other…']);
    expect(await page.getAttribute('#playground', 'href')).toBe('../');
  });

  it('asks for a text first', async () => {
    await page.click('#speak');
    expect(await textOf('alert')).toBe('Enter the text to speak.');
    expect(await page.evaluate('document.activeElement.id')).toBe('text');
  });

  it('generates the same audio as the server', async () => {
    await page.click('#options summary');
    const text = 'Hello from your own machine. The birds were singing.';
    await speaksLike(
      text,
      () => streamed({ text }),
      () => fetched({ input: text }),
    );
    expect(await textOf('server-text')).toMatch(/^demo on WebAssembly, \d+ threads?$/);
    expect(Number(await textOf('stat-rtf'))).toBeGreaterThan(0);
  });

  it('reads scripts like the server', async () => {
    const text = '<speak>Hello. <break time="700ms"/> <prosody rate="slow">The birds were singing.</prosody></speak>';
    await page.selectOption('#input-format', 'ssml');
    await speaksLike(text, () => fetched({ input: text, input_format: 'ssml' }));
    // Refused so soon that no stage before may be seen.
    await page.fill('#text', '<speak>Hello.');
    await page.click('#speak');
    await page.locator('#alert', { hasText: 'the SSML is not valid at line 1' }).waitFor();
    await page.selectOption('#input-format', 'auto');
  });

  it('keeps the model, and does not ask for it again', async () => {
    await page.locator('#cached', { hasText: '78 MB cached in this browser' }).waitFor();
    const before = requested.length;
    await page.reload();
    await page.locator('#server[data-state]').waitFor();
    await page.click('#load');
    await page.locator('#server[data-state=ready]').waitFor();
    expect(requested.slice(before).filter((url) => url.includes('.onnx') && !url.endsWith('svc-onnx.json'))).toEqual(
      [],
    );
  });

  it('clones a voice like the server', async () => {
    await page.click('#options summary');
    await page.click('#voice summary');
    await page.setInputFiles('#file', prompt);
    await page.fill('#text', 'Hello.');
    await page.click('#speak');
    expect(await textOf('alert')).toBe('Enter the transcript of the recording.');
    await page.fill('#transcript', 'Thank you.');
    await addVoice('prompt', 'Thank you.');
    const promptAudio = await readAudioFile(prompt);
    await speaksLike(
      'Hello.',
      () => streamed({ text: 'Hello.', promptAudio, promptText: 'Thank you.' }),
      () => fetched({ input: 'Hello.', voice: 'prompt' }),
    );
    await page.click('#voice-remove');
  });

  it('offers the voices that come with svc', async () => {
    const names = await page.locator('#preset option').allTextContents();
    expect(names).toEqual(['A recording of your own', ...presets]);
    await page.selectOption('#preset', 'george');
    await page.locator('#voice-note', { hasText: 'george.wav' }).waitFor();
    expect(await page.inputValue('#transcript')).toBe((await readFile('models/voices/george.txt', 'utf8')).trim());
    await speaksLike('Hello.', () => fetched({ input: 'Hello.', voice: 'george' }));
    await page.setInputFiles('#file', prompt);
    expect([await page.inputValue('#preset'), await page.inputValue('#transcript')]).toEqual(['', '']);
    await page.click('#voice-remove');
  });

  it('accepts files that browsers decode, and the microphone', async () => {
    await page.setInputFiles('#file', join(process.cwd(), 'tests', 'fixtures', 'audio', 'stereo.mp3'));
    await page.fill('#transcript', 'Thank you.');
    await speaksLike('Hello.');
    await page.check('[value=record]');
    await page.click('#record');
    await page.locator('#record-time', { hasText: /^0:02/ }).waitFor();
    await page.click('#record');
    await page.locator('#preview').waitFor();
    expect(await textOf('voice-note')).toBe('recording.wav');
    await speaksLike('Hello.');
    await page.check('[value=upload]');
    await page.fill('#transcript', '');
  });

  it('reports files that it cannot decode', async () => {
    await page.setInputFiles('#file', { name: 'noise.mp3', mimeType: 'audio/mpeg', buffer: Buffer.from('no audio') });
    await page.fill('#transcript', 'Nothing.');
    await page.click('#speak');
    await page.getByRole('alert').filter({ hasText: 'This browser cannot decode noise.mp3.' }).waitFor();
    await page.click('#voice-remove');
  });

  it('plays while generating, and stops on request', async () => {
    await speak('The quick brown fox jumps over the lazy dog. '.repeat(8));
    await page.locator('#position', { hasText: /^0:0[1-9]/ }).waitFor();
    expect(await textOf('state')).toMatch(/^Generating/);
    await page.keyboard.press('Escape');
    await page.locator('#state', { hasText: 'Canceled' }).waitFor();
    expect(await textOf('server-text')).toMatch(/^demo on/);
  });

  it('deletes cached data', async () => {
    await page.click('#clear');
    await page.locator('#status.notice', { hasText: 'deleted' }).waitFor();
    expect(await page.evaluate('caches.keys()')).toEqual([]);
    expect(await page.isVisible('#clear')).toBe(false);
  });

  it('reports what it cannot load', async () => {
    await page.selectOption('#model', 'other');
    await page.fill('#address', 'models/nothing/');
    await page.click('#load');
    await page.getByRole('alert').filter({ hasText: 'no model file at' }).waitFor();
    await page.fill('#address', 'https://example.org/model/');
    await page.click('#load');
    await page.getByRole('alert').filter({ hasText: 'on the same site' }).waitFor();
    await page.selectOption('#device', 'webgpu');
    await page.selectOption('#model', { index: 0 });
    await page.click('#load');
    await page.getByRole('alert').filter({ hasText: 'choose WebAssembly' }).waitFor();
    expect(await textOf('server-text')).toBe('No model loaded');
  });

  it.each(['light', 'dark'] as const)('passes axe in the %s theme at any width', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    for (const details of ['options', 'voice'])
      await page.evaluate(`document.getElementById('${details}').open = true`);
    for (const width of [1200, 360]) {
      await page.setViewportSize({ width, height: 860 });
      expect(await audit(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
  });

  it('can be used by the keyboard alone', async () => {
    await page.setViewportSize({ width: 1200, height: 860 });
    await page.reload();
    await page.locator('#server[data-state]').waitFor();
    const reach = async (id: string): Promise<void> => {
      for (let steps = 0; steps < 40; steps += 1) {
        await page.keyboard.press('Tab');
        if ((await page.evaluate('document.activeElement.id')) === id) return;
      }
      throw new Error(`expected #${id} within 40 steps of the Tab key`);
    };
    await reach('text');
    await page.keyboard.type('Hello.');
    await reach('speak');
    await page.keyboard.press('Enter');
    await finished();
    await reach('download');
    const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    expect(file.suggestedFilename()).toMatch(/^speech-\d+\.wav$/);
  });
});

describe('VoxCPM 2', () => {
  it('uses reference audio of another sample rate, like the engine', async () => {
    const fixture = join(process.cwd(), 'tests', 'fixtures', 'tiny-v2');
    const [checkpoint, recording] = [join(fixture, 'checkpoint'), join(fixture, 'prompt_b.wav')];
    const [gguf, onnx] = [join(folder, 'second.gguf'), join(folder, 'second')];
    await exportGguf({ checkpoint, output: gguf, type: 'f32' });
    await exportOnnx({ checkpoint, output: onnx, types: modelPrecisions.f32 });
    await using own = createEngineFromBackend(await openNativeBackend(gguf, { backend: 'cpu', threads: 1 }), {
      maxBatch: 1,
    });
    await using second = await startService('--api-key', 'secret', '--model-path', gguf, '--local-model', onnx);
    const { page: other } = await openClean(`${second.url}local/`);
    await other.click('#options summary');
    await other.click('#voice summary');
    await other.setInputFiles('#file', recording);
    await other.fill('#text', 'Hello.');
    await other.fill('#seed', '7');
    await other.click('#speak');
    await other.locator('#wave:is([data-state=complete], [data-state=failed])').waitFor();
    expect(await other.textContent('#alert')).toBe('');
    const request = { text: 'Hello.', referenceAudio: await readAudioFile(recording) };
    expectAlike(await download(other), await streamed(request, own));
  });
});

describe('the static build', () => {
  it('works on a host that sends no special headers', async () => {
    const output = join(folder, 'static');
    const tsx = join(process.cwd(), 'node_modules', 'tsx', 'dist', 'cli.mjs');
    const script = join(process.cwd(), 'scripts', 'build-local.ts');
    const { status, stderr } = spawnSync(process.execPath, [tsx, script, '--output', output], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    await using host = await serveFolder(output, 'simple');
    const { page: other } = await openClean(host.url);
    await other.fill('#text', 'Hello.');
    await other.click('#speak');
    await other.locator('#wave[data-state=complete]').waitFor();
    expect(await other.textContent('#server-text')).toBe('demo on WebAssembly, 1 thread');
  });
});
