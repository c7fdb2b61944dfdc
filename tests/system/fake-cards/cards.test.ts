/** Speech on a card, several cards, small ones, and what is measured of them, with a driver that runs kernels on the model of a GPU. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readAudioFile } from '../../../src/audio/decode/read-audio.ts';
import type { Io } from '../../../src/cli/io.ts';
import { runProbe } from '../../../src/cli/probe/run-probe.ts';
import { chooseDevice, workingDevices } from '../../../src/engine/backends/native/device.ts';
import { loadNative } from '../../../src/engine/backends/native/load-addon.ts';
import { openNativeBackend } from '../../../src/engine/backends/native/native.ts';
import { fixtures } from '../../golden/tiny-models.ts';
import { eventually } from '../../support/eventually.ts';
import { sharedFolder } from '../../support/test-folder.ts';
import { type CardFault, type FakeDriver, makeFakeDriver } from './fake-cuda.ts';
import { runSvc, startSvc } from './fake-gpu.ts';

const folder = sharedFolder();
let fake: FakeDriver;
let variables: Readonly<Record<string, string>>;
beforeAll(() => {
  fake = makeFakeDriver(folder);
  variables = {
    ...fake.environment,
    SVC_CACHE_DIR: join(folder, 'cache'),
    SVC_SQLITE_PATH: join(folder, 'voices.sqlite'),
    FAKE_CUDA_CARDS: '2',
  };
});

const before = { ...process.env };
let server: ChildProcess | undefined;
afterEach(async () => {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(before, name)) delete process.env[name];
  Object.assign(process.env, before);
  if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
  server.kill('SIGKILL');
  await once(server, 'close');
});

const model = join(fixtures, 'peer-tiny-v1.gguf');
const devices = () => ({ cacheFolder: join(folder, 'cache') });

describe('several cards', () => {
  it('are chosen by number', async () => {
    Object.assign(process.env, variables);
    const choose = async (backend: 'auto' | 'cuda' | 'cpu', number: number) =>
      (await chooseDevice(backend, loadNative(), { ...devices(), number })).device.name;
    expect([await choose('cuda', 0), await choose('cuda', 1), await choose('auto', 1)]).toEqual([
      'CUDA0',
      'CUDA1',
      'CUDA1',
    ]);
    for (const backend of ['cuda', 'auto'] as const) {
      await expect(choose(backend, 2)).rejects.toMatchObject({
        code: 'BACKEND_UNAVAILABLE',
        message: 'there is no GPU with the number 2 (available: CUDA0 (Fake card), CUDA1 (Fake card))',
      });
    }
    await expect(choose('cpu', 0)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect(await workingDevices('auto', loadNative(), devices())).toEqual([0, 1]);
    expect(await workingDevices('cpu', loadNative(), devices())).toEqual([undefined]);
  });

  it.each([
    ['cpu', {}, 2, '--device all uses GPUs; --backend cpu uses none'],
    ['auto', { FAKE_CUDA: 'no-device' }, 5, '--device all uses GPUs, and none works; svc doctor says why'],
  ])('all of them are not the CPU (--backend %s)', async (backend, fault, code, message) => {
    const options = ['--device', 'all', '--backend', backend, '--model-path', model, '--threads', '1', '--port', '0'];
    const refused = await runSvc(['serve', ...options], {
      ...variables,
      SVC_CACHE_DIR: join(folder, 'none'),
      ...fault,
    });
    expect(refused).toMatchObject({ code, stderr: expect.stringContaining(`svc: error: ${message}\n`) });
  });

  it('share the requests of a server, which says what each of them does', async () => {
    let words = '';
    const settings = ['--backend', 'cuda', '--device', 'all', '--inference-timesteps', '2', '--threads', '1'];
    server = startSvc(['serve', '--port', '0', '--model-path', model, '--max-batch', '1', ...settings], variables);
    server.stdout?.resume();
    server.stderr?.on('data', (text: Buffer) => {
      words += text.toString();
    });
    const address = (): string | undefined => /"url":"([^"]+)"/.exec(words)?.[1];
    await eventually(() => address() !== undefined || server?.exitCode !== null, 'listening');
    const url = address();
    if (url === undefined) throw new Error(words);
    const speak = async (): Promise<number> => {
      const body = JSON.stringify({ input: 'Hi.', response_format: 'wav', max_length: 3, seed: 1 });
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(`${url}/v1/audio/speech`, { method: 'POST', headers, body });
      await response.arrayBuffer();
      return response.status;
    };
    expect(await Promise.all([speak(), speak(), speak()])).toEqual([200, 200, 200]);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({
      device: 'CUDA0, CUDA1',
      device_type: 'cuda',
      device_name: 'Fake card',
    });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    for (const device of ['CUDA0', 'CUDA1']) {
      const value = (name: string, labels: string): number =>
        Number(new RegExp(`^${name}\\{model="[^"]+",device="${device}"${labels}\\} (\\S+)$`, 'm').exec(metrics)?.[1]);
      expect(value('svc_device_step_seconds_total', '')).toBeGreaterThan(0);
      expect(value('svc_device_memory_bytes', ',state="used"')).toBeGreaterThan(1e6);
      expect(value('svc_device_memory_bytes', ',state="free"')).toBeGreaterThan(1e9);
    }
  });
});

describe('a Hopper card', () => {
  const chosenWith = async (cache: string, others: Readonly<Record<string, string>>) => {
    Object.assign(process.env, variables, { FAKE_CUDA_CARDS: '1', FAKE_CUDA_HOPPER: '1' }, others);
    return (await chooseDevice('cuda', loadNative(), { cacheFolder: join(folder, cache) })).device;
  };

  it.each<readonly [CardFault, string[]]>([
    ['good', ['sm_90', 'sm_90a']],
    ['slow-warpgroups', ['sm_90']],
    ['wrong-warpgroups', ['sm_90']],
    ['lost-warpgroups', ['sm_90']],
  ])('%s, is used with %j', async (fault, modules) => {
    expect(await chosenWith(fault, { FAKE_CUDA: fault })).toMatchObject({ modules });
  });

  it('without the module of warpgroups is used with the other', async () => {
    const kernels = join(folder, 'fewer-kernels');
    await cp(fake.environment.SVC_CUDA_KERNELS as string, kernels, { recursive: true });
    await rm(join(kernels, 'sm_90a.ptx.br'));
    expect(await chosenWith('fewer', { SVC_CUDA_KERNELS: kernels })).toMatchObject({ modules: ['sm_90'] });
  });
});

describe('a card', () => {
  it('is shown by svc doctor with its driver, kernels and memory', async () => {
    const environment = { ...process.env, ...variables, FAKE_CUDA_CARDS: '1', SVC_CACHE_DIR: join(folder, 'doctor') };
    const io = { environment, signal: new AbortController().signal } as unknown as Io;
    const [check] = await runProbe({ name: 'cuda', status: 'failed', parameters: ['device', 'cuda'] }, io);
    expect(check).toMatchObject({
      status: 'ok',
      summary: expect.stringMatching(
        /^CUDA0: Fake card, engine cuda with kernels sm_80, CUDA 12\.4, 8\.\d of 8\.6 GB free, first audio after \d+ ms/,
      ),
    });
  });

  it('is measured by svc bench', async () => {
    // It computes nothing, but what steps take at least is counted.
    const idle = { ...variables, FAKE_CUDA_IDLE: '1' };
    const options = ['--model-path', model, '--backend', 'cuda', '--device', '1', '--patches', '4', '--threads', '1'];
    const { code, stdout, stderr } = await runSvc(['bench', ...options, '--batch', '1,4', '--json'], idle);
    expect([code, stderr.replace(/^svc: (?:native|warning: other processes).*\n/gm, '')]).toEqual([0, '']);
    for (const line of [
      /^MB a step +\d+\.\d +\d+\.\d$/m,
      /^ {2}of the bandwidth +[\d.]+ +[\d.]+$/m,
      /^cold start: \d+ ms/m,
    ])
      expect(stdout).toMatch(line);
    const { configurations, start, device } = JSON.parse(stdout.trim().split('\n').at(-1) as string);
    const [one, four] = configurations.map(({ card }: { readonly card: object }) => card);
    expect(device).toBe('CUDA1');
    expect(four).toMatchObject({ launches: one.launches, totalMb: expect.closeTo(8589.9, 0) });
    // The weights of the flow are read for each evaluation, and more is read and written than weights.
    expect(one.weightMb).toBeGreaterThan(1);
    expect(one.stepMb).toBeGreaterThan(one.weightMb);
    expect(four.stepMb).toBeGreaterThan(one.stepMb);
    expect(start).toMatchObject({ coldMs: expect.any(Number), warmKernelsMs: expect.any(Number) });
  });

  it('speaks as the CPU does, and is reported when it is lost', async () => {
    const speak = async (backend: string, others = {}) => {
      const output = join(folder, `${backend}.wav`);
      const outcome = await runSvc(
        [
          ...['tts', '--model-path', model, '--text', 'Hi.', '--seed', '1', '--threads', '1', '--max-length', '3'],
          ...['--inference-timesteps', '2', '--quiet', '--backend', backend, '--output', output],
        ],
        { ...variables, ...others },
      );
      return { ...outcome, output };
    };
    const samplesOf = async (backend: string): Promise<Float32Array> => {
      const { output, ...outcome } = await speak(backend);
      expect(outcome).toEqual({ code: 0, stdout: '', stderr: '' });
      return (await readAudioFile(output)).samples;
    };
    const [made, expected] = [await samplesOf('auto'), await samplesOf('cpu')];
    expect(made.length).toBe(expected.length);
    expect(made).not.toEqual(expected);
    const fault = join(folder, 'fault');
    await writeFile(fault, '');
    const lost = await speak('cuda', { FAKE_CUDA: 'lost', FAKE_CUDA_WHEN: fault });
    expect(lost.stderr).toMatch(
      /^svc: error: CUDA0 \(Fake card\) stopped working: the GPU was lost: \w+ failed with CUDA_ERROR_LAUNCH_FAILED; retry[^\n]*\n$/,
    );
    expect(lost.code).toBe(1);
  });

  it('that is too old is refused in one line, and left alone by auto', async () => {
    const old = { ...variables, FAKE_CUDA: 'too-old', SVC_CACHE_DIR: join(folder, 'old') };
    const speech = ['tts', '--text', 'Hi.', '--threads', '1', '--quiet', '--output', join(folder, 'old.wav')];
    const named = await runSvc([...speech, '--backend', 'cuda'], old);
    expect([named.code, named.stderr]).toEqual([
      5,
      expect.stringMatching(
        /^svc: error: cannot use backend cuda: the kernels cannot run on CUDA0 \(Fake card\): it has compute capability 7\.5, older than 8\.0 \(Ampere\)[^\n]*; use --backend vulkan, which runs on older cards[^\n]*\n$/,
      ),
    ]);
    expect((await runSvc([...speech, '--backend', 'auto'], old)).code).toBe(0);
  });

  it('with memory for few utterances speaks all, some after others', async () => {
    Object.assign(process.env, variables);
    const options = { backend: 'cuda', threads: 1, devices: devices(), maxBatch: 4 } as const;
    const use = await (async () => {
      await using large = await openNativeBackend(model, options);
      const { freeBytes = 0, totalBytes = 0, room = 0 } = large.deviceUse()?.[0] ?? {};
      return { freeBytes, totalBytes, room };
    })();
    const reserve = Math.max(64 * 2 ** 20, 0.02 * use.totalBytes);
    const each = (use.freeBytes - reserve) / use.room;
    // Two fit beside the model, and a part of a third.
    const bytes = Math.ceil(use.totalBytes - use.freeBytes + 64 * 2 ** 20 + 2.9 * each);
    const { createEngine } = await import('../../../src/engine/open-engine.ts');
    Object.assign(process.env, { FAKE_CUDA_BYTES: String(bytes) });
    await using engine = await createEngine(
      { modelPath: model, backend: 'cuda', threads: 1, maxBatch: 4 },
      { devices: devices() },
    );
    const speak = () => engine.synthesize({ text: 'Hi.', maxLength: 3, timesteps: 2, seed: 1 });
    const speeches = await Promise.all([speak(), speak(), speak(), speak(), speak(), speak()]);
    expect(speeches.map(({ samples }) => samples.length)).toEqual(Array(6).fill(speeches[0]?.samples.length));
  });
});
