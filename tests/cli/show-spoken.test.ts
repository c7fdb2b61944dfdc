import { writeFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { writeEpub } from '../book/write-epub.ts';
import { freshFolder } from '../support/test-folder.ts';
import { invoke } from './invoke.ts';

const folder = freshFolder();
const text = '# Prices\n\nIt costs **$5** now.';
const prompt = ['--prompt-audio', 'tests/fixtures/tiny-v1/prompt_a.wav', '--prompt-text', 'one two'];

it('prints each passage of a text instead of speaking it', async () => {
  const path = folder.join('prices.md');
  await writeFile(path, text);
  const { code, stdout, stderr, backend } = await invoke(['tts', '--text-file', path, '--show-spoken']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.toString()).toBe(
    [
      '1  en, detected',
      '   written      # Prices',
      '   spoken       Prices',
      '   left out     #',
      '2  en, detected',
      '   written      It costs **$5** now.',
      '   spoken       It costs five dollars now.',
      '   left out     ** · **',
      '',
    ].join('\n'),
  );
  expect(backend.calls).toEqual([]);
});

it('prints one line of JSON, also for a voice that is cloned', async () => {
  const options = ['--text', '5 \u001b[31m rot', '--language', 'de', '--show-spoken', '--json'];
  const { code, stdout } = await invoke(['clone', ...prompt, ...options]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout.toString())).toEqual({
    model: 'fake',
    normalize: true,
    passages: [
      {
        language: 'de',
        languageBy: 'stated',
        written: '5 \u001b[31m rot',
        spoken: 'fünf rot',
        style: null,
        voice: null,
        leftOut: ['\u001b[31m'],
        unreadable: ['ü'],
      },
    ],
    warnings: [],
  });
});

it('prints the chosen chapters of a book', async () => {
  const path = folder.join('book.epub');
  const chapters = [
    ['One', '<p>Es kostet 5 Euro.</p>'],
    ['Two', '<p>Um 9 Uhr.</p>'],
  ] as const;
  await writeEpub(path, { title: 'Buch', chapters });
  const shown = await invoke(['tts', '--text-file', path, '--chapters', '2', '--show-spoken']);
  expect([shown.code, shown.stderr]).toEqual([0, '']);
  expect(shown.stdout.toString()).toMatch(
    /^chapter 2: Two\n1 {2}de, .*written {6}Um 9 Uhr\.\n {3}spoken {7}Um neun Uhr\.\n/s,
  );
  const { stdout } = await invoke(['tts', '--text-file', path, '--show-spoken', '--json']);
  const { chapters: listed } = JSON.parse(stdout.toString());
  expect(listed.map(({ number }: { number: number }) => number)).toEqual([1, 2]);
  expect(listed[0].passages.at(-1)).toMatchObject({ language: 'de', spoken: 'Es kostet fünf Euro.', leftOut: [] });
});

it.each([
  [['--output', 'out.wav'], '--output cannot be combined with --show-spoken, which makes no audio'],
  [['--live'], '--live cannot be combined with --show-spoken, which makes no audio'],
  [['--chapters', '2'], '--chapters needs a book: name one with --text-file, such as book.epub'],
])('refuses %j', async (options, message) => {
  const { code, stderr } = await invoke(['tts', '--text', 'One.', '--show-spoken', ...options]);
  expect([code, stderr]).toEqual([2, `svc: error: ${message}\n`]);
});
