import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import express from 'express';
import { guardAgainstPages } from '../../../src/server/middleware/browser-guard.ts';
import { createLocalPage } from '../../../src/server/pages/local-page.ts';
import { presets } from '../../presets.ts';
import { sharedFolder } from '../../support/test-folder.ts';
import { shareApp } from './serve-app.ts';

let made = 0;
const folder = sharedFolder();
await mkdir(join(folder, 'page', 'ort'), { recursive: true });
await mkdir(join(folder, 'model'));
await writeFile(join(folder, 'page', 'index.html'), '<!doctype html>');
await writeFile(join(folder, 'page', 'ort', 'run.wasm'), 'wasm');
await writeFile(join(folder, 'page', 'ort', 'packed.wasm.gz'), gzipSync('packed wasm'));
for (const name of ['flow.onnx', 'flow.onnx.data', 'svc-onnx.json', '.hidden.json', 'notes.txt']) {
  await writeFile(join(folder, 'model', name), name);
}
const models = [
  {
    name: 'my model',
    async folder() {
      made += 1;
      return join(folder, 'model');
    },
  },
];
const app = express();
const guard = guardAgainstPages({ hosts: 'loopback', corsOrigins: [] });
app.use('/local', createLocalPage(models, guard, join(folder, 'page')));
app.use('/unbuilt', createLocalPage([], guard, join(folder, 'nothing')));
const url = await shareApp(app);

describe('/local', () => {
  it('lists the voices that come with svc, and sends their recordings', async () => {
    const { voices } = (await (await fetch(`${url}/local/voices.json`)).json()) as {
      readonly voices: readonly { readonly name: string; readonly address: string; readonly text: string }[];
    };
    expect(voices.map(({ name }) => name)).toEqual(presets);
    for (const { name, address, text } of voices) {
      const recording = await fetch(`${url}/local/${address}`);
      expect(Buffer.from(await recording.arrayBuffer())).toEqual(await readFile(`models/voices/${name}.wav`));
      expect(text).toMatch(/^\w.*\.$/);
    }
    for (const other of ['README.md', 'alma.txt', 'nobody.wav', '..%2Fdemo.gguf']) {
      expect((await fetch(`${url}/local/voices/${other}`)).status).toBe(404);
    }
  });

  it('redirects to the page, whose URLs are relative', async () => {
    const response = await fetch(`${url}/local?model=a%2Fb`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([301, '/local/?model=a%2Fb']);
  });

  it.each([
    ['gzip', 'gzip'],
    ['identity', null],
  ])('sends compressed WebAssembly to clients that take %s', async (accepted, encoding) => {
    const response = await fetch(`${url}/local/ort/packed.wasm`, { headers: { 'accept-encoding': accepted } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('content-type')).toBe('application/wasm');
    expect(response.headers.get('cross-origin-embedder-policy')).toBe('require-corp');
    expect(response.headers.get('vary')).toContain('Accept-Encoding');
    expect(await response.text()).toBe('packed wasm');
    expect((await fetch(`${url}/local/ort/none.wasm`)).status).toBe(404);
  });

  it('is a cross-origin isolated page without foreign content', async () => {
    const { headers, status } = await fetch(`${url}/local/`);
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy': expect.stringMatching(/script-src 'self' 'wasm-unsafe-eval'; .*; worker-src 'self'$/),
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'cache-control': 'no-cache',
      etag: expect.any(String),
    });
    expect((await fetch(`${url}/local/ort/run.wasm`)).headers.get('content-type')).toBe('application/wasm');
  });

  it('says what to do when it was never built', async () => {
    const response = await fetch(`${url}/unbuilt/`);
    expect(response.status).toBe(500);
    expect(await response.text()).toMatch(/^no page in .*: npm run build$/);
  });
});

describe('models', () => {
  it('are listed without being made', async () => {
    expect(await (await fetch(`${url}/local/models.json`)).json()).toEqual({
      models: [{ name: 'my model', address: 'models/my%20model/' }],
      playground: '../',
    });
    expect(made).toBe(0);
  });

  it('are handed out file by file', async () => {
    for (const name of ['flow.onnx', 'flow.onnx.data', 'svc-onnx.json']) {
      const response = await fetch(`${url}/local/models/my%20model/${name}`);
      expect([response.status, await response.text()]).toEqual([200, name]);
      expect(response.headers.get('content-length')).toBe(String(name.length));
    }
  });

  it.each([
    'my%20model/notes.txt',
    'my%20model/.hidden.json',
    'my%20model/..%2fpage%2findex.json',
    'my%20model/missing.onnx',
    'other/flow.onnx',
  ])('have no %s', async (path) => {
    expect((await fetch(`${url}/local/models/${path}`)).status).toBe(404);
  });

  it('are not for pages from elsewhere', async () => {
    const headers = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.test' };
    expect((await fetch(`${url}/local/models/my%20model/flow.onnx`, { headers })).status).toBe(403);
  });
});
