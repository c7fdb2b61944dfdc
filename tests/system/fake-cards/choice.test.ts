/** `svc tts` with GPU libraries that fail in each way, as if their package were installed. */
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { fixtures } from '../../golden/tiny-models.ts';
import { freshFolder, sharedFolder } from '../../support/test-folder.ts';
import { type FakePackage, type Fault, makeFakePackage, runSvc } from './fake-gpu.ts';

jest.setTimeout(300_000);

const packageFolder = sharedFolder();
let fake: FakePackage;
beforeAll(() => {
  fake = makeFakePackage(packageFolder);
});

const folder = freshFolder();
const output = (): string => folder.join('out.wav');
const loads = (): number =>
  existsSync(folder.join('loads')) ? readFileSync(folder.join('loads'), 'utf8').trim().split('\n').length : 0;

/** A model whose speech never ends by itself. */
const model = join(fixtures, 'peer-tiny-v1.gguf');
const cutOff = 'svc: warning: the speech reached its maximum length of 3 patches and may be cut off\n';

async function speak(fault: Fault, backend: string, variables: Readonly<Record<string, string>> = {}) {
  const settings = ['--threads', '1', '--max-length', '3', '--inference-timesteps', '2', '--backend', backend];
  const { stderr, ...outcome } = await runSvc(
    ['tts', '--model-path', model, '--text', 'Hi.', '--seed', '1', ...settings, '--output', output()],
    {
      ...fake.environment,
      SVC_CACHE_DIR: folder.join('cache'),
      SVC_SQLITE_PATH: folder.join('voices.sqlite'),
      FAKE_GPU: fault,
      FAKE_GPU_LOADS: folder.join('loads'),
      ...variables,
    },
  );
  return { ...outcome, stderr: outcome.code === 0 ? stderr.replace(cutOff, '') : stderr };
}

const name = 'ggml for CUDA from @node-llama-cpp/\\S+-cuda [\\d.]+';

/** Seconds after which a hanging driver is given up; others have the default. */
const brief = { SVC_DEVICE_TIMEOUT: '4' };

const faults: readonly (readonly [Fault, string, Readonly<Record<string, string>>?])[] = [
  [
    'abort-loading',
    `${name} failed to load: crashed \\(SIGABRT\\): fake error: the driver is broken; update the driver`,
  ],
  [
    'abort-product',
    `CUDA0 \\(Fake GPU 0\\) failed a test: products of \\w+: crashed \\(SIGABRT\\): fake error: the provided PTX was compiled with an unsupported toolchain \\(${name}\\); update the NVIDIA driver to version \\d+`,
  ],
  [
    'hang',
    `CUDA0 \\(Fake GPU 0\\) failed a test: products of f32: did not answer in 4 s \\(${name}\\); update the driver`,
    brief,
  ],
  ['hang-loading', `${name} failed to load: did not answer in 4 s; update the driver`, brief],
  ['no-memory', 'CUDA0 \\(Fake GPU 0\\) failed a test: not enough memory on CUDA0.*; free memory of the GPU'],
  ['lost', 'CUDA0 \\(Fake GPU 0\\) failed a test: products of f32: ggml status -1'],
  ['wrong', 'CUDA0 \\(Fake GPU 0\\) failed a test: products of f32: wrong results'],
];

describe.each(faults)('a GPU library with the fault %s', (fault, cause, variables = {}) => {
  it('is passed over with one warning, and refused by name', async () => {
    const passed = await speak(fault, 'auto', variables);
    expect(passed.stderr).toMatch(new RegExp(`^svc: warning: using CPU, as ${cause}[^\\n]*\\n$`));
    expect([passed.code, existsSync(output())]).toEqual([0, true]);
    const before = loads();
    const named = await speak(fault, 'ggml-cuda', variables);
    expect(named.stderr).toMatch(new RegExp(`^svc: error: cannot use backend ggml-cuda: ${cause}[^\\n]*\\n$`));
    expect(named.code).toBe(5);
    // The verdict is kept.
    expect([before, loads()]).toEqual([1, 1]);
  });
});

describe('a GPU that works', () => {
  it('is tried once, speaks, and is not loaded with --backend cpu', async () => {
    expect(await speak('good', 'cpu')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect([loads(), existsSync(folder.join('cache', 'devices'))]).toEqual([0, false]);
    expect(await speak('good', 'auto')).toEqual({ code: 0, stdout: '', stderr: '' });
    // To try it, and to speak.
    expect(loads()).toBe(2);
    expect(await speak('good', 'ggml-cuda')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(loads()).toBe(3);
  });

  it('is refused for a model that its memory does not hold', async () => {
    const { code, stderr } = await speak('good', 'ggml-cuda', { FAKE_GPU_FREE: String(50 * 2 ** 20) });
    expect(stderr).toMatch(
      /^svc: error: the model needs about \d+ MiB on CUDA0, which has 50 of 8192 MiB free; use a smaller model[^\n]*\n$/,
    );
    expect(code).toBe(6);
  });

  it('takes the place of one that fails', async () => {
    const { code, stderr } = await speak('abort-product', 'auto', { FAKE_GPU_CARDS: '2' });
    expect(stderr).toMatch(
      /^svc: warning: using CUDA1, as CUDA0 \(Fake GPU 0\) failed a test: products of \w+: crashed [^\n]*\n$/,
    );
    // Twice to try both cards, then to speak.
    expect([code, loads()]).toEqual([0, 3]);
  });

  it('that fails only with a model is passed over by auto', async () => {
    const { code, stderr } = await speak('abort-product', 'auto', { FAKE_GPU_NODES: '100' });
    expect(stderr).toMatch(
      /^svc: warning: using CPU, as CUDA0 \(Fake GPU 0\) failed a test: CUDA0 \(Fake GPU 0\) stopped working: crashed [^\n]*\n$/,
    );
    expect([code, existsSync(output())]).toEqual([0, true]);
  });
});

describe('the verdict on a library', () => {
  const verdictFile = async (): Promise<string> => {
    const [file = ''] = await readdir(folder.join('cache', 'devices'));
    return folder.join('cache', 'devices', file);
  };
  const change = async (edit: (verdict: { at: number; identity: string }) => void): Promise<void> => {
    const file = await verdictFile();
    const verdict = JSON.parse(await readFile(file, 'utf8'));
    edit(verdict);
    await writeFile(file, JSON.stringify(verdict));
  };

  it('is kept for a day if it failed, and until its parts change', async () => {
    await speak('wrong', 'ggml-cuda');
    expect(loads()).toBe(1);
    await change((verdict) => {
      verdict.at -= 23 * 3_600_000;
    });
    expect((await speak('good', 'ggml-cuda')).code).toBe(5);
    expect(loads()).toBe(1);
    await change((verdict) => {
      verdict.at -= 2 * 3_600_000;
    });
    expect((await speak('good', 'ggml-cuda')).code).toBe(0);
    expect(loads()).toBe(3);
    await change((verdict) => {
      verdict.at -= 1000 * 86_400_000;
    });
    expect((await speak('good', 'ggml-cuda')).code).toBe(0);
    expect(loads()).toBe(4);
    // A variable that chooses other devices.
    expect((await speak('wrong', 'ggml-cuda', { CUDA_VISIBLE_DEVICES: '1' })).code).toBe(5);
    await writeFile(await verdictFile(), '{');
    expect((await speak('good', 'ggml-cuda')).code).toBe(0);
    expect(loads()).toBe(7);
  });

  it('is done without where the cache cannot be written', async () => {
    await writeFile(folder.join('in-the-way'), '');
    const nowhere = { SVC_CACHE_DIR: join(folder.join('in-the-way'), 'cache') };
    expect(await speak('good', 'ggml-cuda', nowhere)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(loads()).toBe(2);
  });
});
