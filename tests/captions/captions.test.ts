import { describe, expect, it } from '@jest/globals';
import { formatCaptions } from '../../src/captions/captions.ts';
import { wordsOf } from '../../src/engine/text/words.ts';
import type { TimedSentence } from '../../src/engine/timing/timed-text.ts';
import { cuesIn } from './read-captions.ts';

/** Words of half a second, one after the other. */
function sentence(text: string, from: number, split: RegExp = /\s+/): TimedSentence {
  const words = text
    .split(split)
    .map((word, index) => ({ text: word, start: from + index / 2, end: from + (index + 1) / 2 }));
  return { text, start: from, end: from + words.length / 2, words, method: 'estimated' };
}

function said(text: string, start: number, end: number, voice?: string): TimedSentence {
  const words = text.split(' ').map((word, index, { length }) => {
    const each = (end - start) / length;
    return { text: word, start: start + index * each, end: start + (index + 1) * each };
  });
  return { text, start, end, words, method: 'estimated', ...(voice !== undefined && { voice }) };
}

const none = { highlight: 'none' } as const;

describe('captions', () => {
  it('are SubRip', () => {
    expect(formatCaptions([sentence('Hello there.', 0), sentence('Again, later.', 3600)], 'srt', none)).toBe(
      '1\n00:00:00,000 --> 00:00:01,000\nHello there.\n\n2\n01:00:00,000 --> 01:00:01,000\nAgain, later.\n',
    );
  });

  it('stay as long as letters take to read, whatever marks they have', () => {
    // 20 letters of 40 code points in a second.
    const text = 'ကို'.repeat(10) + 'ရီ'.repeat(5) + 'သူ'.repeat(5);
    const cues = cuesIn(formatCaptions([{ ...said(text, 0, 1), text }], 'srt', none));
    expect(cues.map(({ end }) => end)).toEqual([1]);
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

  it('are ASS, without marks of its own in the text', () => {
    const lines = formatCaptions([said('Tom {\\an8} is, here', 1.5, 4, 'Dr. A, B')], 'ass', none).split('\n');
    expect(lines[0]).toBe('[Script Info]');
    expect(lines.at(-2)).toBe('Dialogue: 0,0:00:01.50,0:00:04.00,Default,Dr. A  B,0,0,0,,Tom (＼an8) is, here');
  });

  it('are karaoke in ASS, whose marks add up to the times of the words', () => {
    const text = 'Those who are far away can hear every word of what the others say today.';
    const lines = formatCaptions([said(text, 10.004, 15.5)], 'ass', { highlight: 'words' }).split('\n');
    const dialogue = lines.find((line) => line.startsWith('Dialogue:')) ?? '';
    expect(dialogue).toContain('\\N');
    const marks = [...dialogue.matchAll(/\{\\k(\d+)\}/g)].map(([, time]) => Number(time));
    expect(marks).toHaveLength(text.split(' ').length);
    expect(marks.reduce((sum, time) => sum + time, 0)).toBe(1550 - 1000);
    expect(lines.find((line) => line.startsWith('Style:'))).toContain('&H0000FFFF,&H00FFFFFF');
  });

  it('highlight words', () => {
    expect(formatCaptions([sentence('Hello there.', 0)], 'vtt', { highlight: 'words' })).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nHello <00:00:00.500><c>there.</c>\n',
    );
  });

  it('highlight words within their cue alone', () => {
    const words = ['A', 'long', 'one.'].map((text, index) => ({ text, start: index * 0.45, end: index * 0.45 + 0.45 }));
    const last = { text: 'x.', start: 1.3, end: 1.35 };
    const first: TimedSentence = { ...said('A long one. x.', 0, 1.35), words: [...words, last] };
    const shown = formatCaptions([first, said('And then some more of it.', 1.35, 4)], 'vtt', { highlight: 'words' });
    const timed = 'A <00:00:00.450><c>long</c> <00:00:00.900><c>one.</c> x.';
    expect(shown).toContain(`00:00:00.000 --> 00:00:01.266\n${timed}\n`);
  });

  it('are JSON, all of it', () => {
    const sentences = [sentence('Hello there.', 0)];
    expect(JSON.parse(formatCaptions(sentences, 'json', none))).toEqual({ sentences });
  });

  it('cut a long sentence after a comma, at two lines and seven seconds', () => {
    const text = 'One two three four five six seven eight, nine ten eleven twelve thirteen fourteen fifteen.';
    const lines = formatCaptions([sentence(text, 0)], 'srt', none).split('\n');
    const first = 'One two three four five six seven eight,';
    expect(lines.slice(0, 3)).toEqual(['1', '00:00:00,000 --> 00:00:03,916', first]);
    const rest = ['nine ten eleven twelve thirteen fourteen', 'fifteen.'];
    expect(lines.slice(4, 8)).toEqual(['2', '00:00:04,000 --> 00:00:07,500', ...rest]);
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

  it('keep lines of Chinese within 21 characters', () => {
    const text = '今天的天气非常好，我们一家人决定去郊外的公园散步，顺便在湖边吃午饭，然后再坐船游览整个湖区的风景。';
    const words = wordsOf(text).map((word, index) => ({ text: word, start: index * 0.4, end: index * 0.4 + 0.4 }));
    const shown = cuesIn(formatCaptions([{ text, start: 0, end: 20, words, method: 'estimated' }], 'srt', none));
    expect(shown.flatMap(({ lines }) => lines).join('')).toBe(text);
    expect(Math.max(...shown.flatMap(({ lines }) => lines.map(({ length }) => length)))).toBeLessThanOrEqual(21);
  });

  it('break a word or an address that is longer than a line', () => {
    const address = `https://example.com/${'folder/'.repeat(12)}file?name=value`;
    const shown = cuesIn(formatCaptions([sentence(`See ${address} now.`, 0)], 'srt', none));
    const lines = shown.flatMap((cue) => cue.lines);
    expect(lines.join('').replace(/ /g, '')).toBe(`See${address}now.`);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(42);
    expect(lines.filter((line) => line.endsWith('/')).length).toBeGreaterThan(1);
  });

  it('let a short cue stay in the silence behind it', () => {
    const quick = [said('Yes.', 0, 0.3), said('Go on, then.', 2, 3)];
    expect(cuesIn(formatCaptions(quick, 'srt', none))).toEqual([
      { start: 0, end: 0.8, lines: ['Yes.'] },
      { start: 2, end: 3, lines: ['Go on, then.'] },
    ]);
  });

  it('join short sentences without a silence behind them', () => {
    const quick = [said('Yes.', 0, 0.3), said('Go.', 0.4, 0.7), said('Why?', 0.8, 1.1)];
    expect(cuesIn(formatCaptions(quick, 'srt', none))).toEqual([{ start: 0, end: 1.1, lines: ['Yes. Go. Why?'] }]);
  });

  it('have a known format', () => {
    const refusal = 'format must be one of srt, vtt, ass, json, got "txt"';
    expect(() => formatCaptions([], 'txt' as 'srt', none)).toThrow(refusal);
  });

  it('name the speakers of a dialogue in WebVTT', () => {
    const talk = [said('Hello there, dear Ben.', 0, 2, 'Anna'), said('Good morning.', 2.4, 4, 'Ben <2>')];
    expect(formatCaptions(talk, 'vtt', none)).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:02.000\n<v Anna>Hello there, dear Ben.\n\n00:00:02.400 --> 00:00:04.000\n<v Ben &lt;2&gt;>Good morning.\n',
    );
    const quick = [said('Yes.', 0, 0.3, 'Anna'), said('No.', 0.4, 1.3, 'Ben')];
    expect(formatCaptions(quick, 'vtt', none)).toContain('\n<v Anna>Yes.</v>\n<v Ben>No.</v>\n');
    expect(formatCaptions(quick, 'srt', none)).toContain('\n- Yes.\n- No.\n');
  });
});
