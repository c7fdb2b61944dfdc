import { cpSync, existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Io } from '../../src/cli/io.ts';
import { benchModels } from '../../src/cli/model/bench-models.ts';
import { createEngine } from '../../src/index.ts';
import { expectError } from '../support/errors.ts';
import { freshFolder } from '../support/test-folder.ts';
import { invoke } from './invoke.ts';

const root = process.cwd();

const folder = freshFolder();
let checkpoint: string;
beforeEach(() => {
  checkpoint = folder.join('My VoxCPM');
  cpSync(join(root, 'tests/fixtures/tiny-v1/checkpoint'), checkpoint, { recursive: true });
});

afterEach(() => process.chdir(root));

const cache = (): string => folder.join('cache');
const converted = (): string[] => readdirSync(join(cache(), 'checkpoints')).sort();
const svc = (argv: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  invoke(argv, { environment: { SVC_CACHE_DIR: cache(), ...more } });
const tts = (...more: readonly string[]): string[] => [
  ...['tts', '--text', 'hello', '--output', folder.join('out.wav')],
  ...more,
];

describe('a checkpoint folder', () => {
  it('speaks', async () => {
    const argv = ['tts', '--text', 'hello', '--max-length', '4', '--output', 'hello.wav', '--model-path', 'My VoxCPM'];
    process.chdir(folder.path);
    const speak = () => invoke(argv, { environment: { SVC_CACHE_DIR: cache() }, openEngine: createEngine });
    const { code, stderr } = await speak();
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^svc: converting checkpoint My VoxCPM \(\d MB\) to .*cache\n/),
    });
    expect(existsSync(folder.join('hello.wav'))).toBe(true);
    expect((await speak()).stderr).not.toContain('converting');
  });

  it('of --model-path or --model is converted once for each type and state of its files', async () => {
    const first = await svc(tts('--model-path', checkpoint));
    const [name = ''] = converted();
    expect([first.code, first.opened]).toMatchObject([0, [{ modelPath: join(cache(), 'checkpoints', name) }]]);
    expect(name).toMatch(/-q8_0\.gguf$/);
    const { mtimeMs } = statSync(join(cache(), 'checkpoints', name));
    for (const option of ['--model-path', '--model']) {
      const again = await svc(tts(option, checkpoint));
      expect([again.stderr, again.opened]).toEqual(['', first.opened]);
    }
    expect(statSync(join(cache(), 'checkpoints', name)).mtimeMs).toBe(mtimeMs);
    await svc(tts('--model-path', checkpoint, '--type', 'f16', '--quiet'));
    expect(converted()).toHaveLength(2);
    utimesSync(join(checkpoint, 'config.json'), 1, 1);
    expect((await svc(tts('--model', checkpoint))).stderr).toContain('svc: converting checkpoint ');
    expect(converted()).toHaveLength(2);
    expect(converted()).not.toContain(name);
  });

  it('serves the other commands and SVC_MODELS_DIR', async () => {
    const environment = { SVC_MODELS_DIR: checkpoint };
    await svc(tts('--quiet'), environment);
    const modelPath = join(cache(), 'checkpoints', converted()[0] as string);
    const lines = folder.join('lines.txt');
    writeFileSync(lines, 'hello\n');
    const prompt = join(root, 'tests/fixtures/tiny-v1/prompt_a.wav');
    const clone = ['--prompt-audio', prompt, '--prompt-text', 'one', '--text', 'a', '--output', folder.join('b.wav')];
    for (const argv of [
      ['batch', '--input', lines, '--output-dir', folder.join('out'), '--model-path', checkpoint],
      ['clone', ...clone, '--model', checkpoint],
    ]) {
      const { opened, stderr } = await svc(argv);
      expect(opened).toMatchObject([{ modelPath }]);
      expect(stderr).not.toContain('converting');
    }
    for (const model of [checkpoint, `mine=${checkpoint}`]) {
      // The engine is opened after the models are prepared.
      const failure = new Error('far enough');
      const environment = { SVC_CACHE_DIR: cache() };
      const { opened } = await invoke(['serve', '--port', '0', '--model', model], { environment, failure });
      expect(opened).toMatchObject([{ modelPath }]);
    }
    const io = {
      environment: { SVC_CACHE_DIR: cache() },
      stderr: {},
      signal: new AbortController().signal,
    } as unknown as Io;
    const models = await benchModels({ modelPath: checkpoint, quiet: true }, io);
    expect(models).toEqual([{ engine: 'native', modelPath }]);
    expect(converted()).toHaveLength(1);
  });

  it('opens in the library', async () => {
    const options = { modelPath: checkpoint, type: 'f16', cacheFolder: cache(), threads: 1 };
    await using engine = await createEngine(options);
    expect((await engine.synthesize({ text: 'hello', maxLength: 4 })).samples.length).toBeGreaterThan(0);
    expect(converted()).toEqual([expect.stringMatching(/-f16\.gguf$/)]);
    await expect(createEngine({ ...options, type: 'q9' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('has a type and a cache folder in the library, which names them in its errors', async () => {
    const refused = createEngine({ type: 'q4_k' });
    await expectError(refused, 'INVALID_REQUEST', 'type needs the folder of a checkpoint as modelPath');
    writeFileSync(cache(), 'not a folder');
    const failing = createEngine({ modelPath: checkpoint, cacheFolder: cache() });
    await expectError(failing, 'IO', /; set cacheFolder to another folder, or convert it yourself: svc export /);
  });

  it('is converted with the printed command where the cache is not writable', async () => {
    writeFileSync(cache(), 'not a folder');
    const { code, stderr } = await svc(tts('--model-path', checkpoint));
    expect(code).toBe(1);
    const [, path, output] =
      /^svc: error: cannot convert the checkpoint .*; set SVC_CACHE_DIR to another folder, or convert it yourself: svc export --format gguf --model-path "(.+)" --output "(.+)"\n$/.exec(
        stderr,
      ) ?? [];
    const target = folder.join(output as string);
    const argv = ['export', '--format', 'gguf', '--model-path', path as string, '--output', target, '--quiet'];
    expect(await svc(argv)).toMatchObject({ code: 0 });
    expect(await svc(tts('--model-path', target))).toMatchObject({ code: 0, opened: [{ modelPath: target }] });
  });

  it('leaves nothing behind if it is invalid', async () => {
    rmSync(join(checkpoint, 'audiovae.pth'));
    expect(await svc(tts('--model-path', checkpoint))).toMatchObject({ code: 4, opened: [] });
    expect(converted()).toEqual([]);
    expect(await svc(tts('--model-path', checkpoint, '--file', 'x.gguf'))).toMatchObject({ code: 2 });
  });
});
