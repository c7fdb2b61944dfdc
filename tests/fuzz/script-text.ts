/** Random and hostile scripts in each format. */
import { inputFormats } from '../../src/engine/script/input-formats.ts';
import { readRows } from '../support/rows.ts';
import { pick, type Random } from './random.ts';

/** Fragments to which the formats give a meaning, whole and broken, and others that break parsers of text. */
const fragments = readRows<'fragment'>('tests/fuzz/script-fragments.tsv').map(({ fragment }) => fragment);

/** Texts that took quadratic time, memory or a stack in some parser. */
const bombs: Readonly<Record<string, (size: number) => string>> = {
  'nested elements': (size) => `<speak>${'<p>'.repeat(size)}`,
  'nested and closed elements': (size) =>
    `<speak>${'<prosody rate="1.1">'.repeat(size)}a${'</prosody>'.repeat(size)}</speak>`,
  'nested quotations': (size) => `${'>'.repeat(size)} a`,
  'nested lists': (size) => `${'- '.repeat(size)}a`,
  'indented lists': (size) =>
    Array.from({ length: Math.ceil(Math.sqrt(size)) }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n'),
  'nested emphasis': (size) => `${'*a _b '.repeat(size)}`,
  'nested links': (size) => `${'['.repeat(size)}a${'](b)'.repeat(size)}`,
  'open images': (size) => '!['.repeat(size),
  'open code': (size) => '`a '.repeat(size),
  'growing code': (size) =>
    Array.from({ length: Math.ceil(Math.sqrt(size)) }, (_, length) => '`'.repeat(length)).join(' '),
  'a table of pipes': (size) => `${'|'.repeat(size)}\n${'|-'.repeat(size)}`,
  references: (size) => '[a]: b\n'.repeat(size),
  'front matter': (size) => `---\n${'a: b\n'.repeat(size)}`,
  'raw HTML': (size) => '<a href="'.repeat(size),
  'half tags': (size) => '[pause:'.repeat(size),
  tags: (size) => '[pause:1s]a'.repeat(size),
  speakers: (size) => 'anna: a\nBen: b\n'.repeat(size),
  'open brackets': (size) => '[('.repeat(size),
  phonemes: (size) => '{ni3}'.repeat(size),
  'open phonemes': (size) => '{a'.repeat(size),
  'white space': (size) => `a${' '.repeat(size)}\n${'\n'.repeat(size)}b`,
  quotes: (size) => `"'“«`.repeat(size),
  'one word': (size) => 'a'.repeat(size),
  periods: (size) => '. '.repeat(size),
  entities: (size) => `<speak>${'&amp;&#65;'.repeat(size)}</speak>`,
  'billion laughs': (size) =>
    `<!DOCTYPE lolz [<!ENTITY a "lol">${Array.from({ length: 9 }, (_, n) => `<!ENTITY a${n} "${'&a;'.repeat(size)}">`).join('')}]><speak>&a8;</speak>`,
  'an external entity': () => '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><speak>&b;</speak>',
  'a large attribute': (size) => `<speak><sub alias="${'x'.repeat(size)}">a</sub></speak>`,
  'many attributes': (size) =>
    `<speak><break ${Array.from({ length: size / 10 }, (_, n) => `a${n}="b"`).join(' ')}/></speak>`,
  'an open attribute': (size) => `<speak><break time="${'1'.repeat(size)}`,
  marks: (size) => `<speak>${'<mark name="a"/>'.repeat(size)}a</speak>`,
  warnings: (size) => `<speak>${Array.from({ length: size / 10 }, (_, n) => `<x${n}/>`).join('')}</speak>`,
  'an open comment': (size) => `<!--${'-'.repeat(size)}`,
  comments: (size) => `${'<!-- a -->'.repeat(size)}<speak>a</speak>`,
  'combining marks': (size) => `e${'\u0301'.repeat(size)}`,
  'joined emoji': (size) => '\u{1f468}\u200d'.repeat(size),
  'lone surrogates': (size) => '\ud83d'.repeat(size),
  NUL: (size) => '\0'.repeat(size),
  masks: (size) => '\u{f0000}[sigh]'.repeat(size),
};

export interface HostileScript {
  readonly text: string;
  readonly format: (typeof inputFormats)[number];
  /** Description of its hostility in one line. */
  readonly kind: string;
}

export const bombNames = Object.keys(bombs);

export const bomb = (name: string, size: number): string => bombs[name]?.(size) ?? '';

/** @param size most fragments, or the size of a bomb */
export function hostileScript(random: Random, size: number): HostileScript {
  const format = pick(random, inputFormats);
  if (random(4) === 0) {
    const name = pick(random, bombNames);
    const around = random(2) === 0 ? '' : pick(random, fragments);
    return { text: around + bomb(name, 1 + random(size)) + around, format, kind: name };
  }
  let text = random(3) === 0 ? '<speak>' : '';
  for (let left = 1 + random(size); left > 0; left -= 1) {
    const fragment = pick(random, fragments);
    text += random(10) === 0 ? fragment.repeat(1 + random(20)) : fragment;
    // Half a fragment.
    if (random(8) === 0) text = text.slice(0, -1 - random(fragment.length));
  }
  if (random(3) === 0) text += '</speak>';
  return { text, format, kind: 'fragments' };
}
