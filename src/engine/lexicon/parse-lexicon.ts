/** Files of pronunciations: PLS 1.0, the Pronunciation Lexicon Specification of the W3C, or lines of `word = respelling`. */
import { SaxesParser } from 'saxes';
import { xmlProblem } from '../../formats/xml-problem.ts';
import { show } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import { modelPhonemes } from '../text/model-tags.ts';
import { type LexiconEntry, longestEntry } from './lexicon.ts';

export interface ParsedLexicon {
  readonly entries: readonly LexiconEntry[];
  /** One line each: entries that a model can't follow. */
  readonly warnings: readonly string[];
}

/**
 * @param source names the file in messages
 * @throws SvcError INVALID_REQUEST with the line
 */
export const parseLexicon = (text: string, source: string): ParsedLexicon =>
  /^\uFEFF?\s*</u.test(text) ? parsePls(text, source) : parseLines(text, source);

/** Entries that are ignored, each with a warning; of a whole dictionary in another alphabet, the others are counted. */
const mostWarnings = 20;

/** `#` begins a comment line; either side may be in double quotes. */
function parseLines(text: string, source: string): ParsedLexicon {
  const entries: LexiconEntry[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const at = line.indexOf('=', 1);
    const place = `${source}, line ${index + 1}`;
    if (at === -1) throw requestError(`${place}: use the form "word = respelling", got ${show(line.trim())}`);
    entries.push(entryOf(unquoted(line.slice(0, at)), unquoted(line.slice(at + 1)), place));
  }
  return { entries, warnings: [] };
}

const unquoted = (text: string): string => text.trim().replace(/^"(.*)"$/s, '$1');

function entryOf(written: string, spoken: string, place: string): LexiconEntry {
  if (!/\S/u.test(written)) throw requestError(`${place}: the word is empty`);
  if (!/\S/u.test(spoken)) throw requestError(`${place}: ${show(written)} has no respelling`);
  if (Math.max(written.length, spoken.length) > longestEntry)
    throw requestError(`${place}: the entry is longer than ${longestEntry} characters`);
  return { written, spoken };
}

function parsePls(xml: string, source: string): ParsedLexicon {
  const entries: LexiconEntry[] = [];
  const warnings: string[] = [];
  let ignored = 0;
  const parser = new SaxesParser({ xmlns: false, position: true });
  let root: string | undefined;
  let alphabet = '';
  let graphemes: string[] = [];
  let spoken: string | undefined;
  let unreadable = false;
  let phonemeAlphabet = '';
  let content = '';
  const place = () => `${source}, line ${parser.line}`;

  parser.on('error', (error) => {
    throw requestError(`${place()}: ${xmlProblem(error)}`);
  });
  parser.on('doctype', () => {
    throw requestError(`${place()}: a document type declaration is not allowed`);
  });
  parser.on('opentag', ({ name, attributes }) => {
    content = '';
    root ??= name;
    if (root !== 'lexicon')
      throw requestError(`${place()}: the root element of PLS is <lexicon>, got <${root.slice(0, 40)}>`);
    if (name === 'lexicon') alphabet = attributes.alphabet ?? '';
    if (name === 'phoneme') phonemeAlphabet = attributes.alphabet ?? alphabet;
    if (name === 'lexeme') {
      graphemes = [];
      spoken = undefined;
      unreadable = false;
    }
  });
  const collect = (text: string): void => {
    content += text;
  };
  parser.on('text', collect);
  parser.on('cdata', collect);
  parser.on('closetag', ({ name }) => {
    const text = content.trim().replace(/\s+/gu, ' ');
    content = '';
    if (name === 'grapheme') graphemes.push(text);
    // The first pronunciation is the preferred one.
    else if (name === 'alias') spoken ??= text;
    else if (name === 'phoneme') {
      spoken ??= modelPhonemes(phonemeAlphabet, text);
      unreadable ||= spoken === undefined;
    } else if (name === 'lexeme' && spoken !== undefined) {
      for (const grapheme of graphemes) entries.push(entryOf(grapheme, spoken, place()));
    } else if (name === 'lexeme' && unreadable) {
      ignored += 1;
      if (ignored > mostWarnings) return;
      warnings.push(
        `${place()}: ${show(graphemes[0] ?? '')} is ignored: the alphabet ${show(phonemeAlphabet)} is not supported; use <alias>, or x-arpabet or x-pinyin`,
      );
    }
  });
  parser.write(xml.replace(/^\uFEFF/, '')).close();
  if (ignored > mostWarnings)
    warnings.push(`${source}: ${ignored - mostWarnings} more entries in alphabets that are not supported are ignored`);
  return { entries, warnings };
}
