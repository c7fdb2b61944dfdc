/** Texts that stopped a process: each of these took minutes or years. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { formatCaptions } from '../../src/captions/captions.ts';
import { acceptSteps } from '../../src/engine/accepted.ts';
import { lexiconSteps } from '../../src/engine/lexicon/lexicon.ts';
import { parseLexicon } from '../../src/engine/lexicon/parse-lexicon.ts';
import { parseRequestText } from '../../src/engine/parsed-request.ts';
import { planSteps } from '../../src/engine/plan/plan.ts';
import { parseRequest, type SynthesisRequest } from '../../src/engine/request.ts';
import { parseScript } from '../../src/engine/script/parse-script.ts';
import { finePieces } from '../../src/engine/text/fine-pieces.ts';
import { createLanguageReader } from '../../src/engine/text/language/language-reader.ts';
import { verbalizeSegmentSteps } from '../../src/engine/text/verbalize/verbalize.ts';
import { speechWeight } from '../../src/engine/timing/syllables.ts';
import { accept, partsOf as planned } from '../support/accept.ts';
import { errorOf } from '../support/errors.ts';
import { verbalizeText } from '../support/verbalize.ts';
import { fakeInfo } from './fake-backend.ts';
import { longest } from './hostile-texts.ts';

/** @param part of the longest text */
const fill = (unit: string, part = 1): string => unit.repeat(longest / part / unit.length);

it('reads tags of Markdown with white space beyond ASCII', () => {
  const read = (text: string) => parseScript(text, { format: 'markdown', voices: [], code: 'skip' }).passages[0]?.text;
  expect(read('a <img alt="5\u00a0€" src=x> b')).toBe('a  b');
  expect(read('a <b\u00a0c> d')).toBe('a <b\u00a0c> d');
  expect(read('<div title="5\u00a0€">inside</div>\n\nbehind')).toBe('inside');
  expect(read('<i title="5\u00a0€">\ninside\n\nbehind')).toBe('inside');
});

it('ends for an HTML tag whose attributes can be cut in any way, in a line or alone', () => {
  const texts = ['x <a', '<a'].map((beginning) => `${beginning}${'\u00a0d=e\u00a0f'.repeat(40)}`);
  const program = `import { parseScript } from './src/engine/script/parse-script.ts';
    const options = { format: 'markdown', voices: [], code: 'skip' };
    const spoken = ${JSON.stringify(texts)}.map((text) => parseScript(text, options).passages[0].text);
    process.stdout.write(JSON.stringify(spoken));`;
  // In a process of its own, which can be stopped: this took longer than the age of the universe.
  const argv = ['--import', './tests/runner/register.js', '--input-type=module', '--eval', program];
  const spoken = execFileSync(process.execPath, argv, { encoding: 'utf8', timeout: 100_000 });
  expect(JSON.parse(spoken)).toEqual(texts);
});

it('reads the marks behind an address', () => {
  expect(verbalizeText('See http://a.org/b/).')).toBe('See a dot org slash b).');
  expect(verbalizeText('http://x/')).toBe('x');
  expect(verbalizeText('http://x).).y')).toBe('x) dot ) dot y');
});

it('says a final e only where it is the only vowel', () => {
  expect(speechWeight('the')).toBeCloseTo(speechWeight('tho'));
  expect(speechWeight('late!')).toBeCloseTo(speechWeight('latt!'));
});

it('leaves one hyphen of an arrow in a caption', () => {
  const words = [{ text: 'a---->--b-->', start: 0, end: 1 }];
  const sentence = { text: 'a', start: 0, end: 1, words, method: 'estimated' } as const;
  expect(formatCaptions([sentence], 'srt', { highlight: 'none' })).toContain('a->--b->');
});

describe('messages about SSML and PLS', () => {
  it('quote a name with a bound', () => {
    const name = 'n'.repeat(longest);
    const ssml = `<speak><${name}></speak>`;
    const read = (text: string) => parseScript(text, { format: 'ssml', voices: [], code: 'skip' });
    const bounded = errorOf('INVALID_REQUEST', /^.{0,399}$/s);
    expect(() => read(ssml)).toThrow(bounded);
    expect(() => parseLexicon(`<lexicon><${name}></lexicon>`, 'a.pls')).toThrow(bounded);
    const { warnings } = read(`<speak><voice ${name}="a">b</voice></speak>`);
    expect(warnings.map(({ length }) => length)).toEqual([expect.any(Number)]);
    expect(warnings[0]?.length).toBeLessThan(200);
  });
});

/** Steps between which a server does other work, of all that is done with a text. */
function countSteps(given: SynthesisRequest): number {
  const info = { ...fakeInfo, architecture: 'voxcpm2' } as const;
  let steps = 0;
  function count<Result>(work: Iterator<unknown, Result>): Result {
    for (;;) {
      const step = work.next();
      if (step.done) return step.value;
      if (step.value === undefined) steps += 1;
    }
  }
  count(planSteps(count(acceptSteps(count(parseRequestText(parseRequest(given))), info)), info));
  return steps;
}

it.each([
  ['one paragraph', { text: fill('A sentence. ', 4) }],
  ['a text without words', { text: `${'abc'.repeat(120)}${'.!'.repeat(8_000)}a` }],
  ['numbers', { text: fill('1 汉 ', 4), normalize: true }],
  ['a lexicon', { text: fill('a b ', 4), lexicon: [{ written: 'a c', spoken: 'd' }] }],
])('plans %s in many steps', (_name, request) => {
  expect(countSteps(request)).toBeGreaterThan(100);
});

it.each(['"', '(', '.!'])('looks in steps for words in a run of %s', (unit) => {
  const pieces = [...(finePieces[2]?.({ text: fill(unit), end: 'sentence' }) ?? [])];
  // One window of the segmenter each.
  expect(pieces.filter((piece) => piece === undefined).length).toBeGreaterThanOrEqual(longest / 1024);
});

it('finds the language of each line in a step', () => {
  const segments = [...verbalizeSegmentSteps('a\n'.repeat(4_000), createLanguageReader({}))];
  expect(segments.filter((segment) => segment === undefined).length).toBeGreaterThanOrEqual(4_000);
});

it('looks up words in steps, after it has read the text in steps', () => {
  let steps = 0;
  for (const _ of lexiconSteps([{ written: 'b', spoken: 'd' }])(fill('a'))) steps += 1;
  // Steps for 4096 characters twice, and for 200.
  expect(steps).toBe(2 * 16 + 327);
});

it('leaves out marks far beyond the only word of a text', () => {
  const partsOf = (text: string) => {
    const info = { ...fakeInfo, architecture: 'voxcpm2' } as const;
    return planned(accept({ text }, info), info).map((part) => part.text.length);
  };
  expect(partsOf(`http://x${').'.repeat(100)}`)).toEqual([208]);
  const [first = longest, ...others] = partsOf(`http://x${').'.repeat(8_000)}`);
  expect([first < 400, others]).toEqual([true, []]);
});
