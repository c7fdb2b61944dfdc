/**
 * Chapters in sections of a few minutes. Each section is spoken by a request of its own, so that what is finished can be
 * kept when a run ends early.
 */
import { type Passage, passagesOf, structurePauses } from '../engine/script/passage.ts';
import { isSpeakable } from '../engine/text/clean.ts';
import type { Chapter } from './epub.ts';

export interface Section {
  /** SSML, as a request carries text only, and the pauses of the page are to stay. */
  readonly text: string;
  /** Length of what is spoken. */
  readonly characters: number;
  /** Silence before the next section of the chapter. */
  readonly pauseSeconds: number;
}

export interface SpokenChapter {
  readonly title: string;
  readonly sections: readonly Section[];
}

/** Characters of three minutes of speech: what is lost when a run is killed. */
const sectionLength = 2_500;

/** @returns a reason to leave the chapter out if there is nothing to speak besides its title */
export function sectionsOf({
  title,
  segments,
}: Chapter): SpokenChapter | { readonly title: string; readonly reason: string } {
  const passages = passagesOf(segments).filter(({ text }) => text !== '');
  const spoken = passages.map(({ text }) => text).join(' ');
  if (!isSpeakable(spoken)) return { title, reason: 'has no words' };
  if (lettersOf(spoken) === lettersOf(title)) return { title, reason: 'has no words besides its title' };
  const sections: Section[] = [];
  let open: Passage[] = [];
  for (const [index, passage] of passages.entries()) {
    open.push(passage);
    const next = passages[index + 1]?.text ?? '';
    // At the beginning of a request, parentheses are a style.
    if (lengthOf(open) < sectionLength || /^[(（]/u.test(next)) continue;
    sections.push(sectionFrom(open));
    open = [];
  }
  if (open.length > 0) sections.push(sectionFrom(open));
  return { title, sections };
}

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

const lengthOf = (passages: readonly Passage[]): number => passages.reduce((sum, { text }) => sum + text.length, 0);

function sectionFrom(passages: readonly Passage[]): Section {
  const last = passages.at(-1);
  const body = passages.map((passage) => {
    const { text, pauseSeconds } = passage;
    const pause = pauseSeconds === undefined || passage === last ? ' ' : `<break time="${pauseSeconds}s"/>`;
    return escapeXml(text) + pause;
  });
  return {
    text: `<speak>${body.join('').trimEnd()}</speak>`,
    characters: lengthOf(passages),
    pauseSeconds: last?.pauseSeconds ?? structurePauses.paragraph,
  };
}

/** Characters that XML forbids are not spoken. */
const escapeXml = (text: string): string =>
  text
    .replace(/(?![\t\n\r])[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
