/** Captions as people have them: rolling ones, SubRip that is not by the book, sounds, speakers, marks and damage. */
import { describe, expect, it } from '@jest/globals';
import { readCaptionFile, readCaptions } from '../../src/captions/read-captions.ts';
import { casesIn } from '../support/rows.ts';

const texts = async (file: string): Promise<readonly string[]> => (await readCaptions(file)).map(({ text }) => text);
const one = (text: string): string => `1\n00:00:01,000 --> 00:00:03,000\n${text}\n`;
/** Captions of SubRip, each so many seconds after the one before it. */
const inTurn = (captions: readonly string[], seconds: string, every = 1): string =>
  captions
    .map((text, at) => `${at + 1}\n00:00:0${at * every},000 --> 00:00:0${at * every + 1},${seconds}\n${text}\n`)
    .join('\n');

const rowsOf = casesIn<'name' | 'written' | 'read' | 'sounds'>('tests/captions/captions.tsv');

describe('captions that roll', () => {
  const youtube = `WEBVTT
Kind: captions
Language: en

00:00:00.080 --> 00:00:02.470 align:start position:0%
 
hello<00:00:00.400><c> and</c><00:00:00.800><c> welcome</c>

00:00:02.470 --> 00:00:02.480 align:start position:0%
hello and welcome
 

00:00:02.480 --> 00:00:04.990 align:start position:0%
hello and welcome
to<00:00:02.800><c> the</c><00:00:03.000><c> show</c>

00:00:04.990 --> 00:00:05.000 align:start position:0%
to the show
 

00:00:05.000 --> 00:00:07.000 align:start position:0%
to the show
[Music]

00:00:07.000 --> 00:00:07.010 align:start position:0%
[Music]
 

00:00:07.010 --> 00:00:08.000 align:start position:0%
[Music]
bye
`;

  it('are spoken once, in WebVTT of a recognizer', async () => {
    expect(await readCaptions(youtube)).toMatchObject([
      { start: 0.08, text: 'hello and welcome' },
      { start: 2.48, text: 'to the show' },
      { start: 7.01, end: 8, text: 'bye' },
    ]);
  });

  it('are spoken once, in SubRip that was made of it', async () => {
    const blocks = ['hello and welcome', 'hello and welcome\nto the show', 'to the show\nof today', 'of today\nbye'];
    const srt = inTurn(blocks, '500');
    expect(await texts(srt)).toEqual(['hello and welcome', 'to the show', 'of today', 'bye']);
    const cues = await readCaptions(srt);
    for (const [index, cue] of cues.entries()) expect(cue.end).toBeLessThanOrEqual(cues[index + 1]?.start ?? 9);
  });

  it('are spoken once where a line grows', async () => {
    const grown = inTurn(['so', 'so this', 'so this is', 'so this is it'], '000');
    expect(await texts(grown)).toEqual(['so', 'this', 'is', 'it']);
  });

  it('are spoken once with pauses between them, and where Chinese grows', async () => {
    const said = async (...captions: string[]): Promise<string> =>
      (await texts(inTurn(captions, '500', 2))).join(' | ');
    expect(await said('one two', 'one two\nthree', 'three\nfour')).toBe('one two | three | four');
    expect(await said('I think', 'I think\nwe', 'I think\nwe should', 'we should\ngo')).toBe(
      'I think | we | should | go',
    );
    expect(await said('大家', '大家好', '大家好吗', '再见')).toBe('大家 | 好 | 吗 | 再见');
  });

  it('are spoken once where words grow, or marks come later', async () => {
    const read = (...captions: string[]) => readCaptions(inTurn(captions, '000'));
    const cues = await read('Wh', 'Where are y', 'Where are you', 'Where are you?', 'Be', 'Behind you.');
    expect(cues.map(({ start, text }) => `${start} ${text}`)).toEqual(['0 Where are', '2 you?', '4 Behind you.']);
    const later = await read('so', 'So, today', 'So today, we', 'So today, we talk.');
    expect(later.map(({ text }) => text)).toEqual(['so', 'today', 'we', 'talk.']);
    expect(await read('I know.', 'I know you.', 'Now.', 'Now we go.')).toHaveLength(4);
  });

  it('are not those of people who repeat themselves', async () => {
    const said = ['No.', 'No.', 'No way.', 'Never.', 'Never.'];
    expect(await texts(inTurn(said, '000'))).toEqual(said);
  });
});

describe('SubRip', () => {
  it.each(rowsOf('SubRip'))('is read with $name', async ({ written, read }) => {
    expect((await texts(written)).join(' | ')).toBe(read);
  });

  it('loses one caption that cannot be read, by name, and not the file', async () => {
    const file = `${one('One.')}\n2\n00:00:05,000 --> 00:00:04,000\nBack.\n\n3\n00:00:06,000 --> x\nWrong.\n\n4\n00:00:07,000 --> 00:00:08,000\nFour.\n`;
    const { cues, warnings } = await readCaptionFile(file);
    expect(cues.map(({ text }) => text)).toEqual(['One.', 'Four.']);
    expect(warnings).toEqual([
      'the caption 2, "Back.", ends before it begins; it is left out',
      'the caption 3, "Wrong.", has on line 10 an end that is no time, "x"; it is left out',
    ]);
  });
});

describe('WebVTT', () => {
  it('begins a caption at its times, also without an empty line before them', async () => {
    const vtt = 'WEBVTT\n\n00:01.000 --> 00:02.000\nOne.\n00:03.000 --> 00:04.000 align:start\nTwo. 5 --> 6\n';
    expect(await readCaptions(vtt)).toEqual([
      { start: 1, end: 2, text: 'One.' },
      { start: 3, end: 4, text: 'Two. 5 --> 6' },
    ]);
  });

  it.each(rowsOf('WebVTT'))('begins a caption $name', async ({ written, read }) => {
    expect((await texts(written)).join(' | ')).toBe(read);
  });

  it('loses a caption whose times have too few or too large numbers, by its line', async () => {
    const vtt =
      'WEBVTT\n\n0:0:0.0 --> 0:0:2.0\nOne.\n\n00:61.000 --> 01:02.000\nTwo.\n\n00:03.000 --> 00:04.000\nThree.\n';
    const { cues, warnings } = await readCaptionFile(vtt);
    expect(cues.map(({ text }) => text)).toEqual(['Three.']);
    expect(warnings).toEqual([
      'cue start timestamp `0:0:0.0` is invalid on line 3, not as 00:00:01.000; it is left out',
      'cue start timestamp `00:61.000` is invalid on line 6, not as 00:00:01.000; it is left out',
    ]);
  });

  it('names words without times, and those behind the times, which players pass over', async () => {
    const vtt =
      'WEBVTT\n\nA name\n00:01.000 --> 00:02.000 align:start Two.\nOne.\n\nLost words,\nand more.\n\n7\n\n00:03.000 --> 00:04.000\nThree.\n\nThe end';
    const { cues, warnings } = await readCaptionFile(vtt);
    expect(cues.map(({ text }) => text)).toEqual(['One.', 'Three.']);
    expect(warnings).toEqual([
      'players don\'t show "Two." behind the times on line 4; it is left out',
      '"Lost words," on line 7 has no times; it is left out',
      '"The end" on line 15 has no times; it is left out',
    ]);
  });

  it('loses one caption that cannot be read, and keeps long hours and captions without length', async () => {
    const vtt =
      'WEBVTT\n\n100:00:01.000-->100:00:02.000\nOne.\n\n00:05.000 --> 00:04.000\nBack.\n\n00:06.000 --> 00:06.000\nThree.\n\n00:x --> 00:08.000\nFour.\n';
    const { cues, warnings } = await readCaptionFile(vtt);
    expect(cues.map(({ start, text }) => [start, text])).toEqual([
      [6, 'Three.'],
      [360_001, 'One.'],
    ]);
    expect(warnings).toHaveLength(2);
  });
});

describe('SubStation Alpha', () => {
  it('has its dialogue, without comments, drawings, shadows and marks', async () => {
    const ass = `[Script Info]\nTitle: No words\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Default,Arial\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,No.
Dialogue: 1,0:00:03.00,0:00:04.50,Default,,0,0,0,,{\\k20}One,{\\k30} two\\Nthree.
Dialogue: 0,0:00:01.00,0:00:02.00,Default,Anna,0,0,0,,Hello, {\\i1}you{\\i0}{a note}.
Dialogue: 2,0:00:01.00,0:00:02.00,Default,Anna,0,0,0,,{\\blur3}Hello, you.
Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\\p1}m 0 0 l 100 0{\\p0}
`;
    expect(await readCaptions(ass)).toEqual([
      { start: 1, end: 2, text: 'Hello, you.', voice: 'Anna' },
      { start: 3, end: 4.5, text: 'One, two three.' },
    ]);
  });
});

describe('files of Aegisub', () => {
  const head = '[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n';
  const line = (start: number, end: number, text: string, effect = '', kind = 'Dialogue'): string =>
    `${kind}: 0,0:00:0${start.toFixed(2)},0:00:0${end.toFixed(2)},Default,,0,0,0,${effect},${text}\n`;

  it('have karaoke from templates once, in words', async () => {
    const syllables = ['sa', 'ku', 'ra'].map((text, index) => line(1 + index, 2 + index, `{\\an5}${text}`, 'fx'));
    const song = line(1, 4, '{\\k100}sa{\\k100}ku{\\k100}ra', 'karaoke', 'Comment');
    const { cues, comments } = await readCaptionFile(
      head + song + line(1, 2, '!retime()!', 'template syl', 'Comment') + syllables.join('') + line(5, 6, 'Words.'),
    );
    expect([cues.map(({ text }) => text), comments]).toEqual([['sakura', 'Words.'], ['!retime()!']]);
  });

  it('have a sign that moves with the picture once', async () => {
    const frames = Array.from({ length: 20 }, (_, index) =>
      line(1 + index / 25, 1 + (index + 1) / 25, `{\\pos(${index},3)}STATION`),
    );
    const { cues } = await readCaptionFile(head + frames.join('') + line(2, 3, 'No.') + line(3, 4, 'No.'));
    expect(cues).toEqual([
      { start: 1, end: 1.8, text: 'STATION' },
      { start: 2, end: 3, text: 'No.' },
      { start: 3, end: 4, text: 'No.' },
    ]);
  });

  it.each([
    ['data in front of overrides', '{=1}{*\\fs20}One', 'One', []],
    ['a comment with a backslash', '{TS: a note\\i1}One', 'One', ['TS: a note']],
    ['a brace that is not closed', 'One { two', 'One { two', []],
  ])('are read with %s', async (_, written, text, expected) => {
    const { cues, comments } = await readCaptionFile(head + line(1, 2, written));
    expect([cues.map((cue) => cue.text), comments]).toEqual([[text], expected]);
  });

  it('lose a line with too few fields by name', async () => {
    const { warnings } = await readCaptionFile(`${head}${line(1, 2, 'One.')}Dialogue: lost words\n`);
    expect(warnings).toEqual(['the caption 2, "lost words", has times that cannot be read; it is left out']);
  });
});

describe('sounds and speakers', () => {
  it.each(rowsOf('sounds'))('of $written are left out', async ({ written, read, sounds: count }) => {
    const { cues, sounds } = await readCaptionFile(`${one(written)}\n2\n00:01:00,000 --> 00:01:01,000\nEnd.\n`);
    expect([cues.map(({ text }) => text).join(' | '), String(sounds.length)]).toEqual([read, count]);
  });

  it('are spoken where they are wanted', async () => {
    const { cues, sounds } = await readCaptionFile(one('[door slams]\nWho?'), { sounds: 'spoken' });
    expect([cues.map(({ text }) => text), sounds]).toEqual([['[door slams] Who?'], []]);
  });

  it.each(rowsOf('voices'))('name the voice: $written', async ({ written, read }) => {
    const cues = await readCaptions(one(written));
    expect(cues.map(({ voice = '-', text }) => `${voice} = ${text}`).join(' | ')).toBe(read);
  });

  it('refuses a file of sounds alone', async () => {
    await expect(readCaptions(one('[Music]'))).rejects.toThrow(
      'there are only sounds in the captions, first "[Music]"; no words',
    );
  });
});
