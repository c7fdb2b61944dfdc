/** Languages by their tags, each loaded when a text in it is met. */
import { languageTagOf } from '../language/language-tags.ts';
import type { Language } from './language.ts';

type Load = () => Promise<{ readonly create: () => Language }>;

const loaders: Readonly<Record<string, Load>> = {
  ar: () => import('./languages/ar.ts'),
  da: () => import('./languages/da.ts'),
  de: () => import('./languages/de.ts'),
  el: () => import('./languages/el.ts'),
  en: () => import('./languages/english/english.ts'),
  es: () => import('./languages/es.ts'),
  fi: () => import('./languages/fi.ts'),
  fr: () => import('./languages/fr.ts'),
  he: () => import('./languages/he.ts'),
  hi: () => import('./languages/hi.ts'),
  id: () => import('./languages/id.ts'),
  it: () => import('./languages/it.ts'),
  ja: () => import('./languages/ja.ts'),
  km: () => import('./languages/km.ts'),
  ko: () => import('./languages/ko.ts'),
  lo: () => import('./languages/lo.ts'),
  ms: () => import('./languages/ms.ts'),
  my: () => import('./languages/my.ts'),
  nb: () => import('./languages/nb.ts'),
  nl: () => import('./languages/nl.ts'),
  pl: () => import('./languages/pl.ts'),
  pt: () => import('./languages/pt.ts'),
  ru: () => import('./languages/ru.ts'),
  sv: () => import('./languages/sv.ts'),
  sw: () => import('./languages/sw.ts'),
  th: () => import('./languages/th.ts'),
  tl: () => import('./languages/tl.ts'),
  tr: () => import('./languages/tr.ts'),
  vi: () => import('./languages/vi.ts'),
  zh: () => import('./languages/chinese/chinese.ts'),
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
  const module = await loaders[name]?.();
  if (module !== undefined && !loaded.has(name)) loaded.set(name, module.create());
  return loaded.get(name);
}

/** The same for work in steps, which continues at once if the language is there. */
export function* languageSteps(tag: string): Generator<Promise<unknown>, Language | undefined, undefined> {
  if (!isVerbalized(tag)) return undefined;
  if (loadedLanguage(tag) === undefined) yield loadLanguage(tag);
  return loadedLanguage(tag);
}
