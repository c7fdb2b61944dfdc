import { describe, expect, it } from '@jest/globals';
import { formatCaptions } from '../../src/captions/captions.ts';
import type { TimedSentence } from '../../src/engine/timing/timed-text.ts';

/** Words of half a second, one after the other. */
function sentence(text: string, from: number, split: RegExp = /\s+/): TimedSentence {
  const words = text
    .split(split)
    .map((word, index) => ({ text: word, start: from + index / 2, end: from + (index + 1) / 2 }));
  return { text, start: from, end: from + words.length / 2, words, method: 'estimated' };
}

const none = { highlight: 'none' } as const;

describe('captions', () => {
  it('are SubRip', () => {
    expect(formatCaptions([sentence('Hello there.', 0), sentence('Again, later.', 3600)], 'srt', none)).toBe(
      '1\n00:00:00,000 --> 00:00:01,000\nHello there.\n\n2\n01:00:00,000 --> 01:00:01,000\nAgain, later.\n',
    );
  });

  it('have no tags or times in the text of SubRip', () => {
    expect(formatCaptions([sentence('{\\an8}Tom <i>& --> ---> x', 0)], 'srt', none)).toBe(
      '1\n00:00:00,000 --> 00:00:02,500\n(\\an8)Tom ‹i>& -> -> x\n',
    );
  });

  it('are WebVTT, with escapes', () => {
    expect(formatCaptions([sentence('Tom & <Ann> --> x', 1.5)], 'vtt', none)).toBe(
      'WEBVTT\n\n00:00:01.500 --> 00:00:04.000\nTom &amp; &lt;Ann&gt; --&gt; x\n',
    );
  });

  it('highlight words', () => {
    expect(formatCaptions([sentence('Hello there.', 0)], 'vtt', { highlight: 'words' })).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nHello <00:00:00.500><c>there.</c>\n',
    );
  });

  it('are JSON, all of it', () => {
    const sentences = [sentence('Hello there.', 0)];
    expect(JSON.parse(formatCaptions(sentences, 'json', none))).toEqual({ sentences });
  });

  it('cut a long sentence after a comma, at two lines and seven seconds', () => {
    const text = 'One two three four five six seven eight, nine ten eleven twelve thirteen fourteen fifteen.';
    const lines = formatCaptions([sentence(text, 0)], 'srt', none).split('\n');
    expect(lines.slice(0, 3)).toEqual([
      '1',
      '00:00:00,000 --> 00:00:04,000',
      'One two three four five six seven eight,',
    ]);
    expect(lines.slice(4, 8)).toEqual([
      '2',
      '00:00:04,000 --> 00:00:07,500',
      'nine ten eleven twelve thirteen fourteen',
      'fifteen.',
    ]);
  });

  it('write Chinese without spaces', () => {
    expect(formatCaptions([sentence('你|好，|世|界。', 0, /\|/)], 'srt', none)).toContain('\n你好，世界。\n');
  });

  it('keep every word, in lines of at most 42 characters', () => {
    const text = 'word '.repeat(500).trim();
    const lines = formatCaptions([sentence(text, 0)], 'srt', none)
      .split('\n')
      .filter((line) => line.startsWith('word'));
    expect(lines.join(' ')).toBe(text);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(42);
  });
});
