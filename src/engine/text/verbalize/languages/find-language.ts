/** Languages by their tags. */
import type { Language } from '../language.ts';
import { chinese } from './chinese.ts';
import { createLanguage } from './create-language.ts';
import { eastAsian } from './east-asian.ts';
import { english } from './english/english.ts';
import { nordic } from './nordic.ts';
import { otherFamilies } from './other-families.ts';
import { romance } from './romance.ts';
import type { LanguageSettings } from './settings.ts';
import { slavic } from './slavic.ts';
import { southEastAsian } from './south-east-asian.ts';
import { westGermanic } from './west-germanic.ts';

const settings: Readonly<Record<string, LanguageSettings>> = {
  ...westGermanic,
  ...nordic,
  ...romance,
  ...slavic,
  ...eastAsian,
  ...southEastAsian,
  ...otherFamilies,
};

const created = new Map<string, Language>([
  ['en', english],
  ['zh', chinese],
]);
const aliases: Readonly<Record<string, string>> = {
  cmn: 'zh',
  yue: 'zh',
  no: 'nb',
  nn: 'nb',
  fil: 'tl',
  iw: 'he',
  in: 'id',
};

/** The language of a BCP 47 tag, if numbers of it can be said. */
export function findLanguage(tag: string): Language | undefined {
  const [primary = ''] = tag.toLowerCase().split(/[-_]/);
  const name = aliases[primary] ?? primary;
  const known = created.get(name);
  const own = settings[name];
  if (known !== undefined || own === undefined) return known;
  const language = createLanguage(name, own);
  created.set(name, language);
  return language;
}
