import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { decodeWav } from '../../src/audio/decode/wav.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { createFakeBackend } from '../engine/fake-backend.ts';
import { rounds } from '../support/rounds.ts';
import { freshFolder } from '../support/test-folder.ts';
import { expectEnd, invoke } from './invoke.ts';

const folder = freshFolder();
let out: string;

beforeEach(() => {
  out = folder.join('out.wav');
});

const backend = { stopAt: 4, info: { limits: { maxTextCharacters: 20 } } };
const text = 'One is the first. Two is the next.\n\nThree is a part. Four is there.';
const speak = (...more: string[]): string[] => ['tts', '--text', text, '--output', out, ...more];

describe('svc tts with a long text', () => {
  it('writes all parts to one file and reports their number', async () => {
    const { code, stderr, stdout, backend: fake } = await invoke(speak('--json'), { backend });
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout.toString())).toMatchObject({ parts: 4, patches: 20 });
    expect(fake.opened).toHaveLength(4);
    // Two pauses after sentences and one after a paragraph.
    const { samples } = decodeWav(await readFile(out));
    expect(samples.length / 16_000).toBeCloseTo(0.4 + 0.9 + 0.4, 1);
    expect(await readdir(folder.path)).toEqual(['out.wav']);
  });

  it('streams the same samples', async () => {
    await invoke(speak('--seed', '1'), { backend });
    const { stdout, stderr } = await invoke(['tts', '--text', text, '--output', '-', '--seed', '1', '--json'], {
      backend,
    });
    expect(decodeWav(stdout).samples).toEqual(decodeWav(await readFile(out)).samples);
    expect(JSON.parse(stderr)).toMatchObject({ parts: 4, patches: 20 });
  });

  it('writes the same bytes for the same seed', async () => {
    await invoke(speak('--seed', '1'), { backend });
    const first = await readFile(out);
    await invoke(speak('--seed', '1'), { backend });
    expect((await readFile(out)).equals(first)).toBe(true);
  });

  it('generates one part with --no-split', async () => {
    const { stdout } = await invoke(speak('--no-split', '--json', '--quiet'), { backend });
    expect(JSON.parse(stdout.toString())).toMatchObject({ parts: 1 });
  });

  it('shows the parts on a terminal', async () => {
    const { stderr } = await invoke(speak(), { backend, terminal: 'stderr' });
    expect(stderr).toMatch(/speaking \[=+ *\] \d+ %, \d of 4 parts/);
  });

  it('warns when a part was cut off', async () => {
    const { stderr } = await invoke(speak('--max-length', '3', '--no-retry-badcase'), { backend });
    expect(stderr).toBe('svc: warning: a part of the speech reached its maximum length and may be cut off\n');
  });

  it('leaves nothing behind when interrupted between parts', async () => {
    const controller = new AbortController();
    const fake = createFakeBackend({
      ...backend,
      onCall: ({ kind, sessions }) => {
        if (kind === 'step' && sessions.includes(2)) controller.abort();
      },
    });
    expectEnd(await invoke(speak(), { backend: fake, signal: controller.signal }), 130, 'svc: canceled\n');
    expect(await readdir(folder.path)).toEqual([]);
    expect(fake.opened.every(({ closed }) => closed)).toBe(true);
  });

  it('does not change an existing file when a late part fails', async () => {
    await writeFile(out, 'precious');
    const fake = createFakeBackend({
      ...backend,
      onCall: ({ kind }) => {
        if (kind === 'open' && fake.prefixes.length === 3)
          throw Object.assign(new Error('no room'), { code: 'OUT_OF_MEMORY' });
      },
    });
    expectEnd(await invoke(speak(), { backend: fake }), 6, 'svc: error: no room\n');
    expect(await readFile(out, 'utf8')).toBe('precious');
    expect(await readdir(folder.path)).toEqual(['out.wav']);
  });
});

describe('svc tts with an unusual text', () => {
  const lengthsOf = async (words: string, ...more: string[]): Promise<number | undefined> =>
    (await invoke(['tts', '--text', words, '--output', out, '--quiet', ...more], { backend: { stopAt: 4 } })).backend
      .prefixes[0]?.tokens.length;

  it('cleans it by default', async () => {
    expect(await lengthsOf('a\u200b\u200bb…')).toBe(await lengthsOf('ab...'));
    expect(await lengthsOf('a\u200b\u200bb', '--no-clean')).not.toBe(await lengthsOf('ab'));
  });

  it('reads numbers out with --normalize', async () => {
    expect(await lengthsOf('a $3 cat', '--normalize')).toBe(await lengthsOf('a three dollar cat'));
    expect(await lengthsOf('a $3 cat')).toBe(await lengthsOf('a $3 cat', '--no-clean'));
  });

  it('refuses one without letters in one line', async () => {
    const outcome = await invoke(['tts', '--text', '😀 …', '--output', out]);
    expectEnd(outcome, 2, 'svc: error: text must contain a letter or digit, got "😀 …"\n');
    expect(existsSync(out)).toBe(false);
  });

  it('generates a text of hundreds of pages part by part until interrupted', async () => {
    const controller = new AbortController();
    let closed = 0;
    const fake = createFakeBackend({
      stopAt: 4,
      onCall: ({ kind }) => {
        if (kind === 'close') closed += 1;
        if (closed === 12) controller.abort();
      },
    });
    const stdin = `${'A sentence that is repeated. '.repeat(10)}\n\n`.repeat(rounds(1_200, 36_000));
    expectEnd(
      await invoke(['tts', '--no-normalize', '--output', out], { backend: fake, stdin, signal: controller.signal }),
      130,
      'svc: canceled\n',
    );
    expect(await readdir(folder.path)).toEqual([]);
    expect(fake.opened.length).toBeLessThan(20);
  });

  it('refuses texts over 16 MiB', async () => {
    const stdin = 'a'.repeat(17 * 1024 * 1024);
    const outcome = await invoke(['tts', '--output', out], { stdin });
    expectEnd(outcome, 2, 'svc: error: standard input exceeds the limit of 16 MiB of text\n');
  });
});

describe('the demo model', () => {
  it('speaks a long text in parts: complete, without gaps or clicks, reproducibly', async () => {
    const engine = await createEngine({ backend: 'cpu', threads: 1, maxBatch: 4 });
    try {
      const words =
        'The weather is nice today. She opened the window and looked out.\n\n' +
        'Nobody said a word, and then we walked along the river.';
      const request = { text: words, seed: 3, timesteps: 4 };
      const parts: string[] = [];
      const received: Float32Array[] = [];
      for await (const part of engine.synthesizeParts(request)) {
        parts.push(part.text);
        received.push(part.samples);
        expect(part.end).toBe('stop');
      }
      expect(parts.join(' ')).toBe(words.replace('\n\n', ' '));
      for (const part of parts) expect(part.length).toBeLessThanOrEqual(engine.info.limits.maxTextCharacters as number);

      const whole = await engine.synthesize(request);
      expect(whole).toMatchObject({ parts: parts.length, end: 'stop', attempts: 1 });
      expect(
        Buffer.concat(
          received.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
        ),
      ).toEqual(Buffer.from(whole.samples.buffer, whole.samples.byteOffset, whole.samples.byteLength));
      let silent = 0;
      let longest = 0;
      let step = 0;
      for (const [index, value] of whole.samples.entries()) {
        silent = Math.abs(value) < 0.02 ? silent + 1 : 0;
        longest = Math.max(longest, silent);
        step = Math.max(step, Math.abs(value - (whole.samples[index - 1] ?? 0)));
      }
      // One pause after a paragraph; the model's own speech has steps of 0.3.
      expect(longest / whole.sampleRate).toBeGreaterThan(0.85);
      expect(longest / whole.sampleRate).toBeLessThan(1.1);
      expect(step).toBeLessThan(0.5);
      expect(whole.samples.length / whole.sampleRate / words.length).toBeGreaterThan(0.045);
      expect(whole.samples.length / whole.sampleRate / words.length).toBeLessThan(0.11);
    } finally {
      await engine.close();
    }
  });
});
