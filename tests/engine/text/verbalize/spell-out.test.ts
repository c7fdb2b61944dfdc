import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { numberRulesModule, unitsModule } from '../../../../scripts/cldr-spoken.ts';
import { minusOf, pluralCategory, pointOf, spellOut } from '../../../../src/engine/text/verbalize/spell-out.ts';

describe('spellOut', () => {
  it.each([
    ['en', 'cardinal', 1_234_567, 'one million two hundred thirty-four thousand five hundred sixty-seven'],
    ['en', 'ordinal', 21, 'twenty-first'],
    ['zh', 'cardinal', 501_000, '五十万一千'],
    ['zh', 'cardinal', 10_010, '一万零一十'],
    // Rules that the one before takes over for multiples, plurals, remainders in brackets, and other sets.
    ['fr', 'cardinal-feminine', 81, 'quatre-vingt-une'],
    ['ru', 'cardinal-feminine', 22_001, 'двадцать две тысячи одна'],
    ['pl', 'cardinal-masculine', 5000, 'pięć tysięcy'],
    ['nl', 'numbering-year', 1998, 'negentienachtennegentig'],
    ['ko', 'cardinal-native-attributive', 23, '스물세'],
    ['es', 'ordinal-feminine', 3, 'tercera'],
    ['lo', 'cardinal', 1000, 'ໜຶ່ງພັນ'],
    ['de', 'no-such-form', 5, '5'],
  ])('%s %s %d', (language, form, number, spoken) => {
    expect(spellOut(language, form, number)).toBe(spoken);
  });

  it('knows signs and plurals', () => {
    expect([minusOf('de'), pointOf('de'), pointOf('es'), minusOf('xx')]).toEqual(['minus', 'Komma', 'coma', undefined]);
    expect(pluralCategory('ru', 2)).toBe('few');
  });
});

it.each([
  ['cldr-number-rules.ts', numberRulesModule],
  ['cldr-units.ts', unitsModule],
])('%s is what its script writes', (name, write) => {
  const folder = join(import.meta.dirname, '../../../../src/engine/text/verbalize');
  expect(readFileSync(join(folder, name), 'utf8') === write()).toBe(true);
});
