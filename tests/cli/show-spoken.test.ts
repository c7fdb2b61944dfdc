import { writeFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { writeEpub } from '../book/write-epub.ts';
import { freshFolder } from '../support/test-folder.ts';
import { ended, invoke } from './invoke.ts';

const folder = freshFolder();
const text = '# Prices\n\nIt costs **$5** now.';
const prompt = ['--prompt-audio', 'tests/fixtures/tiny-v1/prompt_a.wav', '--prompt-text', 'one two'];

it('prints each passage of a text instead of speaking it', async () => {
  const path = folder.join('prices.md');
  await writeFile(path, text);
  const { code, stdout, stderr, backend, opened } = await invoke(['tts', '--text-file', path, '--show-spoken']);
  // No weights are loaded.
  expect([code, stderr, opened]).toEqual([0, '', []]);
  expect(stdout.toString()).toBe(
    [
      '1  en, that of the passages around it',
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
  expect(shown).toMatchObject({ ...ended(0, ''), opened: [] });
  expect(shown.stdout.toString()).toMatch(
    /^chapter 2: Two\n1 {2}de, .*written {6}Um 9 Uhr\.\n {3}spoken {7}Um neun Uhr\.\n/s,
  );
  const { stdout } = await invoke(['tts', '--text-file', path, '--show-spoken', '--json']);
  const { chapters: listed } = JSON.parse(stdout.toString());
  expect(listed.map(({ number }: { number: number }) => number)).toEqual([1, 2]);
  expect(listed[0].passages.at(-1)).toMatchObject({ language: 'de', spoken: 'Es kostet fünf Euro.', leftOut: [] });
});

it('prints the lines of a list, in order, and the problems of others', async () => {
  const path = folder.join('lines.jsonl');
  const words = folder.join('words.txt');
  await writeFile(words, 'GIF = jif\n');
  const lines = [
    { id: 'a', text: 'A GIF for $5.', lexicon: [words] },
    { id: 'b' },
    { text: 'Um 9 Uhr.', language: 'de' },
  ];
  await writeFile(path, lines.map((line) => JSON.stringify(line)).join('\n'));
  const batch = ['batch', '--input', path, '--show-spoken'];
  const { code, stdout, stderr, opened } = await invoke(batch);
  expect([code, opened]).toEqual([2, []]);
  expect(stderr).toMatch(/^svc: error: line 2 \(b\): .*\nsvc: error: 1 of 3 lines have a problem\n$/);
  expect(stdout.toString()).toBe(
    [
      'line 1 (a):',
      '1  en, detected',
      '   written      A GIF for $5.',
      '   spoken       A jif for five dollars.',
      'line 3 (output_003):',
      '1  de, stated',
      '   written      Um 9 Uhr.',
      '   spoken       Um neun Uhr.',
      '',
    ].join('\n'),
  );
  const { stdout: json } = await invoke([...batch, '--json']);
  const [first, last] = json
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect([first.line, first.id, first.passages[0].spoken]).toEqual([1, 'a', 'A jif for five dollars.']);
  expect([last.line, last.passages[0].language]).toEqual([3, 'de']);
  const refused = await invoke([...batch, '--check']);
  expect(refused.stderr).toMatch(/--check cannot be combined with --show-spoken, which speaks no line/);
});
