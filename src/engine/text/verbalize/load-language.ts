/** Languages by their tags, each loaded when a text in it is met. */
import { languageTagOf } from '../language/language-tags.ts';
import type { Language } from './language.ts';
import type { LanguageSettings, LanguageSource } from './languages/settings.ts';

/** A language of its generated file and its rules. */
async function define(
  tag: string,
  source: Promise<LanguageSource>,
  own: Promise<{ readonly rules: LanguageSettings }>,
): Promise<Language> {
  const { defineLanguage } = await import('./languages/define-language.ts');
  return defineLanguage(tag, await source, (await own).rules);
}
const few = (tag: string): Promise<{ readonly rules: LanguageSettings }> =>
  import('./languages/few-rules.ts').then(({ fewRules }) => ({ rules: fewRules[tag] as LanguageSettings }));

const loaders: Readonly<Record<string, () => Promise<Language>>> = {
  ar: () => define('ar', import('./generated/ar.ts'), import('./languages/ar.ts')),
  da: () => define('da', import('./generated/da.ts'), import('./languages/da.ts')),
  de: () => define('de', import('./generated/de.ts'), import('./languages/de.ts')),
  el: () => define('el', import('./generated/el.ts'), few('el')),
  en: () => import('./languages/english/english.ts').then(({ english }) => english),
  es: () => define('es', import('./generated/es.ts'), import('./languages/es.ts')),
  fi: () => define('fi', import('./generated/fi.ts'), import('./languages/fi.ts')),
  fr: () => define('fr', import('./generated/fr.ts'), import('./languages/fr.ts')),
  he: () => define('he', import('./generated/he.ts'), few('he')),
  hi: () => define('hi', import('./generated/hi.ts'), import('./languages/hi.ts')),
  id: () => define('id', import('./generated/id.ts'), few('id')),
  it: () => define('it', import('./generated/it.ts'), import('./languages/it.ts')),
  ja: () => define('ja', import('./generated/ja.ts'), import('./languages/ja.ts')),
  km: () => define('km', import('./generated/km.ts'), few('km')),
  ko: () => define('ko', import('./generated/ko.ts'), import('./languages/ko.ts')),
  lo: () => define('lo', import('./generated/lo.ts'), few('lo')),
  ms: () => define('ms', import('./generated/ms.ts'), few('ms')),
  my: () => define('my', import('./generated/my.ts'), few('my')),
  nb: () => define('nb', import('./generated/nb.ts'), import('./languages/nb.ts')),
  nl: () => define('nl', import('./generated/nl.ts'), import('./languages/nl.ts')),
  pl: () => define('pl', import('./generated/pl.ts'), import('./languages/pl.ts')),
  pt: () => define('pt', import('./generated/pt.ts'), import('./languages/pt.ts')),
  ru: () => define('ru', import('./generated/ru.ts'), import('./languages/ru.ts')),
  sv: () => define('sv', import('./generated/sv.ts'), import('./languages/sv.ts')),
  sw: () => define('sw', import('./generated/sw.ts'), few('sw')),
  th: () => define('th', import('./generated/th.ts'), few('th')),
  tl: () => define('tl', import('./generated/tl.ts'), few('tl')),
  tr: () => define('tr', import('./generated/tr.ts'), import('./languages/tr.ts')),
  vi: () => define('vi', import('./generated/vi.ts'), import('./languages/vi.ts')),
  zh: () => import('./languages/chinese/chinese.ts').then(({ chinese }) => chinese),
};

/** Tags of the languages whose numbers can be said. */
export const verbalizedLanguages = Object.keys(loaders);

const loaded = new Map<string, Language>();

/** A language that has been loaded. */
export const loadedLanguage = (tag: string): Language | undefined => loaded.get(languageTagOf(tag));

/** Whether numbers of a language can be said. */
export const isVerbalized = (tag: string): boolean => loaders[languageTagOf(tag)] !== undefined;

/** Loads a language, unless its numbers can't be said. */
export async function loadLanguage(tag: string): Promise<Language | undefined> {
  const name = languageTagOf(tag);
  const language = await loaders[name]?.();
  if (language !== undefined && !loaded.has(name)) loaded.set(name, language);
  return loaded.get(name);
}

/** The same for work in steps, which continues at once if the language is there. */
export function* languageSteps(tag: string): Generator<Promise<unknown>, Language | undefined, undefined> {
  if (!isVerbalized(tag)) return undefined;
  if (loadedLanguage(tag) === undefined) yield loadLanguage(tag);
  return loadedLanguage(tag);
}
