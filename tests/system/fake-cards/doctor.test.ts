/** `svc doctor` with GPU libraries that fail in each way, as if their package were installed. */
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Report } from '../../../src/cli/doctor/report.ts';
import type { Io } from '../../../src/cli/io.ts';
import { runProbe } from '../../../src/cli/probe/run-probe.ts';
import { freshFolder, sharedFolder } from '../../support/test-folder.ts';
import { type FakePackage, type Fault, makeFakePackage, runSvc } from './fake-gpu.ts';

jest.setTimeout(300_000);

const packageFolder = sharedFolder();
let fake: FakePackage;
beforeAll(() => {
  fake = makeFakePackage(packageFolder);
});

const folder = freshFolder();
const variables = (fault: Fault): Readonly<Record<string, string | undefined>> => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  ...fake.environment,
  SVC_CACHE_DIR: folder.join('cache'),
  SVC_SQLITE_PATH: folder.join('voices.sqlite'),
  SVC_DEVICE_TIMEOUT: fault.startsWith('hang') ? '4' : '120',
  FAKE_GPU: fault,
});

async function probe(fault: Fault, others = {}) {
  const io = { environment: { ...variables(fault), ...others }, signal: new AbortController().signal } as unknown as Io;
  const [check] = await runProbe({ name: 'ggml-cuda', status: 'failed', parameters: ['device', 'ggml-cuda'] }, io);
  return check;
}

describe('the check of a GPU', () => {
  it.each<readonly [Fault, RegExp]>([
    ['abort-loading', /-cuda [\d.]+ failed to load: crashed \(SIGABRT\): fake error: the driver is broken$/],
    [
      'abort-product',
      /CUDA0 \(Fake GPU 0\) failed a test: products of \w+: crashed .* \(ggml for CUDA from @\S+-cuda [\d.]+\)$/,
    ],
    ['hang', /failed a test: products of f32: did not answer in 4 s/],
    ['hang-loading', /failed to load: did not answer in 4 s$/],
    ['no-memory', /failed a test: not enough memory on CUDA0/],
    ['lost', /failed a test: products of f32: ggml status -1/],
    ['wrong', /failed a test: products of f32: wrong results/],
  ])('names the package and the cause of the fault %s', async (fault, summary) => {
    expect(await probe(fault)).toMatchObject({
      name: 'ggml-cuda',
      status: 'failed',
      code: 'BACKEND_UNAVAILABLE',
      summary: expect.stringMatching(summary),
      remedy: expect.stringMatching(/^(?:update|free) .*(?:--backend cpu|vulkan or cpu)/),
    });
  });

  it('speaks on one that works, whatever was known of it', async () => {
    expect(await probe('wrong')).toMatchObject({ status: 'failed' });
    expect(await probe('good')).toMatchObject({
      status: 'ok',
      summary: expect.stringMatching(
        /^CUDA0: Fake GPU 0, engine ggml, 8\.6 of 8\.6 GB free, first audio after \d+ ms$/,
      ),
    });
    // It passes the test, and fails the model.
    expect(await probe('lost', { FAKE_GPU_NODES: '100' })).toMatchObject({ status: 'failed', code: 'DEVICE_LOST' });
  });
});

it('svc doctor ends with 1 where a GPU package fails, although svc can speak', async () => {
  const { code, stdout, stderr } = await runSvc(['doctor', '--json'], variables('abort-product'));
  expect(stderr).toMatch(
    /^svc: error: the GPU does not work: cannot use backend ggml-cuda: CUDA0 [^\n]*; update the NVIDIA[^\n]*\n$/,
  );
  expect(code).toBe(1);
  const report = JSON.parse(stdout) as Report;
  expect(report.canSpeak).toBe(true);
  expect(report.checks.find(({ name }) => name === 'vulkan')).toMatchObject({ status: 'missing' });
});
