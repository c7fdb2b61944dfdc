import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { loadLibrary } from '../../../src/audio/libraries/load-library.ts';

const failing =
  (message: string, code?: string): (() => Promise<never>) =>
  () =>
    Promise.reject(Object.assign(new Error(message), code === undefined ? {} : { code }));

describe('loadLibrary', () => {
  it('gives what is loaded', async () => {
    expect(await loadLibrary('fs', 'tests', () => import('node:fs'))).toHaveProperty('readFile');
  });

  it.each([
    [
      failing("Cannot find package 'codec'\nimported from here", 'ERR_MODULE_NOT_FOUND'),
      'the package codec, needed for mp3, is not installed; reinstall svc',
    ],
    [
      failing('libasound.so.2: cannot open shared object file: No such file or directory', 'ERR_DLOPEN_FAILED'),
      "the package codec, needed for mp3, does not load without libasound.so.2; install ALSA's library (on Debian 12: apt install libasound2; on Debian 13 and Ubuntu 24.04: apt install libasound2t64)",
    ],
    [failing('Unsupported OS: aix\nand more'), 'the package codec, needed for mp3, does not load: Unsupported OS: aix'],
  ])('says in one line what is missing', async (load, message) => {
    await expect(loadLibrary('codec', 'mp3', load)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', message });
  });
});

describe('without any library', () => {
  const packages = ['@libav.js/variant-obsolete', 'mediabunny', '@mediabunny/aac-encoder', 'node-web-audio-api'];
  let outcomes: Readonly<Record<string, unknown>> = {};
  beforeAll(async () => {
    const hook = join(import.meta.dirname, '../..', 'support', 'without-packages.mjs');
    const program = join(import.meta.dirname, 'without-libraries.mjs');
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', './tests/runner/register.js', '--import', hook, program],
      { env: { ...process.env, TEST_WITHOUT: packages.join(',') } },
    );
    outcomes = JSON.parse(stdout);
  });

  it('reads and writes WAV and PCM, at speed 1', () => {
    expect(outcomes).toMatchObject({ 'write wav': true, 'write pcm': true, 'read wav': [0.5, -0.5] });
  });

  it.each([
    ['flac', '@libav.js/variant-obsolete'],
    ['opus', '@libav.js/variant-obsolete'],
    ['mp3', '@libav.js/variant-obsolete'],
    ['aac', 'mediabunny'],
  ] as const)('says what %s needs', (format, name) => {
    expect(outcomes[`write ${format}`]).toEqual({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringContaining(`the package ${name}, needed for ${format}, is not installed; reinstall svc`),
    });
  });

  it.each([
    ['fLaC', '@libav.js/variant-obsolete'],
    ['ID3', '@libav.js/variant-obsolete'],
    ['\0\0\0\x20ftypM4A ', 'mediabunny'],
  ])('says what reading %j needs', (start, name) => {
    expect(outcomes[`read ${start}`]).toEqual({ code: 'BACKEND_UNAVAILABLE', message: expect.stringContaining(name) });
  });
});
