/** Texts in each format and the passages that they become. */
import { describe, expect, it } from '@jest/globals';
import type { InputFormat } from '../../../src/engine/script/input-formats.ts';
import { detectFormat, parseScript } from '../../../src/engine/script/parse-script.ts';
import type { Passage, Script } from '../../../src/engine/script/passage.ts';
import { voiceNamesIn } from '../../../src/engine/script/voice-names.ts';
import { SvcError } from '../../../src/errors.ts';
import { rowsOf } from '../../support/rows.ts';
// Loads all languages, which say-as needs at once.
import '../../support/verbalize.ts';
import { cases } from '../cases.ts';

const voices = ['anna', 'Ben', 'Dr. Ø'];

const parsed = (format: InputFormat, text: string, code: 'skip' | 'read' = 'skip'): Script =>
  parseScript(text, { format, voices, code });

/** `anna: text |0.5| text`: passages in short, pauses between bars, manner in front. */
const short = ({ voice, rate, language, text, pauseSeconds, marks }: Passage): string =>
  [
    voice === undefined ? '' : `${voice}: `,
    rate === undefined ? '' : `×${rate} `,
    language === undefined ? '' : `<${language}> `,
    marks.reduceRight((done, { name, offset }) => `${done.slice(0, offset)}^${name}^${done.slice(offset)}`, text),
    pauseSeconds === undefined ? '' : `|${pauseSeconds}|`,
  ].join('');

const said = (format: InputFormat, text: string, code?: 'skip' | 'read'): string =>
  parsed(format, text, code).passages.map(short).join(' ');

const speak = (content: string): string => `<speak>${content}</speak>`;

describe('plain text', () => {
  it.each(cases('plain'))('$case', ({ given, expected }) => expect(said('plain', given)).toBe(expected));
});

describe('a passage', () => {
  it.each([
    ['nothing', '', []],
    ['no pause', '<break time="0s"/>', []],
    ['no pause before a text', '<break time="0s"/>One.', ['One.']],
    ['a pause', '<break time="1s"/>', ['']],
  ])('is not made of %s', (_, content, texts) => {
    expect(parsed('ssml', speak(content)).passages.map(({ text }) => text)).toEqual(texts);
  });
});

describe('the format of a text', () => {
  it.each(cases('format'))('of $given is found out', ({ given, expected }) =>
    expect(said('auto', given)).toBe(expected),
  );

  it.each(cases('format without voices'))('of $given is found out without voices', ({ given, expected }) => {
    const { passages } = parseScript(given, { format: 'auto', voices: [], code: 'skip' });
    expect(passages.map(short).join(' ')).toBe(expected);
  });

  it('is a script for a request with voices, else plain text', () => {
    const text = 'anna: Hello.\nBen: Hi [pause:1s] there.';
    expect(said('auto', text)).toBe(said('script', text));
    expect(parseScript(text, { format: 'auto', voices: [], code: 'skip' }).passages).toEqual([{ text, marks: [] }]);
  });
});

describe('Markdown', () => {
  it.each(rowsOf(import.meta.dirname, 'markdown.tsv'))('reads %s', (_what, text, passages) => {
    expect(said('markdown', text)).toBe(passages);
  });

  it('warns of formulas that have no words', () => {
    const { warnings } = parseScript('So $\\sum_{i=1}^n i$, $x^2$ and $\\prod_i a_i$.', {
      format: 'markdown',
      voices: [],
      code: 'skip',
    });
    expect(warnings).toEqual(['formulas that have no words are left out (2, first "\\\\sum_{i=1}^n i")']);
  });

  it('reads blocks of code when asked to', () => {
    expect(said('markdown', 'Before.\n\n```js\nlet a;\n```\n\nAfter.', 'read')).toBe('Before.|0.9| let a;|0.9| After.');
  });
});

describe('SSML', () => {
  it.each(rowsOf(import.meta.dirname, 'ssml.tsv'))('%s %s', (outcome, _what, text, result) => {
    if (outcome === 'reads') expect(said('ssml', speak(text))).toBe(result);
    else if (outcome === 'warns of') expect(parsed('ssml', speak(text)).warnings).toEqual([result]);
    else expect(() => parsed('ssml', text)).toThrow(new SvcError('INVALID_REQUEST', result));
  });

  it('does not cut a sentence where a language begins or ends', () => {
    const { passages } = parsed('ssml', speak('I like <lang xml:lang="fr-FR">Paris</lang> a lot.'));
    expect(passages.map(({ text }) => text)).toEqual(['I like Paris a lot.']);
  });

  it('warns once of what comes often', () => {
    expect(parsed('ssml', speak('<foo>a</foo>'.repeat(100))).warnings).toHaveLength(1);
  });

  it('refuses a voice that the request does not give', () => {
    expect(() => parsed('ssml', speak('<voice name="carl">a</voice>'))).toThrow(
      'unknown voice "carl" at line 1, column 27 of the script (available: anna, Ben, Dr. Ø)',
    );
  });
});

it('reads one text in different ways', () => {
  const read = (voices: readonly string[], code: 'skip' | 'read') =>
    parseScript('# One\n\n```\ntwo\n```\n', { format: 'markdown', voices, code });
  expect(read(['anna'], 'skip').passages).toHaveLength(1);
  expect(read(['anna'], 'read').passages).toHaveLength(2);
  expect(read(['ben'], 'skip').passages).toHaveLength(1);
});

it('reads Markdown down to 20 levels, in a time that lines of more do not multiply', () => {
  const read = (text: string) => parseScript(text, { format: 'markdown', voices: [], code: 'skip' }).passages;
  const list = (levels: number) =>
    Array.from({ length: levels }, (_, at) => `${'  '.repeat(at)}- item ${at + 1}\n`).join('');
  expect(read(list(9)).at(-1)?.text).toBe('item 9');
  expect(read(`${'> '.repeat(19)}a`)[0]?.text).toBe('a');
  expect(read(`${'> '.repeat(30)}a\n\nb`).map(({ text }) => text)).toEqual(['b']);
});

describe('script tags', () => {
  it.each(rowsOf(import.meta.dirname, 'tags.tsv'))('%s %s: %j', (outcome, _what, text, result) => {
    if (outcome === 'reads') expect(said('script', text)).toBe(result);
    else if (outcome === 'warns of') expect(parsed('script', `${text}\n${text}`).warnings).toEqual([result]);
    else expect(() => parsed('script', text)).toThrow(new SvcError('INVALID_REQUEST', result));
  });

  it('reads dialogue of speakers with any character in their names', () => {
    const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
    for (const character of [...printable, '·', 'é', 'e\u0301', '安', '٣', '\u{1f600}']) {
      const name = `a${character}b`;
      const { passages } = parseScript(`${name}: Hello.`, { format: 'script', voices: ['ben', name], code: 'skip' });
      expect(passages).toEqual([expect.objectContaining({ text: 'Hello.', voice: name })]);
    }
  });

  it('takes other brackets for text', () => {
    const text = '[1] [noise] [laughing] [note: see] [sic] [pause:1s] [voice:anna] [a: b';
    expect(parsed('script', text).warnings).toEqual([]);
  });

  it('warns of tags in a text that is not a script', () => {
    const options = { voices: [], code: 'skip' } as const;
    const text = 'Hi [sic] [pause:1.5s] there.';
    expect(parseScript(text, { ...options, format: 'auto' }).warnings).toEqual([
      'script tags such as "[pause:1.5s]" are read as text; set the input format to "script" (--input-format, over HTTP input_format)',
    ]);
    expect(parseScript(text, { ...options, format: 'plain' }).warnings).toEqual([]);
    expect(parseScript('[pause:long] [x]', { ...options, format: 'auto' }).warnings).toEqual([]);
  });

  it('reads tags of voices in any text', () => {
    const read = (text: string) =>
      parseScript(text, { voices: ['anna'], code: 'skip', format: 'markdown' }).passages.map(
        ({ voice, text: said }) => `${voice ?? '-'}: ${said}`,
      );
    expect(detectFormat('Hi. [voice:anna] There.', [], 'followed')).toBe('script');
    expect(detectFormat('# Hi.\n\n[voice:anna] There.', [], 'followed')).toBe('markdown');
    expect(detectFormat('Hi. [voice:anna] There.', [])).toBe('plain');
    expect(read('# One\n\nTwo **b** [voice:Anna] three.\n\nFour `[voice:x]` [voice:default] five.')).toEqual([
      '-: One',
      '-: Two b',
      'anna: three.',
      'anna: Four [voice:x]',
      '-: five.',
    ]);
    expect(() => read('a [voice:anan] b')).toThrow(
      'unknown voice "anan" in the text (available: anna); did you mean "anna"?',
    );
    // Brackets are common where nobody says that they are tags.
    expect(read('a [pause: dramatic] b')).toEqual(['-: a [pause: dramatic] b']);
    expect(voiceNamesIn('# a\n\n[voice:Anna] `[voice:x]`\n\n```\n[voice:y]\n```\n', 'markdown')).toEqual(['Anna']);
    expect(voiceNamesIn('# a\n\n[voice:Anna]', 'auto')).toEqual([]);
    expect(voiceNamesIn('# a\n\n[voice:Anna]', 'auto', [], 'followed')).toEqual(['Anna']);
  });

  it('refuses a voice where the request gives none', () => {
    expect(() => parseScript('[voice:anna] a', { format: 'script', voices: [], code: 'skip' })).toThrow(
      'unknown voice "anna" on line 1 of the script (none is given; use voices, or --voices on the command line)',
    );
  });
});

describe('turns', () => {
  it.each(cases('turns'))('may have $case', ({ given, expected }) => expect(said('turns', given)).toBe(expected));

  it.each(cases('no turns'))('refuses $given', ({ given, expected }) =>
    expect(() => parsed('turns', given)).toThrow(expected),
  );

  it.each([
    [
      JSON.stringify(Array(1001).fill({ text: 'a' })),
      'turns must be an array of at most 1000 turns, got an array of 1001',
    ],
    ['['.repeat(100_000), 'turns must be a JSON array'],
  ])('refuses %.40s', (text, message) => expect(() => parsed('turns', text)).toThrow(message));

  it('name their voices', () => {
    const list = [
      { text: '[voice:ben] a', voice: 'anna' },
      { text: '[voice:zoe] a', format: 'script' },
      { text: '<speak><voice name="max">a</voice></speak>', format: 'auto', voice: 'Anna' },
    ];
    expect(voiceNamesIn(JSON.stringify(list), 'turns')).toEqual(['anna', 'zoe', 'max']);
  });
});
