import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { languages, moduleOf } from '../../../../scripts/cldr-spoken.ts';
import { createSpelling, pluralCategory } from '../../../../src/engine/text/verbalize/spell-out.ts';
import { cases } from '../../cases.ts';

const folder = join(import.meta.dirname, '../../../../src/engine/text/verbalize/generated');

async function spellingOf(language: string) {
  const { numberRules } = await import(join(folder, `${language}.ts`));
  return createSpelling(language, numberRules);
}

describe('spellOut', () => {
  it.each(cases('spelling'))('$case $given', async ({ case: of, given, expected }) => {
    const [language = '', form = ''] = of.split(' ');
    expect((await spellingOf(language)).spellOut(form, Number(given))).toBe(expected);
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
