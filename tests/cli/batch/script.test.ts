/** Scripts, captions and checks of a batch. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { freshFolder } from '../../support/test-folder.ts';
import { expectEnd, expectEndWith, invokeIn, jsonOf, manifestIn, type Outcome } from '../invoke.ts';
import { smallModel } from '../small-model.ts';

const model = smallModel();
const folder = freshFolder();
let output: string;
beforeEach(() => {
  output = folder.join('out');
});

const recording = 'tests/fixtures/tiny-v1/prompt_a.wav';

const svc = invokeIn(folder);

function write(name: string, content: string): string {
  const path = folder.join(name);
  writeFileSync(path, content);
  return path;
}

const jsonl = (...records: unknown[]): string =>
  write('lines.jsonl', records.map((record) => `${JSON.stringify(record)}\n`).join(''));

const batch = (input: string, ...more: string[]): Promise<Outcome> =>
  svc(['batch', '--input', input, '--output-dir', output, '--json', '--max-batch', '1', ...model, ...more]);

const addVoice = (name: string, ...more: string[]): Promise<Outcome> =>
  svc(['voices', 'add', name, '--audio', recording, '--text', `${name}.`, ...more]);

describe('scripts in a batch', () => {
  it('have a format and voices of their own, or those of the options', async () => {
    await addVoice('anna');
    await addVoice('ben');
    const input = jsonl(
      { text: 'A: One.\nB: Two.', voices: { A: 'anna', B: 'ben' } },
      { text: '# Three', inputFormat: 'markdown' },
      { text: '<speak>Four.</speak>' },
      { text: '[voice:ben] Five.' },
      { text: 'Ann: Six.', text_format: undefined },
      { text: 'Ann: Seven.', inputFormat: 'plain' },
    );
    const { code, stderr, backend } = await batch(input, '--voices', 'Ann=anna');
    expect([code, stderr]).toEqual([0, '']);
    expect(backend.texts).toEqual(['anna.One.', 'ben.Two.', 'Three', 'Four.', 'ben.Five.', 'anna.Six.', 'Ann Seven.']);
  });

  it('may all have one format', async () => {
    const input = write('lines.txt', '# One\n*Two*\n');
    expect((await batch(input, '--text-format', 'markdown')).backend.texts).toEqual(['One', 'Two']);
    const named = write('named.csv', 'text,text_format\n# Three,markdown\n');
    expect((await batch(named)).backend.texts).toEqual(['Three']);
    expectEnd(
      await batch(input, '--text-format', 'html'),
      2,
      'svc: error: --text-format must be one of auto, plain, markdown, ssml, script, turns, got "html"\n',
    );
  });

  it('are spoken by their lexicon, or that of the options', async () => {
    const own = write('own.txt', 'gif = giff');
    const all = write('all.txt', 'gif = jif\nsql = sequel');
    const input = jsonl({ id: 1, text: 'gif sql', lexicon: own }, { id: 2, text: 'gif sql' });
    expect((await batch(input, '--lexicon', all)).backend.texts).toEqual(['giff sql', 'jif sequel']);
    expect(jsonOf(await batch(input, '--lexicon', all))).toMatchObject({ done: 0, skipped: 2 });
    write('own.txt', 'gif = guiff');
    const again = await batch(input, '--lexicon', all);
    expect([again.backend.texts, jsonOf(again)]).toMatchObject([['guiff sql'], { done: 1, skipped: 1 }]);
  });

  it('are spoken again when one of their voices has changed', async () => {
    await addVoice('anna');
    const input = jsonl({ id: 1, text: '[voice:anna] One.', inputFormat: 'script' }, { id: 2, text: 'Two.' });
    await batch(input);
    const words = write('words.txt', 'one = won');
    await addVoice('anna', '--replace', '--lexicon', words);
    const again = await batch(input);
    expect([again.backend.texts, jsonOf(again)]).toMatchObject([['anna.won.'], { done: 1, skipped: 1 }]);
  });

  it('fail one by one', async () => {
    const input = jsonl(
      { text: '<speak><p></speak>' },
      { text: '[voice:nobody] One.', inputFormat: 'script' },
      { text: 'Two.', lexicon: folder.join('nowhere.txt') },
      { text: 'Three.', voices: 'anna' },
      { text: 'Four.', captions: 'txt' },
      { text: 'Five.', captionWords: true },
      { text: 'Six.', lexicon: 7 },
      { text: 'Seven.' },
    );
    const { stderr, backend } = await batch(input);
    expect(backend.texts).toEqual(['Seven.']);
    for (const part of [
      'line 1: the SSML is not valid at line 1, column',
      'line 2 (output_002): unknown voice "nobody"',
      `line 3 (output_003): cannot read the lexicon "${folder.join('nowhere.txt')}"`,
      'line 4: voices must be an object of at most 64 voices with names of 1 to 100 characters, got "anna"',
      'line 5: captions must be one of srt, vtt, ass, json, got "txt"',
      'line 6: captionWords needs captions vtt or ass',
      'line 7: lexicon must be the path of a lexicon, or an array of paths, got 7',
    ])
      expect(stderr).toContain(part);
  });
});

describe('captions of a batch', () => {
  const files = (): readonly string[] =>
    readdirSync(output)
      .filter((name) => name !== 'manifest.jsonl')
      .sort();

  it('lie beside the audio, and are in the manifest', async () => {
    const input = jsonl(
      { id: 'a', text: 'One two.' },
      { id: 'b', text: 'Three.', captions: 'vtt', captionWords: true },
    );
    expect(await batch(input, '--captions', 'srt')).toMatchObject({ code: 0, stderr: '' });
    expect(files()).toEqual(['a.srt', 'a.wav', 'b.vtt', 'b.wav']);
    expect(readFileSync(join(output, 'a.srt'), 'utf8')).toMatch(/^1\n00:00:00,000 --> 00:00:00,\d{3}\nOne two\.\n/);
    expect(readFileSync(join(output, 'b.vtt'), 'utf8')).toMatch(/^WEBVTT\n/);
    expect(manifestIn(output).map(({ captions }) => captions)).toEqual(['a.srt', 'b.vtt']);
  });

  it('are made when they are missing, and leave no partial file', async () => {
    const input = jsonl({ id: 'a', text: 'One.' }, { id: 'b', text: 'Two.' });
    await batch(input);
    expect(jsonOf(await batch(input, '--captions', 'json'))).toMatchObject({ done: 2, skipped: 0 });
    rmSync(join(output, 'a.json'));
    writeFileSync(join(output, 'b.json.0123456789ab.tmp'), 'partial');
    expect(jsonOf(await batch(input, '--captions', 'json'))).toMatchObject({ done: 1, skipped: 1 });
    expect(files()).toEqual(['a.json', 'a.wav', 'b.json', 'b.wav']);
  });
});

describe('--check', () => {
  const check = (input: string, ...more: string[]): Promise<Outcome> =>
    svc(['batch', '--input', input, '--check', ...more]);

  it('reports every problem with its line, and opens no model', async () => {
    await addVoice('anna');
    write('short.wav', readFileSync(recording, 'latin1').slice(0, 44));
    const input = write(
      'lines.csv',
      [
        'id,text,voice,prompt_audio,prompt_text,control,lexicon',
        `ok,One.,,${recording},Words.,,`,
        'voice,Two.,nobody,,,,',
        'prompt,Three.,,nowhere.wav,Words.,,',
        'half,Four.,,nowhere.wav,,,',
        '"words","Fi\nve.",,,,,nowhere.txt',
        'control,Six.,anna,,,calm,',
        'text,?!,,,,,',
        'noise,Seven.,,package.json,Words.,,',
      ].join('\n'),
    );
    const { code, stderr, opened } = await check(input);
    expect(opened).toEqual([]);
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringContaining('svc: error: line 3 (voice): unknown voice "nobody" (available: default, anna, alma, '),
      'svc: error: line 4 (prompt): cannot read audio file nowhere.wav: no such file',
      'svc: error: line 5 (half): prompt audio needs prompt text: give the recording and its transcript together',
      expect.stringContaining('svc: error: line 6 (words): cannot read the lexicon "nowhere.txt": '),
      expect.stringContaining('svc: error: line 8 (control): --control cannot be combined with voice "anna"'),
      expect.stringContaining('svc: error: line 9 (text): text must contain a letter or digit'),
      expect.stringContaining('svc: error: line 10 (noise): package.json: unsupported audio format'),
      'svc: error: 7 of 8 lines have a problem',
    ]);
    expect(code).toBe(1);
    expect(existsSync(output)).toBe(false);
  });

  it('exits with the code of the problems, or 0', async () => {
    const good = jsonl({ text: 'One.' }, { text: 'Two.' });
    expect(await check(good)).toMatchObject({ code: 0, stderr: '', opened: [] });
    expect(jsonOf(await check(good, '--json'))).toEqual({ utterances: 2, valid: 2, failed: 0 });
    expect((await check(good, '--verbose')).stderr).toBe('svc: all 2 lines are valid\n');
    const invalid = jsonl({ text: 'One.', seed: -1 }, { text: 'Two.' });
    expect((await check(invalid)).code).toBe(2);
    const json = await check(invalid, '--json');
    expect([json.code, jsonOf(json)]).toEqual([2, { utterances: 2, valid: 1, failed: 1 }]);
    expect((await check(jsonl({ text: 'One.', voice: 'nobody' }))).code).toBe(3);
    expect((await check(jsonl({ text: 'Ann: One.', voices: { Ann: 'nobody' } }))).code).toBe(3);
    await addVoice('anna');
    const voiced = jsonl({ text: 'One.', voice: 'anna' }, { text: 'Two.' });
    expectEnd(await check(voiced, '--voice', 'anna'), 0, '');
    const twice = jsonl({ id: 'a', text: 'One.' }, { id: 'A', text: 'Two.' });
    expectEndWith(await check(twice), 2, '"A" in lines 1 and 2');
    expect((await check(write('empty.txt', '\n'))).stderr).toContain('has no line with a text');
  });

  it('reports more problems than a run lists', async () => {
    const { stderr } = await check(jsonl(...Array.from({ length: 50 }, () => ({ text: 'One.', seed: -1 }))));
    expect(stderr.match(/svc: error: line \d+: seed/g)).toHaveLength(50);
  });
});

describe('--prompt-file', () => {
  it('is the transcript of the prompt of all lines', async () => {
    const words = write('words.txt', '\ufeff  What she says. \n');
    const { code, backend } = await batch(jsonl({ text: 'One.' }), '--prompt-audio', recording, '--prompt-file', words);
    expect([code, backend.texts]).toEqual([0, ['What she says.One.']]);
  });
});
