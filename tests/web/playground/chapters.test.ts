import { expect, it } from '@jest/globals';
import { findChapters } from '../../../src/web/playground/chapters.ts';

const sentence = (text: string, start: number) => ({
  text,
  start,
  end: start + 1,
  words: [],
  method: 'estimated' as const,
});

it('finds headings in their order, and none of a text with fewer than two', () => {
  const text = '# The *end*\n\nThe end is near.\n\n## C# in use ##\n\nBye.\n\n### Not spoken\n\n# \n# The end';
  const spoken = ['The end.', 'The end is near.', 'C# in use.', 'Bye.', 'The end.'].map(sentence);
  expect(findChapters(text, spoken)).toEqual([
    { title: 'The end', start: 0 },
    { title: 'C# in use', start: 2 },
    { title: 'The end', start: 4 },
  ]);
  expect(findChapters('# The end\n\nBye.', spoken)).toEqual([]);
  expect(findChapters('No heading', spoken)).toEqual([]);
});

it('takes linear time', () => {
  const hostile = `# ${'#'.repeat(50_000)} ${' #'.repeat(50_000)}x`;
  expect(findChapters(hostile, [])).toEqual([]);
});
