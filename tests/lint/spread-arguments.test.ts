/** A call takes some 100,000 arguments: spread lists of any length overflow the stack, so texts of others are read without. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

/** Folders whose code reads texts and files of others. */
const folders = ['book', 'captions', 'dub', 'files', 'formats', 'engine/lexicon', 'engine/script', 'engine/text'];

/** Lists that are short, by what bounds them. */
const short: Readonly<Record<string, string>> = {
  'book/epub/style-sheets.ts': 'rules of a sheet, of which 2,000 count',
  'captions/cues.ts': 'signs of an address',
  'dub/dub-captions.ts': 'sentences of a patch of speech',
  'engine/text/language/detect-language.ts': 'languages',
  'engine/text/verbalize/classes/dates.ts': 'parts of a date',
};

const spread = /(?:\.(?:push|unshift|splice|concat)|\bMath\.(?:min|max)|\bfromCharCode)\((?:[^(){}[\]\n]*, )?\.\.\./;
const isSpread = (source: string): boolean => spread.test(source);

it('lists of any length are not spread', () => {
  const found = folders.flatMap((folder) =>
    readdirSync(`src/${folder}`, { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((path) => path.endsWith('.ts') && isSpread(readFileSync(`src/${path}`, 'utf8'))),
  );
  expect(found.sort()).toEqual(Object.keys(short));
});

it('knows a spread list', () => {
  const spreads = ['a.push(...b);', 'Math.max(...b)', 'Math.min(6, ...b)', 'a.splice(0, 1, ...b)'];
  expect(spreads.map(isSpread)).toEqual([true, true, true, true]);
  expect(['a.push({ ...b });', 'f([...b])', 'Math.max(a, b)'].map(isSpread)).toEqual([false, false, false]);
});
