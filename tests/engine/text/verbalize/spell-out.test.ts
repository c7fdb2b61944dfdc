import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { languages, moduleOf } from '../../../../scripts/cldr-spoken.ts';
import { createSpelling, pluralCategory } from '../../../../src/engine/text/verbalize/spell-out.ts';

const folder = join(import.meta.dirname, '../../../../src/engine/text/verbalize/generated');

async function spellingOf(language: string) {
  const { numberRules } = await import(join(folder, `${language}.ts`));
  return createSpelling(language, numberRules);
}

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
  ])('%s %s %d', async (language, form, number, spoken) => {
    expect((await spellingOf(language)).spellOut(form, number)).toBe(spoken);
  });

  it('knows signs and plurals', async () => {
    const [german, spanish] = [await spellingOf('de'), await spellingOf('es')];
    expect([german.minus(), german.point(), spanish.point()]).toEqual(['minus', 'Komma', 'coma']);
    expect(createSpelling('xx', '').minus()).toBeUndefined();
    expect(pluralCategory('ru', 2)).toBe('few');
  });
});

// Names of months and the order of dates depend on the ICU that wrote them.
const withoutCalendar = (module: string): string => module.replace(/\n\/\*\* Months[\s\S]*$/, '');

it.each(languages)('the generated file of %s is what its script writes', (language) => {
  const written = readFileSync(join(folder, `${language}.ts`), 'utf8');
  expect(withoutCalendar(written) === withoutCalendar(moduleOf(language))).toBe(true);
});
