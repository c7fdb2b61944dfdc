/** Most classes are passed over where a token begins, by what it begins with and what follows a number. */
import { expect, it } from '@jest/globals';
import { tokenSegments } from '../../../../src/engine/text/verbalize/classify.ts';
import type { Language } from '../../../../src/engine/text/verbalize/language.ts';
import { loadedLanguage } from '../../../../src/engine/text/verbalize/load-language.ts';
import { verbalizeText } from '../../../support/verbalize.ts';

const language = (tag: string): Language => loadedLanguage(tag) as Language;
/** The same, with all classes asked at every token. */
const asked = (tag: string): Language => ({
  ...language(tag),
  classes: language(tag).classes.map(({ begins, find }) => ({ begins, find })),
});

const atoms =
  `5 12 345 2024 10000 1,234 1.234 3.5 0.75 007 1/2 3/4 24.12.2025 10:30 14.30 am p.m. km kg % $ € £5 USD May mai of and
  und x × °C ' " h min Uhr million Mio. - – / ( ) . , : + = # & @ the in St Ave Nr. v1.2 II XX Chapter A AT&T Q3 FY24 Mon Fri tel. call code
  z.B. kr Rs. B2B st th s k M ½ ² 10⁶ mm m2 m/s 3rd 3:e 3. example.com me@x.org hours 年 月 公里 г. руб. ngày kl. um 90+3 -> 80s ’90`.split(
    /\s+/,
  );

it.each(['en', 'de', 'fr', 'ru', 'sv', 'tr', 'vi', 'zh'])('passes over no class that would match in %s', (tag) => {
  const [few, all] = [language(tag), asked(tag)];
  let state = 1;
  const next = (below: number): number => {
    state = (state * 48_271) % 0x7fff_ffff;
    return state % below;
  };
  const texts = Array.from({ length: 150 }, () =>
    Array.from({ length: 5 }, () => (atoms[next(atoms.length)] ?? '') + (next(3) > 0 ? ' ' : '')).join(''),
  );
  const segments = (text: string, of: Language): string =>
    JSON.stringify([...tokenSegments(text, of)].filter((segment) => segment !== undefined));
  const differing = texts.filter((text) => segments(text, few) !== segments(text, all));
  expect(differing).toEqual([]);
});

it('asks a third of the classes about ordinary numbers and words', () => {
  const { classes } = language('en');
  const finds = classes.map(({ find }) => find);
  let count = 0;
  for (const one of classes) {
    const { find } = one;
    Object.assign(one, { find: (...given: Parameters<typeof find>) => ++count && find(...given) });
  }
  verbalizeText('They sold 12 units for 1,234 each in 2024. '.repeat(50), { language: 'en' });
  for (const [index, one] of classes.entries()) Object.assign(one, { find: finds[index] });
  // Ten tokens a sentence, and about fifty classes.
  expect(count / 500).toBeLessThan(5);
});
