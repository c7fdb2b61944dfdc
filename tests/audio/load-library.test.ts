import { describe, expect, it, jest } from '@jest/globals';
import { loadLibrary } from '../../src/audio/load-library.ts';

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
      "the package codec, needed for mp3, does not load without libasound.so.2; install ALSA's library (on Debian: apt install libasound2)",
    ],
    [failing('Unsupported OS: aix\nand more'), 'the package codec, needed for mp3, does not load: Unsupported OS: aix'],
  ])('says in one line what is missing', async (load, message) => {
    await expect(loadLibrary('codec', 'mp3', load)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', message });
  });
});

describe('without any library', () => {
  const packages = ['@libav.js/variant-obsolete', 'mediabunny', '@mediabunny/aac-encoder', 'node-web-audio-api'];
  for (const name of packages) {
    jest.unstable_mockModule(name, () => {
      throw Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' });
    });
  }

  it('reads and writes WAV and PCM, at speed 1', async () => {
    const { createEncoder } = await import('../../src/audio/format.ts');
    const { decode } = await import('../../src/audio/decode.ts');
    const { limitsFor } = await import('../../src/audio/decode-limits.ts');
    const { createSpeed } = await import('../../src/audio/speed.ts');
    const { encodeWav } = await import('../../src/audio/wav-encode.ts');
    const samples = Float32Array.of(0.5, -0.5);
    for (const format of ['wav', 'pcm'] as const) {
      const encoder = await createEncoder({ format, sampleRate: 16_000 }, async () => undefined);
      await encoder.write((await createSpeed(16_000, 1)).push(samples));
      await encoder.finish();
    }
    expect((await decode(encodeWav(samples, 16_000), limitsFor())).samples).toEqual(samples);
  });

  it.each([
    ['flac', '@libav.js/variant-obsolete'],
    ['opus', '@libav.js/variant-obsolete'],
    ['mp3', '@libav.js/variant-obsolete'],
    ['aac', 'mediabunny'],
  ] as const)('says what %s needs', async (format, name) => {
    const { createEncoder } = await import('../../src/audio/format.ts');
    await expect(createEncoder({ format, sampleRate: 16_000 }, async () => undefined)).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringContaining(`the package ${name}, needed for ${format}, is not installed; reinstall svc`),
    });
  });

  it.each([
    ['fLaC', '@libav.js/variant-obsolete'],
    ['ID3', '@libav.js/variant-obsolete'],
    ['\0\0\0\x20ftypM4A ', 'mediabunny'],
  ])('says what reading %j needs', async (start, name) => {
    const { decode } = await import('../../src/audio/decode.ts');
    const { limitsFor } = await import('../../src/audio/decode-limits.ts');
    await expect(decode(Buffer.from(start, 'latin1'), limitsFor())).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringContaining(name),
    });
  });
});
