import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { decodeWav } from '../../../src/audio/decode/wav.ts';
import { encodeWav } from '../../../src/audio/encode/wav-encode.ts';
import { tone } from '../../audio/tone.ts';
import { readRows } from '../../support/rows.ts';
import { freshFolder } from '../../support/test-folder.ts';
import { type Circumstances, expectEnd, expectEndWith, invoke, jsonOf, manifestIn, type Outcome } from '../invoke.ts';
import { smallModel } from '../small-model.ts';

const model = smallModel();
const folder = freshFolder();
let output: string;
beforeEach(() => {
  output = folder.join('out');
});

type Entry = Readonly<Record<string, unknown>>;

const entries = (): Entry[] => manifestIn(output);

/** The last entry of each id. */
const entry = (id: string): Entry | undefined => entries().findLast((candidate) => candidate.id === id);

/** Without the manifest. */
const files = (): string[] =>
  readdirSync(output)
    .filter((name) => name !== 'manifest.jsonl')
    .sort();

function write(name: string, content: string | Uint8Array): string {
  const path = folder.join(name);
  writeFileSync(path, content);
  return path;
}

/** A second of prompt audio has ten patches. */
const longPatches = { stopAt: 4, info: { inputPatchSamples: 1_600 } };

const jsonl = (...records: unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');

const batch = (input: string, more: readonly string[] = [], circumstances: Circumstances = {}): Promise<Outcome> =>
  invoke(['batch', '--input', input, '--output-dir', output, ...model, ...more], circumstances);

describe('lines of text', () => {
  it('become files named like those of the official tool', async () => {
    const { code, stdout, stderr } = await batch(write('texts.txt', 'One.\nTwo.\n\nThree.'));
    expect([code, stdout.toString(), stderr]).toEqual([0, '', '']);
    expect(files()).toEqual(['output_001.wav', 'output_002.wav', 'output_003.wav']);
    expect(decodeWav(readFileSync(join(output, 'output_003.wav'))).samples.length).toBe(20);
    const spoken = entries().map(({ id, line, status }) => `${id} ${line} ${status}`);
    expect(spoken.sort()).toEqual(['output_001 1 done', 'output_002 2 done', 'output_003 4 done']);
  });

  it('may have a byte order mark, Windows line endings and any script', async () => {
    const { code } = await batch(write('texts.txt', '\ufeffGrüße.\r\n   \r\n你好，世界。\r\n'));
    expect(code).toBe(0);
    const hashes = ['Grüße.', '你好，世界。'].map((text) => createHash('sha256').update(text).digest('hex'));
    expect(['output_001', 'output_002'].map((id) => entry(id)?.textHash)).toEqual(hashes);
  });

  it('come from standard input', async () => {
    const { code } = await batch('-', ['--response-format', 'pcm'], { stdin: 'One.\nTwo.\n' });
    expect(code).toBe(0);
    expect(files()).toEqual(['output_001.pcm', 'output_002.pcm']);
  });

  it('that are not text fail individually', async () => {
    const broken = Buffer.from([0xc3, 0x28, 0x0a]);
    const bytes = [Buffer.from('“One.”\n'), broken, Buffer.from('a\0b\n?!\nTwo.')];
    const { code, stderr } = await batch(write('texts.txt', Buffer.concat(bytes)));
    expect(code).toBe(2);
    expect(files()).toEqual(['output_001.wav', 'output_005.wav']);
    expect(stderr.split('\n')).toEqual([
      'svc: warning: 2 of 5 lines are invalid; they are listed at the end',
      'svc: error: line 2 (output_002): the line is not UTF-8 text',
      'svc: error: line 3 (output_003): the line is not UTF-8 text but binary data',
      'svc: error: line 4 (output_004): text must contain a letter or digit, got "?!"',
      `svc: error: 3 of 5 lines failed; see ${join(output, 'manifest.jsonl')}`,
      '',
    ]);
    expect(entry('output_003')).toMatchObject({ status: 'failed', line: 3, code: 'INVALID_REQUEST' });
  });
});

describe('lines of JSON', () => {
  it('override options per line', async () => {
    const lines = jsonl(
      { id: 'a', text: 'One.', seed: 7, format: 'flac' },
      { id: 2, text: 'Two.', speed: 2, cfg_value: 1.5, 'inference-timesteps': 4, maxLength: null },
      { text: 'Three.', max_length: 3, min_length: 0 },
    );
    const input = write('lines.jsonl', lines);
    const { code, backend } = await batch(input, ['--seed', '5', '--inference-timesteps', '6', '--no-retry-badcase'], {
      backend: { stopAt: 15, info: { patchSamples: 2560 } },
    });
    expect(code).toBe(0);
    expect(files()).toEqual(['2.wav', 'a.flac', 'output_003.wav']);
    expect(entry('a')).toMatchObject({ seed: 7, status: 'done' });
    expect(entry('2')).toMatchObject({ seed: 5, audioSeconds: (16 * 2560) / 16_000 / 2 });
    expect(entry('output_003')).toMatchObject({ patches: 3, end: 'limit' });
    expect(backend.opened.map(({ timesteps }) => timesteps).sort()).toEqual([4, 6, 6]);
  });

  const broken = readRows<'written' | 'message'>('tests/cli/batch/broken-lines.tsv');
  it.each(broken)('with $written fail individually: $message', async ({ written, message }) => {
    const line = written.startsWith('"') ? `{"text": "b", ${written}}` : written;
    const environment = { SVC_SQLITE_PATH: folder.join('voices.sqlite') };
    const input = write('lines.jsonl', `{"id": "a", "text": "One."}\n${line}\n`);
    const outcome = await batch(input, [], { environment });
    expectEndWith(outcome, message.includes('unknown voice') ? 3 : 2, message);
    expect(outcome.stderr).toMatch(/^svc: error: line 2( \([\w.]+…?\))?: /m);
    expect(files()).toEqual(['a.wav']);
  });

  it('share an encoded prompt until the voice changes', async () => {
    const prompt = write('prompt.wav', encodeWav(tone(250, 1, 16_000), 16_000));
    const lines = [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.', promptAudio: prompt, promptText: 'Said.' }];
    const voice = ['--prompt-audio', prompt, '--prompt-text', 'What is said.'];
    const { code, backend } = await batch(write('lines.jsonl', jsonl(...lines)), voice, { backend: longPatches });
    expect(code).toBe(0);
    expect(backend.calls.filter(({ kind }) => kind === 'encode')).toHaveLength(1);
    expect(backend.prefixes.map(({ audioMask }) => audioMask.includes(1))).toEqual([true, true, true]);
  });

  it('are detected by file name or first line, or set by --input-format', async () => {
    await batch(write('lines.txt', jsonl({ id: 'a', text: 'One.' })));
    await batch(write('lines.ndjson', `\n${jsonl({ id: 'b', text: 'One.' })}`));
    await batch(write('texts.txt', '{not json}\n'), ['--input-format', 'text']);
    expect(files()).toEqual(['a.wav', 'b.wav', 'output_001.wav']);
  });
});

describe('ids', () => {
  it('stay within the folder and apart from each other', async () => {
    const ids = ['../up', '..', '/etc/x', 'a/b', 'a:b', 'CON', '.hidden', 'é', 'e\u0301', ' b '];
    ids.push('x'.repeat(200), '𝄞'.repeat(80));
    const { code } = await batch(write('lines.jsonl', jsonl(...ids.map((id) => ({ id, text: 'One.' })))));
    expect(code).toBe(0);
    expect(readdirSync(folder.path).sort()).toEqual(['lines.jsonl', 'out']);
    expect(new Set(files().map((name) => name.toLowerCase())).size).toBe(ids.length);
    for (const name of files()) {
      expect(name).not.toMatch(/^\.|[/\\:]|^con\./i);
      expect(Buffer.byteLength(name)).toBeLessThan(230);
    }
    expect(entry('é')?.file).toBe('é.wav');
  });

  it.each([
    [['a', 'b', 'a'], '"a" in lines 1 and 3'],
    [['Anna', 'b', 'anna'], '"anna" in lines 1 and 3'],
    [['x', 'output_003', undefined], '"output_003" in lines 2 and 3'],
  ])('that map to the same file are refused at the start: %j', async (ids, pair) => {
    const input = write('lines.jsonl', jsonl(...ids.map((id) => ({ id, text: 'One.' }))));
    const { code, stderr, opened } = await batch(input);
    expect(code).toBe(2);
    const problem = 'has lines with the same id, or ids that differ only in case';
    expect(stderr).toBe(`svc: error: ${input} ${problem}: ${pair}\n`);
    expect(opened).toEqual([]);
    expect(existsSync(output)).toBe(false);
  });
});

describe('running the same command again', () => {
  const lines = [
    { id: 'a', text: 'One.', seed: 1 },
    { id: 'b', text: 'Two.', seed: 1 },
  ];

  it('does nothing and loads no model', async () => {
    const input = write('lines.jsonl', jsonl(...lines));
    expect(jsonOf(await batch(input, ['--json']))).toMatchObject({ done: 2, skipped: 0, model: 'fake' });
    const again = await batch(input, ['--json']);
    expect(jsonOf(again)).toMatchObject({ utterances: 2, done: 0, skipped: 2, failed: 0, rtf: null, model: null });
    expect(again.opened).toEqual([]);
    expect(entries()).toHaveLength(2);
  });

  it('repeats what has changed: record, options, recording, model', async () => {
    const input = write('lines.jsonl', jsonl(...lines));
    await batch(input);
    write('lines.jsonl', jsonl(lines[0], { ...lines[1], text: 'Changed.' }));
    expect(jsonOf(await batch(input, ['--json']))).toMatchObject({ done: 1, skipped: 1 });
    expect(jsonOf(await batch(input, ['--json', '--speed', '2']))).toMatchObject({ done: 2, skipped: 0 });
    const other = write('other.gguf', 'GGUF of another model');
    expect(jsonOf(await batch(input, ['--json', '--speed', '2', '--model-path', other]))).toMatchObject({ done: 2 });
    const recording = (frequency: number) => encodeWav(tone(frequency, 1, 16_000), 16_000);
    const prompt = ['--json', '--prompt-text', 'Said.', '--prompt-audio', write('prompt.wav', recording(280))];
    const speak = async () => jsonOf(await batch(input, prompt, { backend: longPatches }));
    expect(await speak()).toMatchObject({ done: 2 });
    expect(await speak()).toMatchObject({ done: 0 });
    write('prompt.wav', recording(230));
    expect(await speak()).toMatchObject({ done: 2 });
  });

  it('repeats missing, truncated, partial and failed utterances', async () => {
    const input = write('lines.jsonl', jsonl(...lines, { id: 'c', text: '?!' }, { id: 'd', text: 'Four.' }));
    expect((await batch(input)).code).toBe(2);
    rmSync(join(output, 'a.wav'));
    truncateSync(join(output, 'b.wav'), 50);
    writeFileSync(join(output, '.d.wav.0123456789ab.tmp'), 'half');
    writeFileSync(join(output, 'mine.tmp'), 'kept');
    // A power failure cut off an entry.
    writeFileSync(join(output, 'manifest.jsonl'), '{"id":"d","status":"do', { flag: 'a' });
    write('lines.jsonl', jsonl(...lines, { id: 'c', text: 'Three.' }, { id: 'd', text: 'Four.' }));
    expect(jsonOf(await batch(input, ['--json']))).toMatchObject({ done: 3, skipped: 1, failed: 0 });
    expect(files()).toEqual(['a.wav', 'b.wav', 'c.wav', 'd.wav', 'mine.tmp']);
    expect(readFileSync(join(output, 'manifest.jsonl'), 'utf8')).toContain('"status":"do\n{');
  });
});

describe('a run', () => {
  it('generates utterances concurrently', async () => {
    const input = write('texts.txt', 'One.\nTwo.\nThree.\nFour.\nFive.\n');
    const { opened, backend } = await batch(input, ['--max-batch', '4']);
    expect(opened[0]).toMatchObject({ maxBatch: 4 });
    const kinds = backend.calls.map(({ kind }) => kind);
    expect(kinds.slice(0, kinds.indexOf('close')).filter((kind) => kind === 'open')).toHaveLength(4);
  });

  it('stops when canceled and keeps finished files', async () => {
    const controller = new AbortController();
    const input = write('texts.txt', Array.from({ length: 20 }, (_, index) => `Text ${index}.\n`).join(''));
    let steps = 0;
    const onCall = ({ kind }: { readonly kind: string }): void => {
      if (kind === 'step') steps += 1;
      if (steps === 25) controller.abort();
    };
    const backend = { stopAt: 4, onCall };
    const { code, stderr } = await batch(input, ['--max-batch', '2'], { signal: controller.signal, backend });
    expect(code).toBe(130);
    const done = entries().length;
    expect(done).toBeGreaterThan(2);
    expect(done).toBeLessThan(7);
    expect(stderr).toBe(`svc: canceled; ${done} of 20 lines are done; run the same command again to resume\n`);
    expect(files()).toHaveLength(done);
    expect(jsonOf(await batch(input, ['--json']))).toMatchObject({ done: 20 - done, skipped: done });
  });

  it('continues after a failed utterance and exits with its code', async () => {
    let opened = 0;
    const onCall = ({ kind }: { readonly kind: string }): void => {
      if (kind !== 'open') return;
      opened += 1;
      if (opened === 2) throw Object.assign(new Error('no room'), { code: 'OUT_OF_MEMORY' });
    };
    const input = write('texts.txt', 'One.\nTwo.\nThree.\n');
    const outcome = await batch(input, ['--max-batch', '1'], { backend: { stopAt: 4, onCall } });
    expectEndWith(outcome, 6, 'svc: error: line 2 (output_002): no room\n');
    expect(files()).toEqual(['output_001.wav', 'output_003.wav']);
    const several = await batch(write('texts.txt', 'One.\n?!\nThree.\n'), ['--seed', '1', '--max-batch', '1'], {
      backend: { stopAt: 4, onCall: () => undefined },
    });
    expect(several.code).toBe(2);
  });

  it('shows a progress bar on a terminal and nothing in a pipe', async () => {
    const input = write('texts.txt', 'One.\nTwo.\n');
    const { stderr } = await batch(input, [], { terminal: 'stderr' });
    expect(stderr).toMatch(/speaking \[ +\] 0 %, 0 of 2 lines/);
    // The summary alone is left: the bar is erased.
    expect(stderr.split('\u001b[K').at(-1)).toMatch(/^svc: 2 spoken, 0 unchanged, 0 failed/);
    rmSync(output, { recursive: true });
    expect((await batch(input)).stderr).toBe('');
  });

  it('names a misspelled field rather than the one that is missing', async () => {
    const { stderr } = await batch(write('lines.jsonl', '{"txet": "One."}\n'));
    expect(stderr).toContain('line 1: unknown field "txet" in the line; did you mean "text"?\n');
  });

  it('that fails to load the model leaves no new files', async () => {
    const failure = Object.assign(new Error('expected a model, received a damaged one'), { code: 'MODEL_INVALID' });
    const input = write('texts.txt', 'One.\n');
    const nested = join(output, 'a', 'b');
    const argv = ['batch', '--input', input, '--output-dir', nested];
    expectEndWith(await invoke(argv, { failure }), 4, failure.message);
    expect(existsSync(output)).toBe(false);
    mkdirSync(output);
    writeFileSync(join(output, 'manifest.jsonl'), '');
    expect((await batch(input, [], { failure })).code).toBe(4);
    expect((await invoke(argv, { failure })).code).toBe(4);
    expect(readdirSync(output)).toEqual(['manifest.jsonl']);
  });

  it('does not wait for a named pipe', async () => {
    const pipe = folder.join('pipe.wav');
    execFileSync('mkfifo', [pipe]);
    const line = { text: 'One.', promptAudio: pipe, promptText: 'Said.' };
    const outcome = await batch(write('lines.jsonl', jsonl(line)));
    expectEndWith(outcome, 2, `cannot read the audio file "${pipe}": it is a named pipe`);
  });

  it('fails if the output folder cannot be created', async () => {
    const target = join(write('texts.txt', 'One.\n'), 'out');
    const settings = ['--input', join(target, '..'), '--output-dir', target];
    const outcome = await invoke(['batch', ...settings]);
    expectEnd(outcome, 1, `svc: error: cannot create folder ${target}: a file is in the way\n`);
  });
});
