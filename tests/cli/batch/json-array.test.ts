/** A list that is one JSON array, or a sequence of objects. */
import { readdirSync, writeFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { beginsArray } from '../../../src/cli/batch/json-array.ts';
import { freshFolder } from '../../support/test-folder.ts';
import { expectEndWith, invoke } from '../invoke.ts';
import { smallModel } from '../small-model.ts';

const model = smallModel();
const folder = freshFolder();

it.each([
  ['on one line', '[{"id":"a","text":"Hello one."},{"id":"b","text":"Hello, [two] }."}]'],
  [
    'on several lines, with a byte order mark',
    '\uFEFF[\n  {"id": "a",\n   "text": "Hello one."},\n  {"id": "b", "text": "Hello, [two] }."}\n]\n',
  ],
  [
    'as a sequence of objects',
    '{\n  "id": "a",\n  "text": "Hello one."\n}\n{\n  "id": "b",\n  "text": "Hello {two}."\n}\n',
  ],
  ['with objects in one line', '{"id":"a","text":"Hello one."}{"id":"b","text":"Hello two."}'],
  ['with commas between lines', '{"id":"a","text":"Hello one."},\n{"id":"b","text":"Hello two."}\n'],
  ['with record separators', '\x1e{"id":"a","text":"Hello one."}\n\x1e{"id":"b","text":"Hello two."}\n'],
])('is read %s', async (_, list) => {
  const path = folder.join('list.txt');
  writeFileSync(path, list);
  const { code, backend } = await invoke(['batch', '--input', path, '--output-dir', folder.join('out'), ...model]);
  expect([code, backend.texts.length]).toEqual([0, 2]);
  expect(
    readdirSync(folder.join('out'))
      .filter((name) => name.endsWith('.wav'))
      .sort(),
  ).toEqual(['a.wav', 'b.wav']);
});

it.each([
  ['never ends', '[{"text": "One."},', 'line 1: the JSON array is never closed'],
  ['ends with a comma', '[{"text": "One."},\n]', 'line 2: the JSON array ends with a comma; remove it'],
  ['lacks an element', '[{"text": "One."},,"Two."]', 'line 1: the JSON array has no element in front of a comma'],
  ['has an object that never ends', '{\n"text": "One."', 'line 2: a JSON object is never closed'],
  ['begins with a comma', '[\n,"Two."]', 'line 2: the JSON array has no element in front of a comma'],
])('is refused where it %s', async (_, list, problem) => {
  const path = folder.join('list.json');
  writeFileSync(path, list);
  expectEndWith(await invoke(['batch', '--input', path, '--output-dir', folder.join('out'), ...model]), 2, problem);
});

it.each([
  ['strings', 'list.jsonl', '"Hello one."\n"Hello two."\n'],
  ['old line ends', 'list.csv', 'id,text\ra,Hello one.\rb,Hello two.\r'],
  ['quotes in cells without quotes', 'list.tsv', 'id\ttext\na\tHe said "one".\nb\t5" nails\n'],
])('may have %s', async (_, name, list) => {
  const path = folder.join(name);
  writeFileSync(path, list);
  const { code, backend } = await invoke(['batch', '--input', path, '--output-dir', folder.join('out'), ...model]);
  expect([code, backend.texts.length]).toEqual([0, 2]);
});

it('is known by its first line, or by its name', async () => {
  const arrays = ['[[1],[2]]', '[1, 2]', '[null]', '["Hi."', '[', '[[', '[-1.5e3,', '[{', '[]'];
  const texts = ['[1] Smith says.', '[1, 2] and [3]', '[laughter] Hi.', '[[wiki]]', '[ ] to do', '["Hi" he says]'];
  expect(arrays.filter((line) => !beginsArray(line))).toEqual([]);
  expect(texts.filter(beginsArray)).toEqual([]);
  for (const [name, list] of [
    ['list.txt', '[[1],[2]]'],
    ['list.json', '[x]'],
    ['list.json', 'Hi.'],
  ] as const) {
    const path = folder.join(name);
    writeFileSync(path, list);
    const { stderr } = await invoke(['batch', '--input', path, '--check']);
    expect([list, stderr]).toEqual([list, expect.stringMatching(/line 1.*: the line must be a JSON object/)]);
  }
});
