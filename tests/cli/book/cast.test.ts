/** Voices in books, on the command line. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { writeEpub } from '../../book/write-epub.ts';
import { failingAt } from '../../engine/fake-backend.ts';
import { freshFolder, sharedFolder } from '../../support/test-folder.ts';
import { type Circumstances, ended, expectEnd, expectEndWith, invokeIn } from '../invoke.ts';
import { smallModel } from '../small-model.ts';

const model = smallModel();
const folder = freshFolder();
const voices = sharedFolder();
const recording = 'tests/fixtures/tiny-v1/prompt_a.wav';
const svc = invokeIn({ join: (...names) => join(voices, ...names) }, { outputSampleRate: 16_000, patchSamples: 1_600 });
const at = (name: string): string => folder.join(name);

let epub: string;
beforeAll(async () => {
  for (const name of ['nora', 'anna', 'ben'])
    await svc(['voices', 'add', name, '--audio', recording, '--text', `${name}.`]);
});
beforeEach(async () => {
  epub = await writeEpub(at('in.epub'), {
    title: 'The Book',
    chapters: [
      ['One', '<h1>One</h1><p>“Yes,” said Alice. “No?”</p><p>“Well,” said Bob.</p>'],
      ['Two', '<p>The gif is over. “Done!”</p>'],
    ],
  });
});

const speak = async (book: string, name: string, settings: readonly string[], circumstances: Circumstances = {}) => {
  const outcome = await svc(
    ['tts', '--text-file', book, '-o', at(name), '--seed', '7', '--quiet', ...model, ...settings],
    circumstances,
  );
  return { ...outcome, texts: outcome.backend.texts };
};

const castFile = async (text: string): Promise<string> => {
  await writeFile(at('cast.yaml'), text);
  return at('cast.yaml');
};

const cast = `
voices: { narrator: nora, quotes: ben }
characters: { Alice: anna }
pronunciations: { gif: jif }
pauses: { chapter: 3 }
chapters:
  - chapter: 1
    pronunciations: { well: wall }
    lines:
      - { quote: "Yes", character: Alice }
      - { quote: "No", character: Alice, pause: 1 }
`;

describe('--cast', () => {
  it.each([
    [cast.replace('"No"', '"Never"'), 'line 10: chapter 1 has no quotation that begins with "Never" behind "Yes"'],
    [`${cast}  - { chapter: 7 }\n`, 'line 11: the book has no chapter 7, only 2; --list lists them'],
  ])('names the line that does not fit the book', async (text, message) => {
    for (const list of [['--list'], []]) {
      const outcome = await speak(epub, 'out.flac', ['--cast', await castFile(text), ...list]);
      expectEndWith(outcome, 2, `svc: error: ${at('cast.yaml')}, ${message}`);
    }
  });

  it('gives narrator and characters their voices, pronunciations and pauses', async () => {
    const { code, stderr, stdout, texts } = await speak(epub, 'out.flac', ['--cast', await castFile(cast), '--json']);
    expect([code, stderr]).toEqual([0, '']);
    expect(texts).toEqual([
      'nora.One',
      'anna.Yes,',
      'nora.said Alice.',
      'anna.No?',
      'ben.wall,',
      'nora.said Bob.',
      'nora.The jif is over.',
      'ben.Done!',
    ]);
    const [first, second] = JSON.parse(stdout.toString()).chapters;
    const { stdout: usual } = await speak(epub, 'other.flac', [
      '--cast',
      await castFile(cast.replace('chapter: 3', 'chapter: 1.5')),
      '--json',
    ]);
    expect(first.end - JSON.parse(usual.toString()).chapters[0].end).toBeCloseTo(1.5, 3);
    expect(second.start).toBe(first.end);
  });

  it('resumes with the same bytes, and not with another cast', async () => {
    const info = { contextLength: 100_000, outputSampleRate: 16_000, patchSamples: 1_600 };
    const failing = failingAt(38, { stopAt: 4, info });
    const file = ['--cast', await castFile(cast)];
    expect((await speak(epub, 'out.flac', file, { backend: failing })).code).toBe(1);
    await castFile(cast.replace('Alice: anna', 'Alice: ben'));
    expect((await speak(epub, 'out.flac', file)).stderr).toContain(
      'has an unfinished run, made from another book or with another voice, model, options',
    );
    await castFile(cast);
    const resumed = await speak(epub, 'out.flac', file);
    expect(resumed.code).toBe(0);
    const whole = await speak(epub, 'whole.flac', file);
    expect(resumed.texts.length).toBeLessThan(whole.texts.length);
    expect((await readFile(at('out.flac'))).equals(await readFile(at('whole.flac')))).toBe(true);
  });

  it.each([
    [cast.replace('Alice: anna', 'Alice: anan'), [], /cast\.yaml: unknown voice "anan" .*; did you mean "anna"\?/],
    [cast.replace('nora', 'nroa'), [], /unknown voice "nroa" .*; did you mean "nora"\?/],
    [
      cast.replace('character: Alice }', 'character: Alcie }'),
      [],
      /cast\.yaml, line \d+: unknown character "Alcie" .*did you mean "Alice"\?/,
    ],
    [cast, ['--voice', 'ben'], /--voice and the narrator of ".*cast\.yaml" exclude each other/],
    [cast, ['--voices', 'Alice=ben'], /--voices and --cast exclude each other/],
    ['chapters:\n  - chapter: 1\n    lines:\n      - { quote: "!" }', [], /cast\.yaml, line 4: quote of item 1 of /],
    ['chapters:\n  - chapter: 1\n    pause: -1', [], /cast\.yaml, line 3: pause of item 1 of chapters must be /],
    ['chapters: [{ chapter: 1 }]\nwhat: 5', [], /unknown field "what" in .*cast\.yaml/],
    ['characters:\n  quotes: anna', [], /cast\.yaml, line 2: no character can be called "quotes"/],
    ['a: [', [], /cast\.yaml" is not valid YAML: .* line 1/],
    ['- 1', [], /cast\.yaml must be an object, got an array of 1/],
  ])('refuses %j %j', async (text, settings, message) => {
    const { code, stderr, opened } = await speak(epub, 'out.flac', ['--cast', await castFile(text), ...settings]);
    expect([code, opened]).toEqual([expect.any(Number), []]);
    expect(code).toBeGreaterThan(1);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('voices in the text', () => {
  const wav = ['--response-format', 'wav'];

  it('are those of tags, in books of every format', async () => {
    await writeFile(at('book.md'), '# One\n\nHello. [voice:anna] Hi. [pause:1s] There.\n\n# Two\n\nBye.\n');
    const { code, stderr, texts } = await speak(at('book.md'), 'out/', [...wav, '--voice', 'nora']);
    expect([code, stderr]).toEqual([0, '']);
    expect(texts).toEqual(['nora.One', 'nora.Hello.', 'anna.Hi.', 'anna.There.', 'nora.Two', 'nora.Bye.']);
  });

  it('that nobody has are named with their chapter, and --keep tags reads them', async () => {
    await writeFile(at('book.md'), '# One\n\nHello. [voice:anan] Hi.\n');
    const outcome = await speak(at('book.md'), 'out/', [...wav, '--voice', 'nora']);
    expectEnd(outcome, 3, /the chapter "One": unknown voice "anan" .*; did you mean "anna"\?/);
    const { texts } = await speak(at('book.md'), 'out/', [...wav, '--voice', 'nora', '--keep', 'tags']);
    expect(texts).toEqual(['nora.One', 'nora.Hello. voiceanan Hi.']);
  });

  it('are those of --voices, where paragraphs begin with speakers', async () => {
    await writeFile(at('play.txt'), 'Chapter 1\n\nAnna: Hello.\n\nBen: Hi.\n\nChapter 2\n\nCurtain.\n');
    const named = ['--voice', 'nora', '--voices', 'Anna=anna,Ben=ben'];
    const { code, texts } = await speak(at('play.txt'), 'out/', [...wav, ...named]);
    expect([code, texts]).toEqual([
      0,
      ['nora.Chapter one', 'anna.Hello.', 'ben.Hi.', 'nora.Chapter two', 'nora.Curtain.'],
    ]);
  });

  it('are those of the first words for a narrator without one', async () => {
    await writeFile(at('book.md'), '# One\n\n[voice:anna] Hi.\n\nThere.\n');
    const { code, texts } = await speak(at('book.md'), 'out/', wav);
    expect([code, texts.at(-1)]).toEqual([0, 'anna.There.']);
  });
});

describe('svc book cast', () => {
  it('suggests a cast that a person can edit, and checks it', async () => {
    const suggest = ['book', 'cast', epub, '--suggest', '--voices', 'nora,anna,ben', '-o', at('cast.yaml')];
    expect(await svc(suggest)).toMatchObject({ ...ended(0, ''), opened: [] });
    const text = await readFile(at('cast.yaml'), 'utf8');
    expect(text).toContain('      - { quote: "Yes,", character: Alice }\n');
    expect(parse(text)).toMatchObject({ voices: { narrator: 'nora' }, characters: { Alice: 'anna', Bob: 'ben' } });
    const { stdout } = await svc(['book', 'cast', epub, '--cast', at('cast.yaml')]);
    expect(stdout.toString().split('\n')).toEqual([
      'quotations  characters  voice  name',
      '         2          11  anna   Alice',
      '         1           7  ben    Bob',
      '         1           7  nora   unknown',
      '         0           0  nora   quotes',
      '         0          39  nora   narrator',
      '',
    ]);
    // A file that a person may have edited is not overwritten.
    const again = await svc(suggest);
    expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/cast\.yaml" exists; name another file/)]);
    const spoken = await speak(epub, 'out.flac', ['--cast', at('cast.yaml')]);
    expect(spoken.texts.slice(0, 3)).toEqual(['nora.One', 'anna.Yes,', 'nora.said Alice.']);
  });
});
