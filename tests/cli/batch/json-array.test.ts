/** A list that is one JSON array. */
import { readdirSync, writeFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { freshFolder } from '../../support/test-folder.ts';
import { invoke } from '../invoke.ts';

const folder = freshFolder();

it.each([
  ['on one line', '[{"id":"a","text":"Hello one."},{"id":"b","text":"Hello, [two] }."}]'],
  [
    'on several lines, with a byte order mark',
    '\uFEFF[\n  {"id": "a",\n   "text": "Hello one."},\n  {"id": "b", "text": "Hello, [two] }."}\n]\n',
  ],
])('is read %s', async (_, list) => {
  const path = folder.join('list.txt');
  writeFileSync(path, list);
  const { code, backend } = await invoke(['batch', '--input', path, '--output-dir', folder.join('out')]);
  expect([code, backend.texts.length]).toEqual([0, 2]);
  expect(
    readdirSync(folder.join('out'))
      .filter((name) => name.endsWith('.wav'))
      .sort(),
  ).toEqual(['a.wav', 'b.wav']);
});

it('is refused where it never ends', async () => {
  const path = folder.join('list.json');
  writeFileSync(path, '[{"text": "One."},');
  const { code, stderr } = await invoke(['batch', '--input', path, '--output-dir', folder.join('out')]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('line 1: the JSON array is never closed')]);
});
