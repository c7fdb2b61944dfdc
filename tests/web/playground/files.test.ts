import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadPlayground } from '../../../src/server/playground-page.ts';

const staticFolder = join(process.cwd(), 'src', 'web', 'playground');

describe('loadPlayground', () => {
  it('serves the page at / and every other file under /playground/', async () => {
    const names = await readdir(staticFolder);
    const expected = names.map((name) => (name === 'index.html' ? '/' : `/playground/${name}`));
    expect([...(await loadPlayground()).keys()].sort()).toEqual(expected.sort());
  });

  it('has every file that the page and its modules refer to', async () => {
    const playground = await loadPlayground();
    const named = [...playground].flatMap(([path, { body }]) => {
      const text = body.toString();
      if (path === '/') return [...text.matchAll(/(?:src|href)="(playground\/[^"]+)"/g)].map(([, name]) => `/${name}`);
      return [...text.matchAll(/(?:from|import|new URL\()\s*'(?:\.\/)?([\w-]+\.js)'/g)].map(
        ([, name]) => `/playground/${name}`,
      );
    });
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((path) => !playground.has(path))).toEqual([]);
  });

  it('refers to no other origin and has no inline code', async () => {
    const texts = [...(await loadPlayground()).values()].map(({ body }) => body.toString());
    const origins = texts.flatMap((text) => text.match(/(?:https?:)?\/\/[a-z0-9.-]+\.[a-z]+/gi) ?? []);
    expect(origins.filter((origin) => origin !== 'http://www.w3.org')).toEqual([]);
    const page = texts.find((text) => text.startsWith('<!doctype html>')) ?? '';
    expect(page).not.toMatch(/ style=| on[a-z]+=|<style|<script(?! type="module" src=)/);
  });

  it('sends a policy for this origin only', async () => {
    const headers = (await loadPlayground()).get('/')?.headers;
    expect(headers).toMatchObject({
      'Content-Type': 'text/html; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
      ETag: expect.stringMatching(/^"[\w-]{22}"$/),
    });
    expect(headers?.['Content-Security-Policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
    expect(headers?.['Content-Security-Policy']).not.toMatch(/unsafe|\*|https?:/);
  });

  it('reports missing files in one line', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-playground-'));
    await rm(folder, { recursive: true });
    await expect(loadPlayground(folder)).rejects.toMatchObject({
      code: 'INTERNAL',
      message: `cannot read the playground in ${folder}: no such file`,
    });
  });
});
