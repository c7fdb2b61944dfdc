/**
 * Chapters in sections of a few minutes. Each section is spoken by a request of its own, so that what is finished can be
 * kept when a run ends early.
 */
import { type Passage, passagesOf, structurePauses } from '../engine/script/passage.ts';
import { isSpeakable } from '../engine/text/clean.ts';
import { estimateSeconds } from '../engine/text/estimate-seconds.ts';
import { sentencesOf } from '../engine/text/sentences.ts';
import { splitStyle } from '../engine/text/style.ts';
import type { Chapter } from './book.ts';
import { lettersOf } from './chapter-pieces.ts';

export interface Section {
  /** SSML, as a request carries text only, and the pauses of the page are to stay. */
  readonly text: string;
  /** Length of what is spoken. */
  readonly characters: number;
  /** Estimated length of the speech, with its pauses. */
  readonly seconds: number;
  /** Silence before the next section of the chapter. */
  readonly pauseSeconds: number;
}

export interface SpokenChapter {
  readonly title: string;
  readonly sections: readonly Section[];
}

/** Characters of three minutes of speech: what is lost when a run is killed. */
const sectionLength = 2_500;
/** Pause after parentheses at the beginning of a section or a turn. */
const asideSeconds = 0.2;

/** @returns a reason to leave the chapter out if there is nothing to speak besides its title */
export function sectionsOf(
  { title, segments }: Chapter,
  extent: 'whole' | 'preview' = 'whole',
): SpokenChapter | { readonly title: string; readonly reason: string } {
  const all = passagesOf(segments).filter(({ text }) => text !== '');
  const spoken = all.map(({ text }) => text).join(' ');
  if (!isSpeakable(spoken)) return { title, reason: 'has no words' };
  if (lettersOf(spoken) === lettersOf(title)) return { title, reason: 'has no words besides its title' };
  const passages = extent === 'preview' ? previewOf(all, title) : all;
  const sections: Section[] = [];
  let open: Passage[] = [];
  let characters = 0;
  for (const passage of passages) {
    open.push(passage);
    characters += passage.text.length;
    // Where another voice follows within a paragraph, its text decides on the pause.
    if (characters < sectionLength || passage.pauseSeconds === undefined) continue;
    sections.push(sectionFrom(open, characters));
    open = [];
    characters = 0;
  }
  if (open.length > 0) sections.push(sectionFrom(open, characters));
  return { title, sections };
}

/** The headings, and the first sentence behind them. */
function previewOf(passages: readonly Passage[], title: string): readonly Passage[] {
  const preview: Passage[] = [];
  for (const passage of passages) {
    const [first] = sentencesOf(passage.text);
    const text = passage.text.slice(0, first?.end).trim();
    preview.push({ ...passage, text, marks: [] });
    const isHeading = passage.pauseSeconds === structurePauses.heading || lettersOf(text) === lettersOf(title);
    if (!isHeading && isSpeakable(text)) break;
  }
  return preview;
}

function sectionFrom(passages: readonly Passage[], characters: number): Section {
  const last = passages.at(-1);
  const turns = passages.flatMap((passage, index) =>
    index === 0 || passage.voice !== passages[index - 1]?.voice ? withoutStyle(passage) : [passage],
  );
  const body = turns.map(({ text, pauseSeconds, voice }, index) => {
    const pause = pauseSeconds === undefined || index === turns.length - 1 ? ' ' : `<break time="${pauseSeconds}s"/>`;
    const spoken = escapeXml(text);
    return (
      (voice === undefined ? spoken : `<voice name="${escapeXml(voice).replaceAll('"', '&quot;')}">${spoken}</voice>`) +
      pause
    );
  });
  return {
    text: `<speak>${body.join('').trimEnd()}</speak>`,
    characters,
    seconds: passages.reduce((sum, { text, pauseSeconds = 0 }) => sum + estimateSeconds(text) + pauseSeconds, 0),
    pauseSeconds: last?.pauseSeconds ?? structurePauses.paragraph,
  };
}

/**
 * In front of the text of a request or a voice, parentheses are the style of all that follows. Those of a book are text, so a
 * short pause follows them: parentheses alone are spoken.
 */
function withoutStyle(passage: Passage): readonly Passage[] {
  const { style, text } = splitStyle(passage.text);
  if (style === '') return [passage];
  return [
    { ...passage, text: style.trim(), pauseSeconds: asideSeconds },
    { ...passage, text },
  ];
}

/** Characters that XML forbids are not spoken. */
const escapeXml = (text: string): string =>
  text
    .replace(/(?![\t\n\r])[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
