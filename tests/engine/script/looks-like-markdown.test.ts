/** Which texts without a stated format are read as Markdown. */
import { expect, it } from '@jest/globals';
import { looksLikeMarkdown } from '../../../src/engine/script/looks-like-markdown.ts';
import { rowsOf } from '../../support/rows.ts';

it.each(rowsOf(import.meta.dirname, 'looks-like-markdown.tsv'))('takes for %s: %j', (format, text) => {
  expect(looksLikeMarkdown(text)).toBe(format === 'markdown');
});
