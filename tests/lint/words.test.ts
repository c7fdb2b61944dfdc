/** Comments and pages are written as the documentation of this field is: the thing first, in its own words. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

/** Sources of the suites of `tests/system/checked-sources.ts`, which each change repeats: comments follow with their code. */
const settled =
  /^(?:src\/(?:engine\/backend|files|voices|speech-files|cli\/doctor)|export|scripts\/[\w-]*(?:native|cross-compile|cuda|ggml)|tests\/(?:native|export|engine\/backends|engine\/linear|golden|system))/;

const listed = (folder: string, ends: RegExp): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => ends.test(path) && !path.includes('/fixtures/') && !settled.test(path));

/** The comments of a source that have lines of their own, each in one line. */
const commentsOf = (source: string): readonly string[] =>
  [...source.matchAll(/^[ \t]*(?:\/\*\*?([\s\S]*?)\*\/|((?:\/\/.*\n[ \t]*)+))/gm)].map(([, block, lines]) =>
    (block ?? lines ?? '')
      .replace(/^[ \t]*(?:\*|\/\/)[ \t]?/gm, '')
      .replace(/\s+/g, ' ')
      .trim(),
  );

const sources = ['src', 'export', 'bench', 'scripts', 'tests', 'examples'].flatMap((folder) =>
  listed(folder, /\.(?:tsx?|[cm]?js)$/),
);
const comments = sources.flatMap((path) =>
  commentsOf(readFileSync(path, 'utf8')).map((text) => ({ path, text: text.replace(/`[^`]*`/g, '`…`') })),
);

const pages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...listed('docs', /\.md$/)].flatMap(
  (path) =>
    readFileSync(path, 'utf8')
      .replace(/^```[\s\S]*?^```/gm, '')
      .replace(/`[^`]*`/g, '`…`')
      .split('\n')
      .map((text) => ({ path, text })),
);

/** Words of translated English; `stands for` is none. */
const avoided = /\b(?:whoever|asked for|go(?:es)? on(?! (?:an?|the)\b)|told|tells|stands(?! (?:in )?for\b))/i;

/** The texts that match, of which one in 500 may: a limit for all of them, not a list of exceptions. */
function expectFew(texts: typeof pages, pattern: RegExp): void {
  const found = texts
    .filter(({ text }) => pattern.test(text))
    .map(({ path, text }) => `${path}: ${text.slice(0, 160)}`);
  expect(found.slice(Math.floor(texts.length / 500))).toEqual([]);
}

it('comments name their thing first', () => {
  expect(comments.length).toBeGreaterThan(5000);
  expectFew(comments, /^(?:Of|By|What|Whose|Behind)\b/);
});

it('comments and pages use the words of the field', () => {
  expectFew([...comments, ...pages], avoided);
});

it('reads comments of one line and of several', () => {
  const source = 'const a = 1; // Of a line.\n/** Of a\n * block. */\n  // What is\n  // it?\n/* By */\n';
  expect(commentsOf(source)).toEqual(['Of a block.', 'What is it?', 'By']);
  const phrases = ['it goes on', 'goes on the page', 'stands for', 'stands by'];
  expect(phrases.filter((text) => avoided.test(text))).toEqual(['it goes on', 'stands by']);
});
