/** Long texts that end early, with a fake backend. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FakeOptions } from '../engine/fake-backend.ts';
import { freshFolder } from '../support/test-folder.ts';
import { type Circumstances, invoke } from './invoke.ts';
import { smallModel } from './small-model.ts';

/** Audible; two patches of a tenth of a second a part. */
const fake: FakeOptions = { stopAt: 4, firstLevel: 0.1, info: { patchSamples: 1_600, contextLength: 100_000 } };
const paragraph = 'The river was wide and cold, and they crossed it at the old bridge in the evening. '.repeat(12);

const model = smallModel();
const folder = freshFolder();
beforeEach(async () => {
  // Two sections.
  await writeFile(folder.join('in.md'), `# Title\n\n${Array(5).fill(paragraph).join('\n\n')}\n`);
  await writeFile(folder.join('short.txt'), 'Hello there. This is short.');
});

const at = (name: string): string => folder.join(name);
const speak = (output: string, settings: readonly string[] = [], circumstances: Circumstances = {}, input = 'in.md') =>
  invoke(['tts', '--text-file', at(input), '-o', at(output), ...model, ...settings], {
    backend: fake,
    ...circumstances,
  });
const left = async (): Promise<readonly string[]> =>
  (await readdir(folder.path)).filter((name) => name !== 'in.md' && name !== 'short.txt').sort();

/** Fails at a step, as a full disk or a power cut would. */
function failing(step: number): FakeOptions {
  let steps = 0;
  return {
    ...fake,
    onCall({ kind }) {
      if (kind === 'step' && ++steps === step) throw new Error('out of luck');
    },
  };
}

describe('a long text that ends early', () => {
  it('is resumed with its seed, to the bytes and captions of a run that does not', async () => {
    const captions = ['--captions', at('out.srt')];
    const first = await speak('out.wav', captions, { backend: failing(100) });
    expect([first.code, await left()]).toEqual([1, ['out.wav.unfinished']]);
    expect(first.stderr).toMatch(/out of luck; run the same command again to resume\n$/);
    const second = await speak('out.wav', [...captions, '--json']);
    expect(second.code).toBe(0);
    expect(second.stderr).toMatch(/^svc: resuming: [1-9]\d* of \d+ parts are finished\n/);
    const report = JSON.parse(second.stdout.toString());
    const whole = ['--captions', at('whole.srt'), '--seed', String(report.seed), '--json'];
    const alone = await speak('whole.wav', whole);
    expect(alone.backend.opened.length).toBe(report.parts);
    expect(second.backend.opened.length).toBeLessThan(report.parts);
    const { rtf: _r, seconds: _s, ttfaMs: _t, ...same } = report;
    expect(JSON.parse(alone.stdout.toString())).toMatchObject(same);
    for (const name of ['.wav', '.srt'])
      expect((await readFile(at(`out${name}`))).equals(await readFile(at(`whole${name}`)))).toBe(true);
    expect(await left()).toEqual(['out.srt', 'out.wav', 'whole.srt', 'whole.wav']);
  });

  it('gives the same bytes as speech that keeps nothing', async () => {
    await speak('out.wav', ['--seed', '3']);
    await invoke(
      [
        'tts',
        '--text',
        await readFile(at('in.md'), 'utf8'),
        '--input-format',
        'markdown',
        '-o',
        at('other.wav'),
        '--seed',
        '3',
      ],
      {
        backend: fake,
      },
    );
    expect((await readFile(at('out.wav'))).equals(await readFile(at('other.wav')))).toBe(true);
  });

  it('does not mix with another text or other options', async () => {
    await speak('out.wav', [], { backend: failing(100) });
    const { code, stderr } = await speak('out.wav', ['--max-length', '50']);
    expect(code).not.toBe(0);
    expect(stderr).toContain(
      'has an unfinished run, made from another text or with another voice, model, options or version of svc',
    );
  });

  it('names the version of svc that has begun it', async () => {
    await speak('out.wav', [], { backend: failing(100) });
    const manifest = at('out.wav.unfinished/manifest.json');
    const earlier = JSON.parse(await readFile(manifest, 'utf8'));
    expect(earlier.svc).toBe(JSON.parse(await readFile('package.json', 'utf8')).version);
    await writeFile(manifest, JSON.stringify({ ...earlier, hash: 'other', svc: '0.0.9' }));
    const { code, stderr } = await speak('out.wav');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        'run that command again with svc "0.0.9" to finish it, or delete the folder to start over',
      ),
    ]);
  });

  it('speaks a section again whose text this version of svc reads otherwise', async () => {
    await speak('out.wav', ['--seed', '3'], { backend: failing(100) });
    const [name = ''] = (await readdir(at('out.wav.unfinished'))).filter((each) => /^part-.*json$/.test(each));
    const path = join(at('out.wav.unfinished'), name);
    const kept = JSON.parse(await readFile(path, 'utf8'));
    const again = (print: string | undefined) =>
      writeFile(path, JSON.stringify({ ...kept, print })).then(() =>
        speak('out.wav', ['--seed', '3'], { backend: failing(20) }),
      );
    expect((await again('other')).stderr).toContain('resuming: 0 of');
    // Earlier programs have stated nothing.
    expect((await again(undefined)).stderr).toMatch(/resuming: [1-9]/);
  });

  it('leaves nothing where nothing was finished, nor of a short text', async () => {
    await speak('out.wav', [], { backend: failing(2) });
    await speak('out.wav', [], { backend: failing(2) }, 'short.txt');
    expect(await left()).toEqual([]);
  });

  it.each([
    ['one changed bit', (bytes: Buffer) => bytes.writeUInt8(bytes.readUInt8(400) ^ 1, 400), 'kept'],
    ['a number that is none', (bytes: Buffer) => bytes.writeFloatLE(Number.NaN, 400), 'lost'],
    ['a huge number', (bytes: Buffer) => bytes.writeFloatLE(1e38, 400), 'lost'],
  ])('speaks a section again whose file has %s', async (_, damage, hash) => {
    await speak('out.wav', ['--seed', '3'], { backend: failing(100) });
    const names = await readdir(at('out.wav.unfinished'));
    const [name = ''] = names.filter((each) => each.endsWith('.f32'));
    const path = join(at('out.wav.unfinished'), name);
    const bytes = await readFile(path);
    damage(bytes);
    await writeFile(path, bytes);
    if (hash === 'lost') {
      // As earlier versions wrote it.
      const json = path.replace('.f32', '.json');
      const { hash: _hash, ...kept } = JSON.parse(await readFile(json, 'utf8'));
      await writeFile(json, JSON.stringify(kept));
    }
    expect((await speak('out.wav', ['--seed', '3'])).code).toBe(0);
    await speak('whole.wav', ['--seed', '3']);
    expect((await readFile(at('out.wav'))).equals(await readFile(at('whole.wav')))).toBe(true);
  });

  it('speaks a section again whose file is cut', async () => {
    await speak('out.wav', ['--seed', '3'], { backend: failing(100) });
    const [name = ''] = (await readdir(at('out.wav.unfinished'))).filter((each) => each.endsWith('.f32'));
    await writeFile(join(at('out.wav.unfinished'), name), Buffer.alloc(40));
    // Remains of a killed writer of the output.
    await writeFile(join(at('out.wav.unfinished'), '.output.tmp.0123456789ab.tmp'), 'RIFF');
    expect((await speak('out.wav', ['--seed', '3'])).code).toBe(0);
    expect(await left()).toEqual(['out.wav']);
    await speak('whole.wav', ['--seed', '3']);
    expect((await readFile(at('out.wav'))).equals(await readFile(at('whole.wav')))).toBe(true);
  });
});
