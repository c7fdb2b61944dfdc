/** Checks a book before hours of computing: its length, languages, speakers, and what may be misread. */
import { textsOf } from '../engine/script/passage.ts';
import { createLanguageReader } from '../engine/text/language/language-reader.ts';
import { wordsOf } from '../engine/text/words.ts';
import type { Chapter } from './book.ts';
import { createDoubtfulWords } from './doubtful-words.ts';
import { listChapters } from './list-chapters.ts';
import { createOddCharacters } from './odd-characters.ts';
import { suggestCast, unknownCharacter } from './suggest-cast.ts';
import { withWords } from './voice-book.ts';

export type BookCheck = ReturnType<typeof checkBook>;

/**
 * @param read chapters of the book
 * @param language that the book states
 */
export function checkBook(read: readonly Chapter[], language: string | undefined) {
  const { warnings } = listChapters({ chapters: read });
  const chapters = withWords(read);
  const { chapters: listed } = listChapters({ chapters });
  const texts = chapters.map(({ segments }) => textsOf(segments));
  const reader = createLanguageReader({ document: language }, texts.flat());
  const languages = new Map<string, number>();
  const odd = createOddCharacters();
  const doubtful = createDoubtfulWords();
  const counts = texts.map((paragraphs, index) => {
    let count = 0;
    for (const text of paragraphs) {
      if (text.trim() === '') continue;
      const words = wordsOf(text).filter((word) => /[\p{L}\p{N}\ufffd]/u.test(word));
      count += words.length;
      const tag = reader.read(text).tag ?? 'und';
      languages.set(tag, (languages.get(tag) ?? 0) + words.length);
      odd.read(text);
      doubtful.read(words, index + 1);
    }
    return count;
  });
  const quotations = new Map<string, number>();
  for (const { lines = [] } of suggestCast(chapters, ['narrator']).chapters ?? [])
    for (const { character = unknownCharacter } of lines)
      quotations.set(character, (quotations.get(character) ?? 0) + 1);
  return {
    chapters: listed.map(({ number, title, characters, seconds }, index) => {
      return { number, title, words: counts[index] ?? 0, characters, seconds };
    }),
    /** Words by BCP 47 tags, the most first; `und` where the language is unknown. */
    languages: byCount(languages).map(([tag, words]) => ({ language: tag, words })),
    /** Names beside quotations, the most talkative first; `unknown` for those without a name. */
    speakers: byCount(quotations).map(([name, count]) => ({ name, quotations: count })),
    oddCharacters: odd.found(),
    doubtfulWords: doubtful.found([...languages.keys()]),
    warnings,
  };
}

const byCount = (counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] =>
  [...counts].sort(([, one], [, other]) => other - one);
