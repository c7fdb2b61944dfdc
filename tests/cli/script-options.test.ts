/** Formats of a text, pronunciations, voices and captions on the command line. */
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readAudioFile } from '../../src/audio/decode/read-audio.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { readRows } from '../support/rows.ts';
import { freshFolder, sharedFolder } from '../support/test-folder.ts';
import { expectEnd, invokeIn, jsonOf, type Outcome } from './invoke.ts';
import { smallModel } from './small-model.ts';

const model = smallModel();
const folder = freshFolder();
/** A store with the voice "me". */
const shared = sharedFolder();
let out: string;

beforeEach(() => {
  out = folder.join('out.wav');
});

const recording = 'tests/fixtures/tiny-v1/prompt_a.wav';

const info = { outputSampleRate: 16_000, patchSamples: 1600 };
const svc = invokeIn(folder, info);

describe('a speaker without a voice', () => {
  const warningsOf = async (text: string, ...options: readonly string[]): Promise<readonly string[]> => {
    const { code, stderr } = await svc(['tts', ...options, '--output', out, ...model, text]);
    expect(code).toBe(0);
    return stderr.trimEnd().split('\n');
  };

  it('is named, and so is the voice that never speaks', async () => {
    expect(await warningsOf('Anna: Hi.\nBen: Hello.', '--voices', 'Anna=iris,Bne=bruno')).toEqual([
      'svc: warning: --voices names "Bne", who speaks no word of the text',
      'svc: warning: "Ben:" on line 2 is read aloud, as no voice has that name; is "Bne" in the list of voices a misspelling of it?',
    ]);
  });

  it.each([
    ['Anna: Hi.\nDr. Ben: Hello.\nAnna: Hi.\nDr. Ben: Well.', ['"Dr. Ben:" on line 2 is read aloud']],
    [
      'Anna: Hi.\nAnan: Hello.\nAnan: Well.',
      ['"Anan:" on line 2 is read aloud, as no voice has that name; did you mean "Anna"?'],
    ],
    ['Anna: Hi.\n**Ben:** Hello.\nBen: Hello.', ['"Ben:" on line 2 is read aloud']],
    // A colon may belong to the text.
    ['Anna: Hi.\nNote: it is late.', []],
    ['Anna: Hi.\nhttp://a.example\n12:30\nhttp://b.example\n12:30', []],
    ['Anna: Hi. Ben: Hello. Ben: Hello.', []],
  ])('is looked for in %j', async (text, expected) => {
    const found = (await warningsOf(text, '--voices', 'Anna=iris')).filter((line) => line.includes('read aloud'));
    expect(found).toEqual(expected.map((line) => expect.stringContaining(line)));
  });

  it('is looked for in time that grows with the text', async () => {
    const { unknownSpeakers } = await import('../../src/engine/script/unknown-speakers.ts');
    const hostile = [' '.repeat(65_536), 'a '.repeat(32_768), 'a:\n'.repeat(21_845), '**a'.repeat(21_845)];
    for (const text of hostile) unknownSpeakers(text, ['Anna'], new Set());
    expect(unknownSpeakers('a:\n'.repeat(21_845), ['Anna'], new Set())).toHaveLength(1);
  });
});

/** Texts that the model gets; the options come before the text. */
const receive = async (...argv: readonly string[]): Promise<readonly string[]> => {
  const { code, stderr, backend } = await svc([...argv, '--output', out, ...model]);
  expect([code, stderr]).toEqual([0, '']);
  return backend.texts;
};

const refusal = async (...argv: readonly string[]): Promise<readonly [number, string]> => {
  const { code, stderr, opened } = await svc(argv);
  expect([opened, (await readdir(folder.path)).filter((name) => name.startsWith('out'))]).toEqual([[], []]);
  return [code, stderr];
};

async function write(name: string, content: string): Promise<string> {
  await writeFile(folder.join(name), content);
  return folder.join(name);
}

const addVoice = (name: string, run = svc): Promise<Outcome> =>
  run(['voices', 'add', name, '--audio', recording, '--text', `${name}.`]);

beforeAll(() => addVoice('me', invokeIn({ join: (name) => join(shared, name as string) }, info)));

/** `svc clone` needs a voice; and parts in a known voice do not repeat each other. */
const needsVoice = (argv: readonly string[]): boolean => !argv.some((word) => /^--(voice|prompt-audio)$/.test(word));

describe.each(['tts', 'clone'] as const)('svc %s', (command) => {
  const voiced = (argv: readonly string[]): readonly string[] => [
    command,
    ...(needsVoice(argv) ? ['--voice', 'me'] : []),
    ...argv,
  ];
  const speak = async (...argv: readonly string[]): Promise<readonly string[]> =>
    (await receive(...voiced(argv))).map((text) => text.replace(/^me\./, ''));
  const refused = (...argv: readonly string[]): Promise<readonly [number, string]> =>
    refusal(...voiced(argv), '--output', out);

  beforeEach(() => copyFile(join(shared, 'voices.sqlite'), folder.join('voices.sqlite')));

  it.each([
    ['notes.md', '# One\n\n*Two*\n\n```\nThree\n```\n', [], ['One', 'Two']],
    ['notes.MARKDOWN', '- One', [], ['One']],
    ['notes.md', '# One\n\n```\nThree\n```\n', ['--read-code'], ['One', 'Three']],
    ['talk.ssml', '<?xml version="1.0"?><speak>One.<break time="1s"/>Two.</speak>', [], ['One.', 'Two.']],
    ['talk.txt', ' <speak>One.</speak>', [], ['One.']],
    ['talk.txt', '<speak>One.</speak>', ['--voices', 'Anna=default'], ['One.']],
    ['talk.txt', 'One. [pause:1s] Two.', ['--input-format', 'script'], ['One.', 'Two.']],
    ['notes.md', '(One)', ['--input-format', 'PLAIN'], ['(One)']],
  ])('reads %s by its name, its beginning or --input-format: %j %j', async (name, content, options, expected) => {
    expect(await speak('--text-file', await write(name, content), ...options)).toEqual(expected);
  });

  it('says words by each --lexicon, the last one first', async () => {
    const [one, two] = [await write('one.txt', 'gif = jif\nsql = S Q L'), await write('two.txt', 'SQL = sequel')];
    expect(await speak('--text', 'a gif of sql, SQL', '--lexicon', one, '--lexicon', two)).toEqual([
      'a jif of S Q L, sequel',
    ]);
  });

  it('speaks a dialogue in stored voices and recordings', async () => {
    await addVoice('anna');
    await copyFile(recording, folder.join('ben.wav'));
    await write('ben.txt', 'ben.');
    const dialogue = ['--text', 'Anna: One.\nBen: Two. [voice:anna] Three. [voice:default] Four.'];
    const voices = ['--voices', 'Anna = anna', '--voices', 'Ben=ben', '--voice-dir', folder.path];
    expect(await speak(...dialogue, ...voices)).toEqual(['anna.One.', 'ben.Two.', 'anna.Three.', 'Four.']);
  });

  it.each([
    ['One. [voice:anna] Two.', ['One.', 'anna.Two.']],
    ['# One\n\nTwo [voice:anna] three `[voice:x]`.', ['One', 'Two', 'anna.three voicex.']],
  ])('follows tags of voices in any text: %j', async (text, expected) => {
    await addVoice('anna');
    const [code, message] = await refused('--text', text.replace('anna', 'anan'));
    expect([code, message]).toEqual([3, expect.stringMatching(/unknown voice "anan" .*did you mean "anna"/)]);
    expect(await speak('--text', text)).toEqual(expected);
  });

  it('takes the transcript of the prompt from a file', async () => {
    const words = await write('words.txt', '\ufeff What she says.\r\n');
    expect(await speak('--text', 'One.', '--prompt-audio', recording, '--prompt-file', words)).toEqual([
      'What she says.One.',
    ]);
  });

  it.each([
    ['.srt', [], /^1\n00:00:00,\d{3} --> 00:00:00,8\d\d\nOne two\.\n\n2\n00:00:0/],
    ['.VTT', [], /^WEBVTT\n\n00:00:00\.\d{3} --> 00:00:00\.8\d\d\nOne two\.\n/],
    ['.vtt', ['--caption-words'], /<00:00:00\.\d{3}>/],
    ['.json', [], /^\{\n {2}"sentences": \[\n/],
  ])('writes captions as %s %j', async (extension, options, expected) => {
    const file = folder.join(`talk${extension}`);
    const text = 'One two.\n\nThree four.';
    expect(await speak('--text', text, '--captions', file, ...options)).toHaveLength(2);
    expect(await readFile(file, 'utf8')).toMatch(expected);
  });

  it.each(readRows<'line' | 'message' | 'code'>('tests/cli/script-refusals.tsv'))(
    'refuses $line before a model is loaded',
    async ({ line, message, code }) => {
      await write('words.txt', '# words\n\ngif jif\n');
      await write('words.pls', '<lexicon>\n<lexeme></lexicon>');
      await write('empty.txt', ' \n');
      const given = line.split(' ').map((word) => (word.startsWith('@') ? folder.join(word.slice(1)) : word));
      expect(await refused(...given)).toEqual([Number(code || 2), expect.stringContaining(message)]);
    },
  );

  it('refuses captions of a stream', async () => {
    const file = folder.join('a.srt');
    expect(await refusal(...voiced(['--text', 'a']), '--captions', file, '--output', '-')).toEqual([
      2,
      'svc: error: --captions needs an audio file: name it with --output\n',
    ]);
  });

  it('explains the options', async () => {
    const { stdout } = await svc([command, '--help', 'all']);
    const help = stdout.toString().replace(/\s+/g, ' ');
    for (const part of [
      '--input-format <name> text format: "script" is plain text with tags such as [pause:1.5s] and [voice:anna], "turns" a dialogue as JSON (choices: auto, plain, markdown, ssml, script, turns) (default: auto; with --live plain, or script with --voices)',
      '--read-code read Markdown code blocks aloud',
      '--lexicon <file> pronunciations: PLS, or lines of word = respelling; may be repeated',
      '--voices <pairs> voices of the speakers in a dialogue, such as Anna=iris,Ben=bruno for lines that begin with "Anna:"',
      '--captions <file> also write captions, as .srt, .vtt, .ass or .json',
      '--caption-words mark the time of each word, in .ass for karaoke (.vtt and .ass only)',
      '--prompt-file <file> transcript of the prompt audio as a text file (UTF-8)',
    ])
      expect(help).toContain(part);
  });
});

describe('the demo model', () => {
  it('speaks Markdown with pauses, and writes captions that end with the audio', async () => {
    const text = await write('talk.md', '# The weather\n\nThe weather is *nice* today.\n\n---\n\n- We go outside.\n');
    const captions = folder.join('talk.json');
    const argv = ['tts', '--text-file', text, '--output', out, '--captions', captions, '--seed', '3', '--json'];
    const outcome = await svc([...argv, '--backend', 'cpu', '--threads', '1'], { openEngine: createEngine });
    expectEnd(outcome, 0, '');
    const { samples, sampleRate } = await readAudioFile(out);
    const seconds = samples.length / sampleRate;
    expect(jsonOf(outcome)).toMatchObject({ parts: 3, audioSeconds: expect.closeTo(seconds, 3) });
    const [title, first, last] = JSON.parse(await readFile(captions, 'utf8')).sentences;
    expect([title.text, first.text, last.text].join('|')).toBe('The weather|The weather is nice today.|We go outside.');
    expect(first.start - title.end).toBeGreaterThan(0.8);
    expect(last.start - first.end).toBeGreaterThan(1);
    expect(last.end).toBeGreaterThan(seconds - 0.5);
    expect(last.end).toBeLessThanOrEqual(seconds);
  });
});
