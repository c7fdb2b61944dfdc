import { describe, expect, it } from '@jest/globals';
import { formatChapterList, youtubeProblem } from '../../src/captions/chapter-list.ts';

const chapters = [
  { title: 'One & <only>', start: 0, end: 61.5 },
  { title: ' Two\n--> lines ', start: 61.5, end: 3_700.25 },
  { title: 'Three', start: 3_700.25, end: 3_800 },
];

describe('a list of chapters', () => {
  it('is WebVTT, with escapes', () => {
    expect(formatChapterList(chapters, 'vtt')).toBe(
      'WEBVTT\n\n1\n00:00:00.000 --> 00:01:01.500\nOne &amp; &lt;only&gt;\n\n' +
        '2\n00:01:01.500 --> 01:01:40.250\nTwo --&gt; lines\n\n3\n01:01:40.250 --> 01:03:20.000\nThree\n',
    );
  });

  it('is what YouTube reads, with hours where there are any', () => {
    expect(formatChapterList(chapters, 'txt')).toBe('0:00:00 One & <only>\n0:01:01 Two --> lines\n1:01:40 Three\n');
    expect(formatChapterList(chapters.slice(0, 2), 'txt')).toBe('0:00 One & <only>\n1:01 Two --> lines\n');
  });

  it('says what YouTube would not take', () => {
    expect(youtubeProblem(chapters)).toBeUndefined();
    expect(youtubeProblem(chapters.slice(1))).toBe('YouTube shows chapters only where there are at least 3');
    expect(youtubeProblem([...chapters, { title: 'Four', start: 3_800, end: 3_809 }])).toBe(
      'YouTube shows no chapters where one is shorter than 10 s, as "Four" is',
    );
  });
});
