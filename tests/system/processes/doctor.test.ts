import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import type { Report } from '../../../src/cli/doctor/report.ts';
import type { Check } from '../../../src/cli/probe/check.ts';
import { invoke, type Outcome } from '../../cli/invoke.ts';
import { sharedFolder } from '../../support/test-folder.ts';

const folder = sharedFolder();
let environment: Record<string, string | undefined>;
beforeAll(() => {
  const { PATH, HOME } = process.env;
  environment = { PATH, HOME, SVC_CACHE_DIR: join(folder, 'cache'), SVC_SQLITE_PATH: join(folder, 'voices.sqlite') };
});

const reportOf = ({ stdout }: Outcome): Report => JSON.parse(stdout.toString()) as Report;
const find = ({ checks }: Report, name: string): Check | undefined => checks.find((check) => check.name === name);

it('continues when every probe crashes, and exits with the code of a missing engine', async () => {
  const crash = "--import data:text/javascript,process.kill(process.pid,'SIGSEGV')";
  const { code, stdout, stderr } = await invoke(['doctor'], { environment: { ...environment, NODE_OPTIONS: crash } });
  expect(code).toBe(5);
  expect(stderr).toMatch(/^svc: error: no engine works on this machine: .*\n$/);
  const text = stdout.toString();
  expect(text).toMatch(/^FAILED {2}addon +crashed \(SIGSEGV\)\n +> reinstall svc/m);
  expect(text).toMatch(/^ok {6}cache /m);
  expect(text).toContain('svc cannot speak on this machine.\n');
});

it('reports invalid settings in the checks they affect', async () => {
  const wrong = { ...environment, HF_ENDPOINT: 'nowhere', SVC_DEVICE: 'abacus', SVC_THREADS: '0' };
  const outcome = await invoke(['doctor', '--json'], { environment: wrong });
  expect([outcome.code, outcome.stderr]).toEqual([
    2,
    expect.stringMatching(/^svc: error: SVC_DEVICE must be one of .*, got "abacus"\n$/),
  ]);
  const report = reportOf(outcome);
  expect(report.canSpeak).toBe(false);
  expect(find(report, 'cache')).toMatchObject({ status: 'failed', code: 'INVALID_REQUEST' });
  expect(find(report, 'models')).toMatchObject({ status: 'failed' });
  expect(find(report, 'threads')).toMatchObject({
    status: 'failed',
    summary: 'SVC_THREADS must be an integer from 1 to 1024, got "0"',
  });
  expect(find(report, 'environment')).toMatchObject({
    status: 'failed',
    summary: expect.stringContaining('got "abacus"'),
  });
});
