/** `svc book check`, which reads a book without a model. */
import { describe, expect, it } from '@jest/globals';
import { writeEpub } from '../../book/write-epub.ts';
import { freshFolder } from '../../support/test-folder.ts';
import { invokeIn } from '../invoke.ts';

const folder = freshFolder();
const svc = invokeIn(folder, {});
/** Words of which each sequence of letters is in another one too. */
const usual =
  'the river was wide and wider than other rivers and the other riverside was another side of the wide land';

async function check(chapters: readonly (readonly [title: string, body: string])[], ...settings: readonly string[]) {
  const path = await writeEpub(folder.join('in.epub'), { title: 'The Book', author: 'A. Writer', chapters });
  const { code, stdout, stderr, opened } = await svc(['book', 'check', path, ...settings]);
  return { code, stderr, stdout: stdout.toString(), opened };
}

const chapters = [
  [
    'One',
    `<h1>One</h1><p>“Yes,” said Alice. “No?” NASA sent 2 B2B iPhones.<sup><a href="#n">1</a></sup> ☙</p><p>“Well,” said Bob.</p><p>${usual}. Vyxqzor ${usual}. Vyxqzor!</p>`,
  ],
  ['Two', '<p>Der Fluss war breit und kalt, und sie gingen über die Brücke in die Stadt. Миp \ufffd</p>'],
] as const;

describe('svc book check', () => {
  it('reports length, languages, speakers, odd characters and doubtful words', async () => {
    const { code, stdout, opened } = await check(chapters, '--json');
    const report = JSON.parse(stdout);
    expect([code, opened]).toEqual([0, []]);
    expect(report).toMatchObject({
      title: 'The Book',
      author: 'A. Writer',
      tempo: 1,
      chapters: [
        { number: 1, title: 'One' },
        { number: 2, title: 'Two', words: 17 },
      ],
      speakers: [
        { name: 'Alice', quotations: 2 },
        { name: 'Bob', quotations: 1 },
      ],
      leftOut: { notes: 1 },
    });
    expect(report.languages.map(({ language }: { language: string }) => language)).toEqual(['en', 'de']);
    expect(report.words).toBe(report.chapters[0].words + 17);
    expect(
      report.oddCharacters.map(({ code: name, kind }: { code: string; kind: string }) => [name, kind]).sort(),
    ).toEqual([
      ['U+2619', 'silent'],
      ['U+FFFD', 'damaged'],
    ]);
    const words = report.doubtfulWords.map((word: { word: string; reason: string }) => [word.word, word.reason]);
    expect(words).toEqual(
      expect.arrayContaining([
        ['Миp', 'letters of two alphabets'],
        ['B2B', 'letters and digits'],
        ['NASA', 'capitals'],
        ['iPhones', 'capitals within'],
        ['Vyxqzor', 'rare sequences of letters'],
      ]),
    );
    expect(words.map(([word]: string[]) => word)).not.toContain('river');
  });

  it('prints the same for people, at the tempo of a voice and a speed', async () => {
    const recording = 'tests/fixtures/tiny-v1/prompt_a.wav';
    await svc(['voices', 'add', 'nora', '--audio', recording, '--text', 'A warm day.']);
    const [usually, faster, voiced] = await Promise.all([
      check(chapters, '--json'),
      check(chapters, '--json', '--speed', '2'),
      check(chapters, '--json', '--voice', 'nora'),
    ]);
    const seconds = ({ stdout }: typeof usually): number => JSON.parse(stdout).seconds;
    expect(seconds(faster) / seconds(usually)).toBeCloseTo(0.5, 2);
    expect(seconds(usually) / seconds(voiced)).toBeCloseTo(JSON.parse(voiced.stdout).tempo, 2);
    expect(JSON.parse(voiced.stdout).tempo).not.toBe(1);
    const { code, stdout, stderr } = await check(chapters);
    expect([code, stderr]).toEqual([0, expect.stringContaining('left out: notes')]);
    expect(stdout).toMatch(
      /^ no\. {6}words {6}time {2}title\n {3}1 .*One\n {3}2 {9}17 .*Two\n.*The Book by A\. Writer\n/,
    );
    expect(stdout).toMatch(
      /\nlanguages: en \d+ %, de \d+ %\nspeakers: Alice \(2\), Bob \(1\)\nodd characters: .*\nmay be misread: .*\nleft out: notes/,
    );
  });

  it('refuses a book without words, and a voice that is not there', async () => {
    expect(await check([['One', '<p>…</p>']])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/has nothing to speak\n$/),
    });
    expect((await check(chapters, '--voice', 'nobody')).stderr).toContain('unknown voice "nobody"');
  });
});
