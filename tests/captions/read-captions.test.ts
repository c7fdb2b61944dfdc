/** Captions as people have them: rolling ones, SubRip that is not by the book, sounds, speakers, marks and damage. */
import { describe, expect, it } from '@jest/globals';
import { readCaptionFile, readCaptions } from '../../src/captions/read-captions.ts';

const texts = async (file: string): Promise<readonly string[]> => (await readCaptions(file)).map(({ text }) => text);
const one = (text: string): string => `1\n00:00:01,000 --> 00:00:03,000\n${text}\n`;

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
    const srt = blocks
      .map((text, index) => `${index + 1}\n00:00:0${index},000 --> 00:00:0${index + 1},500\n${text}\n`)
      .join('\n');
    expect(await texts(srt)).toEqual(['hello and welcome', 'to the show', 'of today', 'bye']);
    const cues = await readCaptions(srt);
    for (const [index, cue] of cues.entries()) expect(cue.end).toBeLessThanOrEqual(cues[index + 1]?.start ?? 9);
  });

  it('are spoken once where a line grows', async () => {
    const grown = ['so', 'so this', 'so this is', 'so this is it'].map(
      (text, index) => `${index + 1}\n00:00:0${index},000 --> 00:00:0${index + 1},000\n${text}\n`,
    );
    expect(await texts(grown.join('\n'))).toEqual(['so', 'this', 'is', 'it']);
  });

  it('are spoken once with pauses between them, and where Chinese grows', async () => {
    const at = (texts: readonly string[]): string =>
      texts
        .map((text, index) => `${index + 1}\n00:00:0${index * 2},000 --> 00:00:0${index * 2 + 1},500\n${text}\n`)
        .join('\n');
    expect(await texts(at(['one two', 'one two\nthree', 'three\nfour']))).toEqual(['one two', 'three', 'four']);
    expect(await texts(at(['I think', 'I think\nwe', 'I think\nwe should', 'we should\ngo']))).toEqual([
      'I think',
      'we',
      'should',
      'go',
    ]);
    expect(await texts(at(['大家', '大家好', '大家好吗', '再见']))).toEqual(['大家', '好', '吗', '再见']);
  });

  it('are spoken once where words grow, or marks come later', async () => {
    const at = (shown: readonly string[]): string =>
      shown.map((text, index) => `${index + 1}\n00:00:0${index},000 --> 00:00:0${index + 1},000\n${text}\n`).join('\n');
    const cues = await readCaptions(at(['Wh', 'Where are y', 'Where are you', 'Where are you?', 'Be', 'Behind you.']));
    expect(cues.map(({ start, text }) => [start, text])).toEqual([
      [0, 'Where are'],
      [2, 'you?'],
      [4, 'Behind you.'],
    ]);
    expect(await texts(at(['so', 'So, today', 'So today, we', 'So today, we talk.']))).toEqual([
      'so',
      'today',
      'we',
      'talk.',
    ]);
    expect(await texts(at(['I know.', 'I know you.', 'Now.', 'Now we go.']))).toHaveLength(4);
  });

  it('are not those of people who repeat themselves', async () => {
    const said = ['No.', 'No.', 'No way.', 'Never.', 'Never.'].map(
      (text, index) => `${index + 1}\n00:00:0${index},000 --> 00:00:0${index + 1},000\n${text}\n`,
    );
    expect(await texts(said.join('\n'))).toEqual(['No.', 'No.', 'No way.', 'Never.', 'Never.']);
  });
});

describe('SubRip', () => {
  it.each<readonly [name: string, file: string, expected: readonly string[]]>([
    ['text behind an empty line', one('\nFine! You wanna leave, leave.'), ['Fine! You wanna leave, leave.']],
    [
      'a second paragraph',
      `${one('One.\n\nTwo.')}\n2\n00:00:04,000 --> 00:00:05,000\nThree.\n`,
      ['One. Two.', 'Three.'],
    ],
    [
      'a number behind an empty line',
      `${one('How many?\n\n42')}\n2\n00:00:04,000 --> 00:00:05,000\nThree.\n`,
      ['How many? 42', 'Three.'],
    ],
    ['blanks between captions', `${one('One.')} \t\n2\n00:00:04,000 --> 00:00:05,000\nTwo.\n`, ['One.', 'Two.']],
    ['no empty lines', `${one('One.')}2\n00:00:04,000 --> 00:00:05,000\nTwo.\n`, ['One.', 'Two.']],
    [
      'no numbers',
      '00:00:01,000 --> 00:00:02,000\nI have\n42\n\n00:00:03,000 --> 00:00:04,000\nTwo.\n',
      ['I have 42', 'Two.'],
    ],
    ['empty captions', `1\n00:00:00,000 --> 00:00:00,000\n\n2\n00:00:04,000 --> 00:00:05,000\nTwo.\n`, ['Two.']],
    ['arrows in the text', one('5 --> 6'), ['5 --> 6']],
    ['the number of a caption that was cut off', `${one('One.')}\n2\n`, ['One.']],
    ['times behind blanks', ' 1\n  00:00:01,000 --> 00:00:02,000\nOne.\n', ['One.']],
    ['times without blanks, with full stops', '1\n00:00:01.000-->00:00:02.000\nOne.\n', ['One.']],
    ['coordinates', '1\n00:00:01,000 --> 00:00:02,000 X1:100 X2:200 Y1:300 Y2:400\nOne.\n', ['One.']],
    ['hours over 99', '1\n100:00:01,000 --> 100:00:02,000\nOne.\n', ['One.']],
    ['old line ends', '1\r00:00:01,000 --> 00:00:02,000\rOne.\r', ['One.']],
    [
      'marks',
      one(`{\\an8\\pos(${'1'.repeat(200)})}One\\Ntwo\\hthree<br>four <i>five</i> <font color="red">six</font>`),
      ['One two three four five six'],
    ],
    ['entities', one('Tom &amp; Jerry&nbsp;ran &#8211; 1 &lt; 2'), ['Tom & Jerry ran – 1 < 2']],
    ['drawings and readings', one('{\\p1}m 0 0 l 9 9{\\p0}<ruby>漢<rt>kan</rt></ruby>字'), ['漢字']],
    [
      'dashes, references and full width in the times',
      '1\n００:００:０１，000 —> 00:00:02，000\nOne.\n\n2\n00:00:03,000 --&gt; 00:00:04,000\nTwo.\n',
      ['One.', 'Two.'],
    ],
    ['words behind the times', '1\n00:00:01,000 --> 00:00:02,000 align:start One.\n', ['One.']],
    ['tags in braces and brackets', one('{i}One{/i} {B}two{/B} [i]three[/i]'), ['One two three']],
    ['drawings with colors', one('{\\p1}m 0 0{\\c&HFF&} l 9 9{\\p0}One'), ['One']],
    ['another arrow', '1\n00:00:01,000 → 00:00:02,000\nOne.\n', ['One.']],
    [
      'a hyphen or a comma for the arrow',
      '00:00:01,000 - 00:00:02,000\nOne.\n\n00:00:03.000,00:00:04.000\nTwo.',
      ['One.', 'Two.'],
    ],
    ['times of the day as words', one('10:30 - 11:30'), ['10:30 - 11:30']],
    ['semicolons in the times', '1\n00;00;01;00 --> 00;00;02;00\nOne.\n', ['One.']],
    ['times before the video', '1\n-00:00:01,000 --> 00:00:02,000\nOne.\n', ['One.']],
    [
      'the number of a caption without times',
      `${one('One.')}\n2\n3\n00:00:04,000 --> 00:00:05,000\nTwo.\n`,
      ['One.', 'Two.'],
    ],
    ['signs of the direction', one('\u202bOne\u202c t\u00adwo'), ['One two']],
    ['brackets in attributes', one('<font color="a>b" face=\'>\'>One</font> <i class="x>two</i>'), ['One two']],
    ['comments', one('One<!-- a > b\n5 --> two --> three'), ['One two --> three']],
    [
      'a comment without an end',
      one('One <!-- two\n2\n00:00:04,000 --> 00:00:05,000\nThree.'),
      ['One <!-- two', 'Three.'],
    ],
    ['a comparison', one('<i>a</i> < b > c'), ['a < b > c']],
    ['blanks in tags', one('< i > One < / i >'), ['One']],
    ['seconds for its times', '1\n1.0 --> 2.5\nOne.\n\n2\n3.0 --> 4.0\nTwo.\n', ['One.', 'Two.']],
    ['seconds behind words', one('From\n1.0 --> 2.0'), ['From 1.0 --> 2.0']],
    [
      'times in two lines',
      '1\n00:00:01,000\n--> 00:00:02,000\nOne.\n\n2\n00:00:03,000 -->\n00:00:04,000\nTwo.\n',
      ['One.', 'Two.'],
    ],
    ['three digits for the seconds', '1\n00:00:09,000 --> 00:00:010,500\nOne.\n', ['One.']],
    ['no length', '1\n00:00:01,000 --> 00:00:01,000\nOne.\n', ['One.']],
  ])('is read with %s', async (_, file, expected) => {
    expect(await texts(file)).toEqual(expected);
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

  it.each<readonly [name: string, body: string, expected: readonly string[]]>([
    ['behind a header of several lines', 'X-TIMESTAMP-MAP=LOCAL:0\n00:00.000 --> 00:01.000\nOne.', ['One.']],
    ['behind an arrow alone', '\n-->\n00:00.000 --> 00:01.000\nOne.', ['One.']],
    ['with settings right behind the times', '\n00:00.000 --> 00:01.000line:40%\nOne.', ['One.']],
    ['with one digit for the hour', '\n0:00:00.000 --> 0:00:01.000\nOne.', ['One.']],
    ['with words behind its times', '\n00:00.000 --> 00:01.000 align:start Two.\nOne.', ['One.']],
    ['with brackets that begin no tag', '\n00:00.000 --> 00:01.000\nI <3 you, 1 < 2 > 0', ['I <3 you, 1 < 2 > 0']],
    ['with brackets in attributes', '\n00:00.000 --> 00:01.000\n<font color="a>b">One</font>', ['One']],
    ['behind comments', '\n<!-- No -->\n\n00:00.000 --> 00:01.000\nOne<!-- two\nno -->', ['One']],
    ['with overrides of ASS', '\n00:00.000 --> 00:01.000\n{\\an8}One', ['One']],
    ['with hyphens behind signs of the direction', '\n00:00.000 --> 00:01.000\n&lrm;-One.\n&lrm;-Two.', ['One. Two.']],
    ['with references of HTML', '\n00:00.000 --> 00:01.000\n&copy; 1 &notin; &#65;&amp;lt;', ['© 1 ∉ A&lt;']],
  ])('begins a caption %s', async (_, body, expected) => {
    expect(await texts(`WEBVTT\n${body}\n`)).toEqual(expected);
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
  it.each<readonly [written: string, spoken: readonly string[], sounds: number]>([
    ['[door slams]\nWho is there?', ['Who is there?'], 1],
    ['(SIRENS WAIL)\nRun!', ['Run!'], 1],
    ['♪ la la la ♪\nHello.', ['Hello.'], 1],
    ['♪ la la\nla la ♪\nHello.', ['Hello.'], 2],
    ['(laughs) Hello.', ['Hello.'], 1],
    ['[sighs] It is [beep] over.', ['It is over.'], 2],
    ['He (the dog) ran.', ['He (the dog) ran.'], 0],
    ['- Hi. - Hello.', ['Hi. Hello.'], 0],
    ['>> Hi there.', ['Hi there.'], 0],
    ['---\nHello.', ['Hello.'], 0],
    ['---', [], 0],
    ['--- Hello.', ['--- Hello.'], 0],
    ['NOTE: it is late.', ['NOTE: it is late.'], 0],
    ['（笑い）そう', ['そう'], 1],
    ['# la la la #', [], 1],
    ['-[gasps] -What?', ['What?'], 1],
    ['((sighs)) Well, {laughs} I do.', ['Well, I do.'], 2],
    ['*sighs* Well, I *do*.', ['Well, I *do*.'], 1],
  ])('of %j are left out', async (written, spoken, count) => {
    const { cues, sounds } = await readCaptionFile(`${one(written)}\n2\n00:01:00,000 --> 00:01:01,000\nEnd.\n`);
    expect([cues.map(({ text }) => text), sounds.length]).toEqual([[...spoken, 'End.'], count]);
  });

  it('are spoken where they are wanted', async () => {
    const { cues, sounds } = await readCaptionFile(one('[door slams]\nWho?'), { sounds: 'spoken' });
    expect([cues.map(({ text }) => text), sounds]).toEqual([['[door slams] Who?'], []]);
  });

  it.each<readonly [written: string, expected: readonly (readonly [string | undefined, string])[]]>([
    ['DOCTOR: Rose!', [['DOCTOR', 'Rose!']]],
    ['[SPEAKER_01]: Hi.', [['SPEAKER_01', 'Hi.']]],
    [
      '- ANNA: Hi.\n- BEN: Hello.',
      [
        ['ANNA', 'Hi.'],
        ['BEN', 'Hello.'],
      ],
    ],
    ['DR. WHO (quietly): Rose!', [['DR. WHO', 'Rose!']]],
    ['[SPEAKER_01] Hi.', [['SPEAKER_01', 'Hi.']]],
    ['(speaker 0) Hi.', [['speaker 0', 'Hi.']]],
    ['Mr. SMITH: No.', [['Mr. SMITH', 'No.']]],
    [
      'MAN 1: Go. MAN 2: No.',
      [
        ['MAN 1', 'Go.'],
        ['MAN 2', 'No.'],
      ],
    ],
    ['- Anna [laughing]: Hi.', [['Anna', 'Hi.']]],
    ['Note: no.', [[undefined, 'Note: no.']]],
    ['Speaker 1: Hi.', [['Speaker 1', 'Hi.']]],
    ['>> Reporter: Hi.', [['Reporter', 'Hi.']]],
    [
      'Anna: Hi.\n\n2\n00:00:04,000 --> 00:00:05,000\n田中：はい。\n\n3\n00:00:06,000 --> 00:00:07,000\nSo: no.',
      [
        ['Anna', 'Hi.'],
        ['田中', 'はい。'],
        ['So', 'no.'],
      ],
    ],
    [
      'Yes, and: no.\n\n2\n00:00:04,000 --> 00:00:05,000\nBut: no.',
      [
        [undefined, 'Yes, and: no.'],
        [undefined, 'But: no.'],
      ],
    ],
  ])('name the voice: %j', async (written, expected) => {
    const cues = await readCaptions(one(written));
    expect(cues.map(({ voice, text }) => [voice, text])).toEqual(expected);
  });

  it('refuses a file of sounds alone', async () => {
    await expect(readCaptions(one('[Music]'))).rejects.toThrow(
      'there are only sounds in the captions, first "[Music]"; no words',
    );
  });
});
