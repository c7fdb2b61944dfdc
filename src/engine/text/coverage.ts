/** Finds letters, digits and signs that a model cannot read: without tokens in its tokenizer, or of a script not on its card. */
import { attempt } from '../../errors.ts';
import type { Steps } from '../../event-loop.ts';
import type { ModelInfo } from '../backend.ts';
import { cleanSteps } from './clean.ts';
import { createLanguageReader } from './language/language-reader.ts';
import { knownLanguages, type StatedLanguages, spokenLanguages } from './languages.ts';
import { scriptNames } from './scripts-of-letters.ts';
import { withSegments } from './spoken-text.ts';
import type { Tokenizer } from './tokenizer.ts';
import { verbalizeSegmentSteps } from './verbalize/verbalize.ts';

/** Codes for several scripts or a variant of one. */
const parts: Readonly<Record<string, readonly string[]>> = {
  Hans: ['Hani'],
  Hant: ['Hani'],
  Jpan: ['Hani', 'Hira', 'Kana'],
  Kore: ['Hang', 'Hani'],
};

const shown = 8;
const mostScripts = 3;
const listFormat = new Intl.ListFormat('en');
const languageNames = new Intl.DisplayNames(['en'], { type: 'language' });
/** Different characters that are looked at between two steps. */
const charactersPerStep = 100;
const spoken = /[\p{L}\p{N}\p{Sc}%&@#]/u;
const digit = /\p{Nd}/u;
const remedy = 'add --normalize (normalize over HTTP)';
/** How much of a text is spelled out to see what normalization leaves. */
const longestSpelled = 10_000;
/** Characters that normalization may turn into words. */
const spelledOut = /[\p{N}\p{Sc}%&@#]/u;
/** Characters without a script of their own, such as `ª` and digits. */
const ofNoScript = /[\p{Script=Common}\p{Script=Inherited}]/u;

export interface Coverage {
  /** @returns a warning; undefined if all letters of the text are known */
  (text: string, request: StatedLanguages & { readonly normalize: boolean | 'auto' }): Steps<string | undefined>;
  /** Different letters, digits and signs of a text that are unknown, as it is. */
  readonly unknownOf: (text: string) => Steps<readonly string[]>;
}

/**
 * Creates a check of texts, to run before synthesis.
 *
 * A letter is known if the tokenizer has a token for it and its script belongs to a language on the model's card;
 * without a card, all tokens count as known. Bytes suffice for non-Latin scripts that the model is known to read, as
 * some models are trained on languages whose letters have no tokens. A Latin letter without a token is unknown.
 */
export function createCoverage(tokenizer: Tokenizer, info: Pick<ModelInfo, 'architecture' | 'limits'>): Coverage {
  const { languages } = info.limits;
  const scripts = languages === undefined ? undefined : new Set(languages.flatMap(scriptsOf));
  const read = inScripts(scripts ?? (info.architecture === 'voxcpm2' ? spokenLanguages(info).flatMap(scriptsOf) : []));
  const known = new Map<string, boolean>();

  function isKnown(character: string): boolean {
    if (scripts !== undefined && !ofNoScript.test(character) && !read.test(character)) return false;
    const tokens = tokenizer.tokensOf(character);
    return tokens === 'own' || (tokens === 'bytes' && read.test(character) && !/\p{Script=Latin}/u.test(character));
  }

  function* cover(
    text: string,
    { normalize, language, documentLanguage }: Parameters<Coverage>[1],
  ): Steps<string | undefined> {
    const cleaned = yield* cleanSteps(text);
    const unknown = yield* unknownOf(cleaned);
    if (normalize !== true || !unknown.some((character) => spelledOut.test(character))) {
      return warningOf(unknown, normalize === true);
    }
    // A text that is spelled out is judged by what is left; its rest, if it is long, by what is always left.
    const beginning = cleaned.slice(0, longestSpelled);
    const reader = createLanguageReader(knownLanguages({ language, documentLanguage }, info), [beginning]);
    const { text: said } = yield* withSegments(beginning, verbalizeSegmentSteps(beginning, reader));
    const left = yield* unknownOf(said);
    const spelled = new Set(beginning);
    const later = unknown.filter((character) => !spelled.has(character) && !spelledOut.test(character));
    return warningOf([...left, ...later], true);
  }

  return Object.assign(cover, { unknownOf });

  function* unknownOf(text: string): Steps<readonly string[]> {
    const unknown: string[] = [];
    let seen = 0;
    for (const character of new Set(text)) {
      seen += 1;
      if (seen % charactersPerStep === 0) yield;
      if (!spoken.test(character)) continue;
      if (!known.has(character)) known.set(character, isKnown(character));
      if (known.get(character) === false) unknown.push(character);
    }
    return unknown;
  }

  function warningOf(unknown: readonly string[], isNormalized: boolean): string | undefined {
    if (unknown.length === 0) return undefined;
    const others = unknown.filter((character) => !digit.test(character));
    if (others.length === 0 && !isNormalized) return `this model can't read digits; ${remedy}`;
    const digits = others.length === unknown.length ? [] : ['the digits'];
    const all = listFormat.format([...(others.length === 0 ? [] : [describe(others)]), ...digits]);
    const speaks =
      languages === undefined ? '' : ` (it speaks ${languages.map((tag) => languageNames.of(tag)).join(', ')})`;
    const help = !isNormalized && unknown.some((character) => spelledOut.test(character)) ? `, or ${remedy}` : '';
    return `this model cannot read ${all} of the text${speaks}; expect wrong or missing words${help}`;
  }
}

/** A few characters themselves, of more the scripts. */
function describe(characters: readonly string[]): string {
  if (characters.length <= shown) return `"${characters.join('')}"`;
  const scripts = scriptNames(characters);
  const named = scripts.length > mostScripts ? [...scripts.slice(0, mostScripts), 'other'] : scripts;
  const kind = scripts.length === 0 ? 'signs' : `${listFormat.format(named)} characters`;
  return `${kind} such as "${characters.slice(0, shown).join('')}"`;
}

function scriptsOf(language: string): readonly string[] {
  const script = new Intl.Locale(language).maximize().script ?? 'Zyyy';
  return parts[script] ?? [script];
}

function inScripts(codes: Iterable<string>): RegExp {
  const classes = [...codes].flatMap((code) => (isScript(code) ? [`\\p{Script=${code}}`] : []));
  return classes.length === 0 ? /(?!)/ : new RegExp(`[${classes.join('')}]`, 'u');
}

/** Whether this runtime supports the script code. */
const isScript = (code: string): boolean => attempt(() => new RegExp(`\\p{Script=${code}}`, 'u')) !== undefined;
