import { describe, expect, it } from '@jest/globals';
import { cleanText, isSpeakable } from '../../../src/engine/text/clean.ts';
import { rowsOf } from '../../support/rows.ts';
import { countedCopy, growthOf } from '../../support/work.ts';

const counted = await countedCopy<typeof import('../../../src/engine/text/clean.ts')>('src/engine/text/clean.ts');

const cases = rowsOf(import.meta.dirname, 'cleaned.tsv');

describe('cleanText', () => {
  it.each(cases)('%s: %j becomes %j', (_kind, text, cleaned) => {
    expect(cleanText(text)).toBe(cleaned);
  });

  it.each(cases)('does not change cleaned text again: %s: %j', (_kind, text) => {
    const once = cleanText(text);
    expect(cleanText(once)).toBe(once);
  });

  it('does not change ordinary text', () => {
    const text = 'Dr. Smith paid $3.50 (about 3 euros) for "it", didn\'t he? 是的，他付了。';
    expect(cleanText(text)).toBe(text);
  });

  it('does not change tags and phonemes', () => {
    const text = 'Well [Question-ah] [Uhm], {HH AH0 L OW1}! 你{hao3}[laughing]。';
    expect(cleanText(text)).toBe(text);
  });

  it.each(['a', ' ', '-', '. ', ', '])('takes linear time for %j', async (piece) => {
    expect(await growthOf((count) => counted.cleanText(piece.repeat(count)), 5_000, 20_000)).toBeLessThan(5);
  });
});

describe('isSpeakable', () => {
  it.each(['a', '7', '中', 'é', 'ß', '$', '%', '&', '½', 'ก'])('accepts %j', (text) => {
    expect(isSpeakable(`. ${text} !`)).toBe(true);
  });
  it.each(['', ' \n', '...', '?!', '"—"', '* * *', '😀', '。，'])('rejects %j', (text) => {
    expect(isSpeakable(text)).toBe(false);
  });
});
