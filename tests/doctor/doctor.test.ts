import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { describeReport } from '../../src/cli/doctor/report.ts';
import { checkEnvironment } from '../../src/cli/doctor/system.ts';
import type { Io } from '../../src/cli/io.ts';
import { type Check, checkOfError } from '../../src/cli/probe/check.ts';
import { runProbe } from '../../src/cli/probe/run-probe.ts';
import { SvcError } from '../../src/errors.ts';
import { invoke } from '../cli/invoke.ts';
import { sharedFolder } from '../support/test-folder.ts';

const folder = sharedFolder();
const { PATH, HOME } = process.env;
const places = { SVC_CACHE_DIR: join(folder, 'cache'), SVC_SQLITE_PATH: join(folder, 'voices.sqlite') };
const environment = { PATH, HOME, ...places };

describe('svc doctor', () => {
  it('names a misspelled variable, which would be ignored in silence', async () => {
    const io = { environment: { SVC_DEVCE: 'cpu', SVC_THREADS: '2', SVC_SOMETHING_ELSE: 'x' } } as unknown as Io;
    expect(checkEnvironment(io).summary).toBe('SVC_THREADS=2; SVC_DEVCE is ignored; did you mean "SVC_DEVICE"?');
  });

  it.each([
    [
      { name: 'onnx cpu', status: 'failed', parameters: ['onnx', 'cpu'] },
      { status: 'missing', code: 'BACKEND_UNAVAILABLE', summary: 'running ONNX models needs onnxruntime-node' },
      'onnxruntime-node',
      `install it with: npm install --no-save --prefix ${process.cwd()} --ignore-scripts onnxruntime-node@1`,
    ],
    [
      { name: 'playback', status: 'missing', parameters: ['playback'] },
      {
        status: 'missing',
        code: 'PLAYBACK_UNAVAILABLE',
        summary: expect.stringMatching(/^playback needs the package node-web-audio-api \(52 MB\)/),
      },
      'node-web-audio-api',
      expect.stringMatching(/^install .* with: npm install .+ node-web-audio-api@1$/),
    ],
  ] as const)(
    'reports a missing optional package with a command to install it: %j',
    async (probe, found, lacks, remedy) => {
      const NODE_OPTIONS = `--import ${join(import.meta.dirname, '..', 'support', 'without-packages.mjs')}`;
      const variables = { ...environment, NODE_OPTIONS, TEST_WITHOUT: lacks };
      const io = { environment: variables, signal: new AbortController().signal } as unknown as Io;
      expect(await runProbe(probe, io)).toEqual([{ name: probe.name, ...found, remedy }]);
    },
  );

  it('stops when interrupted', async () => {
    const outcome = await invoke(['doctor'], { environment, signal: AbortSignal.abort() });
    expect([outcome.code, outcome.stdout.length]).toEqual([130, 0]);
  });
});

describe('checks', () => {
  it('takes problem and fix from an error', () => {
    const error = new SvcError('BACKEND_UNAVAILABLE', 'no b on this machine', { remedy: 'install c; or use d' });
    expect(error.message).toBe('no b on this machine; install c; or use d');
    expect(checkOfError('b', 'missing', error)).toEqual({
      name: 'b',
      status: 'missing',
      summary: 'no b on this machine',
      remedy: 'install c; or use d',
      code: 'BACKEND_UNAVAILABLE',
    });
    expect(checkOfError('b', 'failed', new Error('odd'), 'try again')).toMatchObject({
      summary: 'odd',
      remedy: 'try again',
    });
  });

  it('prints one line per check, whatever it contains', () => {
    const checks: Check[] = [
      { name: 'a', status: 'ok', summary: 'x\u001b[31m' },
      { name: 'long', status: 'failed', summary: 'y'.repeat(300), remedy: 'do z' },
      { name: 'b', status: 'missing', summary: 'not there', remedy: 'install b' },
      { name: 'pg', status: 'missing', summary: 'not installed', remedy: 'install pg', part: 'packages' },
      { name: 'onnxruntime-node', status: 'ok', summary: '1.30.0', part: 'packages' },
      { name: 'bullmq', status: 'missing', summary: 'not installed', remedy: 'install bullmq', part: 'packages' },
    ];
    const lines = describeReport({ version: '1', canSpeak: true, checks }).split('\n');
    expect(lines).toEqual([
      'svc 1',
      'ok      a         x�[31m',
      `FAILED  long      ${'y'.repeat(160)}…`,
      '                  > do z',
      'ok      packages  1 of 3 optional ones are installed (onnxruntime-node); a command that needs another one names it',
      'Not set up, which svc speaks without:',
      '-       b         not there',
      '                  > install b',
      'svc can speak on this machine.',
      '',
    ]);
  });
});
