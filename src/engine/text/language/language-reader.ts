/**
 * The language of each paragraph of a text: what is stated wins, then that of the voice, then what the paragraph's own words clearly tell, then the
 * language of the document, then that of its neighbours. Where nothing is certain, it is unknown, and digits stay as written.
 */
import { certain, detectLanguage, languageOf } from './detect-language.ts';

export interface FoundLanguage {
  /** A BCP 47 tag; undefined if unknown. */
  readonly tag: string | undefined;
  /** How it was found: as the request or the script states, by the voice, the words, the document's language, or its other paragraphs. */
  readonly by: 'stated' | 'voice' | 'text' | 'document' | 'neighbours' | 'model' | 'unknown';
}

/** From here on, a text is in this language, as far as the next one. */
export interface LanguageStretch {
  readonly start: number;
  readonly language: FoundLanguage;
}

export interface KnownLanguages {
  /** Language that the request states. */
  readonly stated?: string | undefined;
  /** Language of the document or the server, for a text that doesn't show its own. */
  readonly document?: string | undefined;
  /** Those that the model speaks. */
  readonly spoken?: readonly string[] | undefined;
  /** Language of a text that shows next to nothing. */
  readonly fallback?: string | undefined;
}

export interface LanguageReader {
  /** The language of the next paragraph. @param stated by the script, for this paragraph */
  read(paragraph: string, stated?: string): FoundLanguage;
}

/** Certainty from which a paragraph's own words decide against the language of the document. */
const certainAgainstDocument = 0.95;
/** Certainty below which a text shows next to nothing. */
const hardlyAny = 0.4;
/** How much of a document is read for the language of its neighbours, in characters. */
const mostSampled = 8000;

/** @param texts of the document, in their order */
export function createLanguageReader(known: KnownLanguages, texts: Iterable<string> = []): LanguageReader {
  const { stated: ofRequest, document, spoken, fallback } = known;
  const only = onlyLanguage(spoken);
  let previous: string | undefined;
  /** That of the whole document, once it is needed. */
  let main: Pick<FoundLanguage, 'tag'> | undefined;

  return {
    read(paragraph, ofScript) {
      const stated = ofScript ?? ofRequest;
      if (stated !== undefined) return { tag: stated, by: 'stated' };
      const detected = detectLanguage(paragraph);
      if (detected.certainty >= (document === undefined ? certain : certainAgainstDocument)) {
        previous = detected.tag;
        return { tag: detected.tag, by: 'text' };
      }
      if (document !== undefined && fitsLetters(document, paragraph)) return { tag: document, by: 'document' };
      if (previous === undefined) main ??= { tag: mainLanguage(texts) };
      const neighbour = previous ?? main?.tag;
      if (neighbour !== undefined && fitsLetters(neighbour, paragraph)) return { tag: neighbour, by: 'neighbours' };
      // Words that several languages share, but not this one, show that it is none of it.
      const isOther = fallback !== undefined && (detected.words?.size ?? 0) > 0 && !detected.words?.has(fallback);
      const isUnknown = !isOther && (detected.certainty < hardlyAny || detected.tag === fallback);
      const possible = only ?? (isUnknown ? fallback : undefined);
      return possible === undefined ? { tag: undefined, by: 'unknown' } : { tag: possible, by: 'model' };
    },
  };
}

const latinWord = /\p{Script=Latin}{2}/u;
/** Languages whose texts have words in Latin letters only among others. */
const otherScripts = new Set(['ar', 'el', 'he', 'hi', 'ja', 'km', 'ko', 'lo', 'my', 'ru', 'th', 'zh']);

/** Whether a paragraph may be in a language: words in Latin letters alone are in one that has these. */
const fitsLetters = (tag: string, paragraph: string): boolean =>
  !otherScripts.has(tag) || !latinWord.test(paragraph) || /(?!\p{Script=Latin})\p{L}/u.test(paragraph);

/** The language of texts in Latin letters of a model that speaks one such language. */
function onlyLanguage(spoken: readonly string[] = []): string | undefined {
  const latin = spoken.filter((tag) => new Intl.Locale(tag).maximize().script === 'Latn');
  return latin.length === 1 ? latin[0] : spoken.length === 1 ? spoken[0] : undefined;
}

/** The language of most of a document, by its beginning; undefined if that is uncertain. */
export function mainLanguage(texts: Iterable<string>): string | undefined {
  let sample = '';
  for (const text of texts) {
    sample += `${text.slice(0, mostSampled)}\n`;
    if (sample.length >= mostSampled) break;
  }
  return languageOf(sample);
}
