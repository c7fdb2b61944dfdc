import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createFakeHub, type FakeHub, readFolder } from '../hub/fake-hub.ts';
import { freshFolder } from '../support/test-folder.ts';
import { type CommandLine, expectEnd, expectEndWith, invoke, jsonOf } from './invoke.ts';

let hub: FakeHub;
const folder = freshFolder();

beforeAll(async () => {
  const files = await readFolder('tests/fixtures/tiny-v1/checkpoint');
  const weights = { 'x-f16.gguf': Buffer.from('not looked into') };
  const model = { files, token: 'hf_secret' };
  hub = await createFakeHub({
    'openbmb/VoxCPM-0.5B': model,
    'OpenBMB/VoxCPM-0.5B': model,
    'a/models': { files: weights },
  });
});
afterAll(() => hub.close());
beforeEach(() => {
  hub.forget();
});

const svc = (line: CommandLine, more: Readonly<Record<string, string>> = {}, terminal: 'none' | 'stderr' = 'none') => {
  const places = { SVC_CACHE_DIR: folder.join('cache'), HF_ENDPOINT: `${hub.endpoint}/`, HF_TOKEN: 'hf_secret' };
  return invoke(line, { environment: { ...places, ...more }, terminal });
};
const cached = (...names: readonly string[]) => folder.join('cache', ...names);
const f16Path = () => cached('models', 'openbmb--VoxCPM-0.5B-f16.gguf');

describe('svc models', () => {
  it('pulls, lists, shows and removes', async () => {
    const pulled = await svc('models pull voxcpm-0.5b --type F16');
    expect([pulled.code, pulled.stdout.toString()]).toEqual([0, `${f16Path()}\n`]);
    expect(pulled.stderr.split('\n')).toEqual([
      `svc: downloading model voxcpm-0.5b (2 MB) to ${cached()}`,
      expect.stringMatching(/^svc: converting model voxcpm-0\.5b \(\d+ MB\) to /),
      '',
    ]);
    expect((await svc('models path voxcpm-0.5b --type f16')).stdout.toString()).toBe(`${f16Path()}\n`);

    const table = (await svc('models list')).stdout.toString().split('\n');
    expect(table.map((line) => line.split(/ {2,}/))).toEqual([
      ['NAME', 'KIND', 'SIZE', 'PATH'],
      ['voxcpm-0.5b', 'download', '2 MB', cached('hub', 'openbmb--VoxCPM-0.5B')],
      ['voxcpm-0.5b', 'model f16', expect.stringMatching(/^\d MB$/), f16Path()],
      [''],
    ]);
    expect(jsonOf(await svc('models list --json'))).toMatchObject({
      cacheFolder: cached(),
      models: [{ kind: 'download' }, { type: 'f16' }],
    });

    expectEnd(await svc('models remove voxcpm-0.5b'), 0, /^svc: removed model voxcpm-0\.5b \(\d MB\)\n$/);
    for (const name of ['hub', 'models', 'locks']) expect([name, await readdir(cached(name))]).toEqual([name, []]);
    expect((await svc('models list')).stdout.toString()).toMatch(/^no models in .*; known names: voxcpm-0\.5b, /);
  });

  it.each(['VoxCPM-0.5B', 'voxcpm-0.5b'])('name a folder of this name before they download %s', async (name) => {
    await cp('tests/fixtures/tiny-v1/checkpoint', folder.join('here', 'VoxCPM-0.5B'), { recursive: true });
    await mkdir(folder.join('here', 'models'));
    const before = process.cwd();
    process.chdir(folder.join('here'));
    try {
      const speak = () => svc(['tts', 'Hi.', '--model', name, '--type', 'f16', '-o', folder.join('out.wav')]);
      const { code, stderr } = await speak();
      expect(code).toBe(0);
      const [note, download] = stderr.split('\n');
      expect(note).toBe(
        'svc: the folder ./VoxCPM-0.5B has a model of this name too; to use it without a download: --model ./VoxCPM-0.5B',
      );
      expect(download).toContain('downloading model voxcpm-0.5b ');
      expect((await speak()).stderr).not.toContain('folder');
    } finally {
      process.chdir(before);
    }
  });

  it('name a folder of this name where the hub cannot be reached', async () => {
    const here = folder.join('away');
    await cp('tests/fixtures/tiny-v1/checkpoint', join(here, 'VoxCPM-0.5B'), { recursive: true });
    const before = process.cwd();
    process.chdir(here);
    try {
      const { code, stderr } = await svc('tts Hi. --model VoxCPM-0.5B -o out.wav', {
        HF_ENDPOINT: 'http://127.0.0.1:9',
      });
      expect([code, stderr]).toEqual([
        7,
        expect.stringMatching(
          /^svc: error: cannot reach .*; the folder \.\/VoxCPM-0\.5B has a model of this name; .*: --model \.\/VoxCPM-0\.5B\n$/,
        ),
      ]);
    } finally {
      process.chdir(before);
    }
  });

  it('pulls, lists and removes models of ModelScope beside them', async () => {
    const places = { MODELSCOPE_ENDPOINT: `${hub.endpoint}/`, MODELSCOPE_API_TOKEN: 'hf_secret' };
    const path = cached('modelscope', 'models', 'OpenBMB--VoxCPM-0.5B-f16.gguf');
    const pull = ['models', 'pull', 'voxcpm-0.5b', '--type', 'f16'];
    const pulled = await svc([...pull, '--hub', 'modelscope'], places);
    expect([pulled.code, pulled.stdout.toString()]).toEqual([0, `${path}\n`]);
    expect(pulled.stderr).not.toContain('hf_secret');
    hub.forget();
    const found = await svc(pull, { ...places, SVC_HUB: 'ModelScope' });
    expect([found.stdout.toString(), hub.exchanges.length]).toEqual([`${path}\n`, 0]);
    const model = { name: 'modelscope:voxcpm-0.5b', hub: 'modelscope' };
    expect(jsonOf(await svc('models list --json')).models).toMatchObject([
      { ...model, kind: 'download', state: 'complete' },
      { ...model, kind: 'converted', type: 'f16' },
    ]);
    expectEndWith(await svc('models remove voxcpm-0.5b'), 3, 'model "voxcpm-0.5b" is not downloaded');
    expectEndWith(await svc('models remove modelscope:voxcpm-0.5b'), 0, 'removed model modelscope:voxcpm-0.5b');
  });

  it('pulls, shows and removes a model by the address of its page', async () => {
    const page = 'https://huggingface.co/openbmb/VoxCPM-0.5B';
    const pulled = await svc(['models', 'pull', page, '--type', 'f16']);
    expect([pulled.code, pulled.stdout.toString()]).toEqual([0, `${f16Path()}\n`]);
    expect((await svc(['models', 'path', `${page}/tree/main`, '--type', 'f16'])).stdout.toString()).toBe(
      `${f16Path()}\n`,
    );
    expect((await svc(['models', 'remove', page])).stderr).toMatch(/^svc: removed model voxcpm-0\.5b /);
  });

  it('needs no network for a cached model', async () => {
    await svc('models pull voxcpm-0.5b --type f16');
    hub.forget();
    const nowhere = { HF_ENDPOINT: 'http://name.invalid', HF_HUB_OFFLINE: '1' };
    const again = await svc('models pull voxcpm-0.5b --type f16', nowhere);
    expect([again.code, again.stdout.toString(), again.stderr]).toEqual([0, `${f16Path()}\n`, '']);
    expect(hub.exchanges).toEqual([]);
  });

  it('shows a progress bar on a terminal and nothing when quiet', async () => {
    const { stderr } = await svc('models pull voxcpm-0.5b --type f16', {}, 'stderr');
    expect(stderr).toContain('downloading [');
    await svc('models remove voxcpm-0.5b --quiet');
    expectEnd(await svc('models pull voxcpm-0.5b --type f16 --quiet', {}, 'stderr'), 0, '');
  });

  it.each([
    ['models pull a/none', 3, /^svc: error: model a\/none: not found\n$/],
    ['models pull a/models --file y.gguf', 3, /: model a\/models has no file "y\.gguf" \(available: x-f16\.gguf\)\n$/],
  ])('%s: exit code %d', async (line, code, stderr) => {
    const outcome = await svc(line);
    expectEnd(outcome, code, stderr);
    expect(outcome.stderr).toMatch(/^svc: error: /);
  });

  it.each([
    [{ HF_TOKEN: '' }, 3, /no such repository, or it is private; .*set HF_TOKEN/],
    [{ HF_TOKEN: 'other' }, 1, /access denied \(status 403\); check that the token in HF_TOKEN may read it/],
    [
      { HF_ENDPOINT: 'http://name.invalid' },
      7,
      /^svc: error: cannot reach name\.invalid for model .*: the host name cannot be resolved; check the network/,
    ],
  ])('with %j: exit code %d', async (environment, code, stderr) => {
    const outcome = await svc('models pull voxcpm-0.5b', environment);
    expect(outcome).toMatchObject({ code, stderr: expect.stringMatching(stderr) });
    expect(outcome.stderr).not.toMatch(/hf_secret|other\b.*token$/);
  });
});

describe('svc tts --model', () => {
  const tts = (...more: string[]) => ['tts', '--text', 'hello', '--output', folder.join('out.wav'), ...more];

  it('takes it from the hub that is named', async () => {
    const places = { MODELSCOPE_ENDPOINT: hub.endpoint, MODELSCOPE_API_TOKEN: 'hf_secret' };
    const { code, opened } = await svc(tts('--model', 'voxcpm-0.5b', '--type', 'f16', '--hub', 'modelscope'), places);
    const modelPath = cached('modelscope', 'models', 'OpenBMB--VoxCPM-0.5B-f16.gguf');
    expect([code, opened]).toMatchObject([0, [{ modelPath }]]);
  });

  it('opens the model of this name', async () => {
    const { code, opened } = await svc(tts('--model', 'VOXCPM-0.5B', '--type', 'f16'));
    expect([code, opened]).toEqual([0, [{ modelPath: f16Path(), maxBatch: 4 }]]);
    hub.forget();
    expect((await svc(tts('--model', 'voxcpm-0.5b', '--type', 'f16'))).stderr).toBe('');
    expect(hub.exchanges).toEqual([]);
    const file = await svc(tts('--model', 'a/models', '--file', 'x-f16.gguf'));
    expect(file.opened).toMatchObject([{ modelPath: cached('hub', 'a--models', 'x-f16.gguf') }]);
  });
});
