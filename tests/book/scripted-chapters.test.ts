import { describe, expect, it } from '@jest/globals';
import type { Chapter } from '../../src/book/book.ts';
import { htmlSegments } from '../../src/book/html-segments.ts';
import { scriptChapters, voiceTagsIn } from '../../src/book/scripted-chapters.ts';
import { passagesOf } from '../../src/engine/script/passage.ts';

const chapter = (title: string, ...paragraphs: readonly string[]): Chapter => ({
  title,
  segments: htmlSegments(paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('')),
});

const spoken = (chapters: readonly Chapter[]) =>
  chapters.map(({ segments }) =>
    passagesOf(segments).map(({ voice, text, pauseSeconds }) => `${voice ?? '-'}: ${text}|${pauseSeconds ?? ''}`),
  );

it('tags change the voice to the end of the chapter, and state pauses', () => {
  const chapters = [
    chapter('One', 'She [voice:anna] said. [pause:2s] Well.', 'Then.', '[voice:default] Over.'),
    chapter('Two', '[voice:Ben]', 'Hello.'),
    chapter('Three', 'Plain.'),
  ];
  const scripted = scriptChapters(chapters, ['anna', 'ben']);
  expect(spoken(scripted.chapters)).toEqual([
    ['-: She|', 'anna: said.|2', 'anna: Well.|0.9', 'anna: Then.|0.9', '-: Over.|'],
    ['ben: Hello.|'],
    ['-: Plain.|'],
  ]);
  expect(scripted.chapters[2]).toBe(chapters[2]);
  expect([...scripted.spoken]).toEqual(['anna', 'ben']);
  expect([...voiceTagsIn(chapters)]).toEqual([
    ['anna', 'One'],
    ['Ben', 'Two'],
  ]);
});

it('paragraphs begin with speakers, also in bold', () => {
  const chapters = [chapter('One', '<b>Anna:</b> One.', 'Two.', 'Ben: Three.', 'Bne: Four.'), chapter('Two', 'Five.')];
  const { chapters: scripted, warnings } = scriptChapters(chapters, ['Anna', 'Ben'], ['Anna', 'Ben', 'Carl']);
  expect(spoken(scripted)).toEqual([
    ['Anna: One.|0.9', 'Anna: Two.|0.9', 'Ben: Three.|0.9', 'Ben: Bne: Four.|'],
    ['-: Five.|'],
  ]);
  expect(warnings).toEqual(['"Bne:" is read aloud, as no voice has that name; did you mean "Ben"?']);
});

describe('mistakes', () => {
  it('in names of voices are refused', () => {
    expect(() => scriptChapters([chapter('One', '[voice:anan] x')], ['anna'])).toThrow(
      'unknown voice "anan" in the chapter "One" (available: anna); did you mean "anna"?',
    );
  });

  it('in pauses are read, as brackets of a play are', () => {
    const { chapters, warnings } = scriptChapters([chapter('One', 'No. [pause: he thinks] Yes.')], []);
    expect(spoken(chapters)).toEqual([['-: No. [pause: he thinks] Yes.|']]);
    expect(warnings).toEqual([expect.stringMatching(/^\[pause: he thinks\] is read as text: invalid pause/)]);
  });
});
