import { describe, expect, it } from '@jest/globals';
import { findCut, type Pending } from '../../../src/engine/live/find-cut.ts';
import { textWindow } from '../../../src/engine/live/read-ahead.ts';
import { sentencesOf } from '../../../src/engine/text/sentences.ts';
import { languages } from '../text/languages.ts';

const pending: Pending = { text: '', state: 'written', markup: 'none', least: 'sentence', maxCharacters: 280 };

/** The beginning that is spoken; undefined if more has to be written first. */
function spoken(given: Partial<Pending>): string | undefined {
  const cut = findCut({ ...pending, ...given });
  return cut && given.text?.slice(0, cut.length);
}

/** Pieces of a text that is written in tokens of this size and spoken whenever something can be. */
function pieces(text: string, size: number, given: Partial<Pending> = {}): string[] {
  const found: string[] = [];
  let rest = '';
  for (let at = 0; at < text.length; at += size) {
    rest += text.slice(at, at + size);
    for (let piece = spoken({ ...given, text: rest }); piece !== undefined; piece = spoken({ ...given, text: rest })) {
      found.push(piece);
      rest = rest.slice(piece.length);
    }
  }
  return [...found, rest];
}

const sizes = [1, 2, 3, 4, 5, 6, 7];

describe('findCut', () => {
  it.each<[string, Partial<Pending>, string | undefined]>([
    ['waits for a word after a sentence', { text: 'One is the first. Tw' }, undefined],
    ['cuts at the end of a sentence', { text: 'One is the first. Two is' }, 'One is the first.'],
    ['takes all sentences that are complete', { text: 'One is it. Two is too. Three is' }, 'One is it. Two is too.'],
    ['waits for more than a short sentence', { text: 'No. This is ' }, undefined],
    ['takes a short sentence if the writer pauses', { text: 'No. This is ', state: 'quiet' }, 'No.'],
    ['takes the sentence at the end if the writer pauses', { text: 'One is. Two.', state: 'quiet' }, 'One is. Two.'],
    ['does not take a title at the end for a sentence', { text: 'This is Dr.', state: 'quiet' }, undefined],
    ['takes everything if nothing follows', { text: 'One is. Tw', state: 'ended' }, 'One is. Tw'],
    ['cuts between paragraphs', { text: 'A title\n\nOne is. Two is' }, 'A title\n\n'],
    ['needs no mark for a paragraph', { text: 'one two\n\n' }, 'one two\n'],
    ['waits for the line after a line', { text: 'one is the first item\n- t' }, undefined],
    ['cuts before an item of a list', { text: 'one is the first item\n- two is the next' }, 'one is the first item\n'],
    ['keeps white space in front with the text', { text: '\n\n One is the first. Two is' }, '\n\n One is the first.'],
    ['cuts Chinese before the next character', { text: '今天天气很好。你' }, '今天天气很好。'],
    ['waits for what follows a quotation', { text: '他说：“今天天气很好。”然' }, undefined],
    ['waits for the end of brackets', { text: 'One is (the first. Two is ' }, undefined],
    [
      'keeps a smiley from holding the text',
      { text: 'I am so sad :( But it is fine. Now ' },
      'I am so sad :( But it is fine.',
    ],
    ['waits for the end of a tag', { text: 'One is the first. [voice:an' }, undefined],
    ['ends a sentence before a tag', { text: 'One is the first. [pause:1s] Two ' }, 'One is the first.'],
    ['keeps marks of Markdown in plain text', { text: 'One **is the first. Two is ' }, 'One **is the first.'],
  ])('%s', (_, given, expected) => {
    expect(spoken(given)).toBe(expected);
  });

  it.each<[string, Partial<Pending>, string | undefined]>([
    ['cuts at a clause', { text: 'Well, to be honest, I' }, 'Well, to be honest,'],
    ['prefers a sentence that is there', { text: 'Well, to be honest, yes. I am' }, 'Well, to be honest, yes.'],
    ['takes only the first sentence', { text: 'One is the first. Two is the next. Three is' }, 'One is the first.'],
    ['waits for more than a short clause', { text: 'Yes, I am' }, undefined],
    ['knows numbers', { text: 'It costs 1,000 to' }, undefined],
    ['knows abbreviations', { text: 'We saw it with Dr. ' }, undefined],
    ['does not cut a style', { text: '(calm, slow, and very soft' }, undefined],
    ['cuts Chinese', { text: '今天天气很好，我们' }, '今天天气很好，'],
    [
      'cuts a sentence that is longer than a part',
      { text: 'one two '.repeat(5), maxCharacters: 30 },
      'one two one two ',
    ],
  ])('begins: %s', (_, given, expected) => {
    expect(spoken({ ...given, least: 'clause' })).toBe(expected);
  });

  it.each<[string, string, string | undefined]>([
    ['waits for the end of emphasis', 'This **is bold. Very', undefined],
    ['does not cut emphasis', 'This **is bold. Very bold** or not ', undefined],
    ['ends a sentence in emphasis', '**One is the first.** Two is', '**One is the first.**'],
    ['waits for the address of a link', 'One is this: [a. B](http://a.b/?c= and ', undefined],
    ['ends a sentence before a link', 'One is the first. See [this](http://a.b/?c=', 'One is the first.'],
    ['cuts before code', 'One is this:\n```js\nlet a = 1;\n\nlet', 'One is this:\n'],
    ['waits for the end of code', '```js\nlet a = 1;\n\n// One is. Two is\n``', undefined],
    ['takes code as a whole', '```js\nlet a = 1;\n\n```\nAnd then', '```js\nlet a = 1;\n\n```\n'],
    ['waits for the end of a table', '| a |\n|---|\n| One is. Two is. |\n', undefined],
    ['takes a table as a whole', '| a |\n|---|\n| One is. |\n\nThen', '| a |\n|---|\n| One is. |\n'],
    ['takes a bullet for no emphasis', '* One is the first. Two is', '* One is the first.'],
  ])('in Markdown: %s', (_, text, expected) => {
    expect(spoken({ text, markup: 'markdown' })).toBe(expected);
  });

  it.each(Object.entries(languages))('ends only sentences of %s, whatever the tokens', (_, texts) => {
    for (const marked of texts) {
      const text = marked.replaceAll('|', '');
      const ends = new Set([...sentencesOf(text)].map(({ end }) => end));
      for (const size of sizes) {
        const found = pieces(text, size);
        expect(found.join('')).toBe(text);
        let end = 0;
        for (const piece of found) {
          end += piece.length;
          if (!ends.has(end)) throw new Error(`cut after "${text.slice(0, end)}" with tokens of ${size}`);
        }
      }
    }
  });

  it('cuts the same clauses and parts whatever the tokens', () => {
    const text = 'Well, to be honest, I have no idea, and nobody has. '.repeat(3) + 'one two three '.repeat(30);
    const expected = pieces(text, 1, { least: 'clause' });
    expect(expected.join('')).toBe(text);
    expect(expected.length).toBeGreaterThan(5);
    for (const size of sizes) expect(pieces(text, size, { least: 'clause' })).toEqual(expected);
  });

  it.each([
    ['one word', 'a'.repeat(textWindow)],
    ['open brackets', '['.repeat(textWindow)],
    ['emoji', '😀'.repeat(textWindow / 2)],
    ['a quotation', '"'.repeat(textWindow)],
    ['a table', '| a |'.repeat(textWindow).slice(0, textWindow)],
    ['white space', ' '.repeat(textWindow)],
  ])('cuts any text as long as the window: %s', (_, text) => {
    for (const markup of ['none', 'markdown'] as const) {
      const found = spoken({ text, markup }) ?? '';
      expect(found.length).toBeGreaterThan(0);
      expect(found).not.toMatch(/[\ud800-\udbff]$/);
    }
  });

  it('opens code again that is longer than the window', () => {
    const text = `~~~~\n${'let a = 1;\n'.repeat(500)}`.slice(0, textWindow);
    expect(findCut({ ...pending, text, markup: 'markdown' })).toEqual({
      length: text.lastIndexOf('\n') + 1,
      ends: 'paragraph',
      reopen: '~~~~\n',
    });
  });
});
