import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import express from 'express';
import { createDocsPage, createPlaygroundPage } from '../../../src/server/pages/web-page.ts';
import { sharedFolder } from '../../support/test-folder.ts';
import { shareApp } from './serve-app.ts';

const folder = sharedFolder();
await mkdir(join(folder, 'page'));
await writeFile(join(folder, 'page', 'index.html'), '<!doctype html>');
await writeFile(join(folder, 'page', 'main.js'), 'main');
const app = express();
app.use(createPlaygroundPage(join(folder, 'page')));
app.use('/docs', createDocsPage(join(folder, 'page')));
await mkdir(join(folder, 'loop'));
await symlink('index.html', join(folder, 'loop', 'index.html'));
app.use('/loop', createPlaygroundPage(join(folder, 'loop')));
app.use('/unbuilt', createPlaygroundPage(join(folder, 'nothing')));
const url = await shareApp(app);

describe.each([
  ['/', '/playground/main.js'],
  ['/docs', '/docs/main.js'],
])('the page at %s', (page, file) => {
  it('is sent with a policy that allows this origin only', async () => {
    const { status, headers } = await fetch(url + page);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect([headers.get('cache-control'), headers.get('etag')]).toEqual(['no-cache', expect.any(String)]);
    const policy = headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  });

  it('comes with its files', async () => {
    const { status, headers } = await fetch(url + file);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect((await fetch(url + file.replace('main', 'other'))).status).toBe(404);
  });
});

it('/docs/ leads to /docs', async () => {
  const { status, headers } = await fetch(`${url}/docs/`, { redirect: 'manual' });
  expect([status, headers.get('location')]).toEqual([302, '../docs']);
});

it('a page that was not built says how to build it', async () => {
  const response = await fetch(`${url}/unbuilt/`);
  expect(response.status).toBe(500);
  expect(await response.text()).toBe(`no page in ${join(folder, 'nothing')}; build it with: npm run build`);
});

it('a page that cannot be opened is not said to be missing', async () => {
  const response = await fetch(`${url}/loop/`);
  expect([response.status, await response.text()]).toEqual([500, expect.stringMatching(/^ELOOP/)]);
});
