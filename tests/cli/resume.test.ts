/** Long texts that end early, with a fake backend. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { audible, failingAt } from '../engine/fake-backend.ts';
import { freshFolder } from '../support/test-folder.ts';
import { type Circumstances, expectEnd, expectEndWith, invoke } from './invoke.ts';
import { smallModel } from './small-model.ts';

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
    backend: audible,
    ...circumstances,
  });
const left = async (): Promise<readonly string[]> =>
  (await readdir(folder.path)).filter((name) => name !== 'in.md' && name !== 'short.txt').sort();

/** Path of the first finished part with an extension. */
const keptPart = async (extension: string): Promise<string> => {
  const names = await readdir(at('out.wav.unfinished'));
  const [name = ''] = names.filter((each) => each.startsWith('part-') && each.endsWith(extension));
  return at(`out.wav.unfinished/${name}`);
};

describe('a long text that ends early', () => {
  it('is resumed with its seed, to the bytes and captions of a run that does not', async () => {
    const captions = ['--captions', at('out.srt')];
    const first = await speak('out.wav', captions, { backend: failingAt(100) });
    expect([first.code, await left()]).toEqual([1, ['out.wav.unfinished']]);
    expect(first.stderr).toMatch(/out of luck; run the same command again to resume\n$/);
    const second = await speak('out.wav', [...captions, '--json']);
    expectEnd(second, 0, /^svc: resuming: [1-9]\d* of \d+ parts are finished\n/);
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
    const text = await readFile(at('in.md'), 'utf8');
    const whole = ['tts', '--text', text, '--input-format', 'markdown', '-o', at('other.wav'), '--seed', '3'];
    await invoke(whole, { backend: audible });
    expect((await readFile(at('out.wav'))).equals(await readFile(at('other.wav')))).toBe(true);
  });

  it('does not mix with another text or other options', async () => {
    await speak('out.wav', [], { backend: failingAt(100) });
    const { code, stderr } = await speak('out.wav', ['--max-length', '50']);
    expect(code).not.toBe(0);
    expect(stderr).toContain(
      'has an unfinished run, made from another text or with another voice, model, options or version of svc',
    );
  });

  it('names the version of svc that has begun it', async () => {
    await speak('out.wav', [], { backend: failingAt(100) });
    const manifest = at('out.wav.unfinished/manifest.json');
    const earlier = JSON.parse(await readFile(manifest, 'utf8'));
    expect(earlier.svc).toBe(JSON.parse(await readFile('package.json', 'utf8')).version);
    await writeFile(manifest, JSON.stringify({ ...earlier, hash: 'other', svc: '0.0.9' }));
    expectEndWith(
      await speak('out.wav'),
      1,
      'run that command again with svc "0.0.9" to finish it, or delete the folder to start over',
    );
  });

  it('speaks a section again whose text this version of svc reads otherwise', async () => {
    await speak('out.wav', ['--seed', '3'], { backend: failingAt(100) });
    const path = await keptPart('.json');
    const kept = JSON.parse(await readFile(path, 'utf8'));
    const again = (print: string | undefined) =>
      writeFile(path, JSON.stringify({ ...kept, print })).then(() =>
        speak('out.wav', ['--seed', '3'], { backend: failingAt(20) }),
      );
    expect((await again('other')).stderr).toContain('resuming: 0 of');
    // Earlier programs have stated nothing.
    expect((await again(undefined)).stderr).toMatch(/resuming: [1-9]/);
  });

  it('leaves nothing where nothing was finished, nor of a short text', async () => {
    await speak('out.wav', [], { backend: failingAt(2) });
    await speak('out.wav', [], { backend: failingAt(2) }, 'short.txt');
    expect(await left()).toEqual([]);
  });

  it.each([
    ['one changed bit', (bytes: Buffer) => bytes.writeUInt8(bytes.readUInt8(400) ^ 1, 400), 'kept'],
    ['a number that is none', (bytes: Buffer) => bytes.writeFloatLE(Number.NaN, 400), 'lost'],
    ['a huge number', (bytes: Buffer) => bytes.writeFloatLE(1e38, 400), 'lost'],
  ])('speaks a section again whose file has %s', async (_, damage, hash) => {
    await speak('out.wav', ['--seed', '3'], { backend: failingAt(100) });
    const path = await keptPart('.f32');
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
    await speak('out.wav', ['--seed', '3'], { backend: failingAt(100) });
    await writeFile(await keptPart('.f32'), Buffer.alloc(40));
    // Remains of a killed writer of the output.
    await writeFile(at('out.wav.unfinished/.output.tmp.0123456789ab.tmp'), 'RIFF');
    expect((await speak('out.wav', ['--seed', '3'])).code).toBe(0);
    expect(await left()).toEqual(['out.wav']);
    await speak('whole.wav', ['--seed', '3']);
    expect((await readFile(at('out.wav'))).equals(await readFile(at('whole.wav')))).toBe(true);
  });
});
