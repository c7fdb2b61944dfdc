import { describe, expect, it } from '@jest/globals';
import { sentencesOf } from '../../../src/engine/text/sentences.ts';
import { rowsOf } from '../../support/rows.ts';

/** `|` marks the end of a sentence. */
const expectSentences = (marked: string): void => {
  const text = marked.replaceAll('|', '');
  const spans = [...sentencesOf(text)];
  expect(spans.map(({ start, end }) => text.slice(start, end).trim())).toEqual(
    marked.split('|').map((part) => part.trim()),
  );
  // Nothing is lost or duplicated.
  expect(spans.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
};

describe('sentencesOf', () => {
  it.each([...rowsOf(import.meta.dirname, 'sentences.tsv'), ...rowsOf(import.meta.dirname, 'languages.tsv')])(
    '%s: %s',
    (_kind, sentences) => expectSentences(sentences),
  );

  it.each(['', ' ', '\n'])('returns blank text unchanged: %j', (text) => {
    expect([...sentencesOf(text)].map(({ start, end }) => text.slice(start, end))).toEqual(text === '' ? [] : [text]);
  });
});
