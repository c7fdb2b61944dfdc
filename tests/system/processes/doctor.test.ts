import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { Report } from '../../../src/cli/doctor/report.ts';
import type { Check } from '../../../src/cli/probe/check.ts';
import { expectEnd, invoke, jsonOf, type Outcome } from '../../cli/invoke.ts';
import { sharedFolder } from '../../support/test-folder.ts';

const folder = sharedFolder();
const { PATH, HOME } = process.env;
const places = { SVC_CACHE_DIR: join(folder, 'cache'), SVC_SQLITE_PATH: join(folder, 'voices.sqlite') };
const environment = { PATH, HOME, ...places };

const reportOf = (outcome: Outcome): Report => jsonOf(outcome);
const find = ({ checks }: Report, name: string): Check | undefined => checks.find((check) => check.name === name);

it('reports what this machine can run, without side effects', async () => {
  const outcome = await invoke('doctor --json', { environment: { ...environment, SVC_API_KEY: 'hidden' } });
  expect([outcome.code, outcome.stderr]).toEqual([0, '']);
  const report = reportOf(outcome);
  expect(report.canSpeak).toBe(true);
  for (const name of ['node', 'system', 'addon', 'processor', 'threads', 'speech', 'onnx cpu', 'ffmpeg', 'audio']) {
    expect(find(report, name)).toMatchObject({ status: 'ok' });
  }
  expect(find(report, 'voices')).toMatchObject({ status: 'ok', details: { exists: false, count: 0 } });
  expect(find(report, 'cache')).toMatchObject({ status: 'ok', details: { exists: false, bytes: 0 } });
  expect(find(report, 'processor')?.details?.kernels).toContain('ggml');
  expect(find(report, 'threads')?.summary).toMatch(/^\d+ \(\d+ logical processors?, \d+ cores?(, limited to .+)*\)$/);
  expect(find(report, 'environment')?.summary).toContain('SVC_API_KEY=…');
  expect(outcome.stdout.toString()).not.toContain('hidden');
  expect(await readdir(folder)).toEqual([]);
  for (const name of ['bullmq', 'ioredis', 'node-web-audio-api', 'onnxruntime-node', 'pg']) {
    expect(find(report, name)).toMatchObject({ status: 'ok', summary: expect.stringMatching(/^\d+\..+, for /) });
  }
  // Nor a place in the source of a library.
  for (const { summary } of report.checks) expect(summary).not.toMatch(/\.(?:cc|cpp|h):\d/);
  // Everything missing has a suggested fix.
  for (const { status, remedy } of report.checks) if (status !== 'ok') expect(remedy).toBeDefined();
});

it('continues when every probe crashes, and exits with the code of a missing engine', async () => {
  const crash = "--import data:text/javascript,process.kill(process.pid,'SIGSEGV')";
  const { code, stdout, stderr } = await invoke('doctor', { environment: { ...environment, NODE_OPTIONS: crash } });
  expect(code).toBe(5);
  expect(stderr).toMatch(/^svc: error: no engine works on this machine: .*\n$/);
  const text = stdout.toString();
  expect(text).toMatch(/^FAILED {2}addon +crashed \(SIGSEGV\)\n +> reinstall svc/m);
  expect(text).toMatch(/^ok {6}cache /m);
  expect(text).toContain('svc cannot speak on this machine.\n');
});

it('reports invalid settings in the checks they affect', async () => {
  const wrong = { ...environment, HF_ENDPOINT: 'nowhere', SVC_DEVICE: 'abacus', SVC_THREADS: '0' };
  const outcome = await invoke('doctor --json', { environment: wrong });
  expectEnd(outcome, 2, /^svc: error: SVC_DEVICE must be one of .*, got "abacus"\n$/);
  const report = reportOf(outcome);
  expect(report.canSpeak).toBe(false);
  expect(find(report, 'cache')).toMatchObject({ status: 'failed', code: 'INVALID_REQUEST' });
  expect(find(report, 'models')).toMatchObject({ status: 'failed' });
  const threads = 'SVC_THREADS must be an integer from 1 to 1024, got "0"';
  expect(find(report, 'threads')).toMatchObject({ status: 'failed', summary: threads });
  const summary = expect.stringContaining('got "abacus"');
  expect(find(report, 'environment')).toMatchObject({ status: 'failed', summary });
});
