import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { buildPage, pageNames } from '../../scripts/web/build-page.ts';
import { sharedFolder } from '../support/test-folder.ts';

const folder = sharedFolder();
beforeAll(async () => {
  for (const name of pageNames) await buildPage(name, join(folder, name));
});

const read = (page: string, name: string): Promise<string> => readFile(join(folder, page, name), 'utf8');

describe.each(pageNames)('%s', (page) => {
  it('has every file that the page and its scripts name', async () => {
    const names = await readdir(join(folder, page));
    const html = await read(page, 'index.html');
    const named = [...html.matchAll(/(?:src|href)="(?:(?:playground|docs)\/)?([\w.-]+\.(?:css|js|svg))"/g)];
    for (const script of names.filter((name) => name.endsWith('.js') && !name.startsWith('swagger-ui'))) {
      named.push(...(await read(page, script)).matchAll(/(?:from|import\(?|new URL\()"(?:\.\/)?([\w.-]+\.js)"/g));
    }
    expect(named.length).toBeGreaterThanOrEqual({ playground: 7, local: 10, docs: 6 }[page]);
    expect(named.map(([, name]) => name).filter((name) => !names.includes(`${name}`))).toEqual([]);
  });

  it('includes every part, once', async () => {
    const html = await read(page, 'index.html');
    expect(html).not.toMatch(/\{\{|<!-- include/);
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });

  it('has nothing inline and names no other origin', async () => {
    const html = await read(page, 'index.html');
    expect(html).not.toMatch(/ style=| on[a-z]+=|<style|<script(?![^>]* src=)/);
    const texts = [html, ...(await Promise.all(['main.js', 'theme.js', 'style.css'].map((name) => read(page, name))))];
    const origins = texts.flatMap((text) => text.match(/(?:https?:)?\/\/[a-z0-9.-]+\.[a-z]+/gi) ?? []);
    expect(origins).toEqual([]);
  });
});

it('the page that runs in the browser has a policy for hosts that send none', async () => {
  const html = await read('local', 'index.html');
  expect(html).toMatch(/http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'/);
});
