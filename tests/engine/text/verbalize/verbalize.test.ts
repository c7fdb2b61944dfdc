import { describe, expect, it, jest } from '@jest/globals';
import { inTurns } from '../../../../src/event-loop.ts';
import { verbalizeSegments, verbalizeText } from '../../../support/verbalize.ts';
import { countedCopy, growthOf } from '../../../support/work.ts';
import { cases } from '../../cases.ts';

const counted = await countedCopy<typeof import('../../../../src/engine/text/verbalize/verbalize.ts')>(
  'src/engine/text/verbalize/verbalize.ts',
);

describe('verbalizeText', () => {
  it.each(cases('tags among numbers'))('does not change tags and phonemes: $given', ({ given, expected }) => {
    expect(verbalizeText(given)).toBe(expected);
  });

  it.each(cases('linear numbers'))(
    'takes linear time for $case and many $given',
    async ({ case: start, given: piece }) => {
      const verbalize = (count: number) => inTurns(counted.verbalizeSteps(start + piece.repeat(count)));
      expect(await growthOf(verbalize, 500, 2_000)).toBeLessThan(4.3);
    },
  );

  it('takes the language as an option', () => {
    expect(verbalizeText('1.234', { language: 'en' })).toBe('one point two three four');
    expect(verbalizeText('1.234', { language: 'de-AT' })).toBe('eintausendzweihundertvierunddreißig');
    expect(verbalizeText('3', { language: 'nob' })).toBe('three');
    // Unknown languages are found as without it.
    expect(verbalizeText('Il totale è 3', { language: 'xx' })).toBe('Il totale è tre');
  });

  it('shows which stretches are spoken otherwise', () => {
    const text = 'It cost {ni3} $5 in 2026, 5km.';
    const segments = verbalizeSegments(text);
    expect(segments.map(({ start, end }) => text.slice(start, end))).toEqual(['$5', '2026', '5km']);
    expect(segments.map(({ spoken }) => spoken)).toEqual(['five dollars', 'twenty twenty-six', 'five kilometers']);
    const chinese = '他说I have 3 dogs and 2 cats然后走了2次';
    expect(verbalizeSegments(chinese).map(({ start, spoken }) => [chinese.slice(0, start).length, spoken])).toEqual([
      [9, 'three'],
      [20, 'two'],
      [30, '两'],
    ]);
  });
});

it('searches a paragraph no further than its end', () => {
  const exec = jest.spyOn(RegExp.prototype, 'exec');
  const text = '5 apples.\n'.repeat(200);
  verbalizeText(text);
  const searching = exec.mock.contexts.flatMap((pattern, call) =>
    String(pattern).includes('\\ue000') ? [(exec.mock.calls[call] as [string])[0].length] : [],
  );
  exec.mockRestore();
  expect(searching.length).toBeGreaterThan(200);
  expect(searching.filter((length) => length < text.length).length).toBeGreaterThan(searching.length / 2);
});
