import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { audioFormatNames, createAudioFile } from '../../src/audio/encode/format.ts';
import { invoke } from '../cli/invoke.ts';
import { sharedFolder } from '../support/test-folder.ts';

/** Needs root for mounting. */
describe('a full disk', () => {
  afterAll(() => void execFileSync('umount', [folder]));
  const folder = sharedFolder();
  beforeAll(() => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'svc-full', folder]);
  });

  it.each(audioFormatNames)('leaves no partial file (%s)', async (format) => {
    const sampleRate = 16_000;
    // A chirp with jumps, which no codec compresses well.
    const second = Float32Array.from({ length: sampleRate }, (_, index) => Math.sin(index * index) / 2);
    const sink = await createAudioFile(join(folder, `out.${format}`), { format, sampleRate });
    const writing = (async () => {
      for (let count = 0; count < 60; count += 1) await sink.write(second);
      await sink.finish();
    })();
    const message = `cannot write ${join(folder, `out.${format}`)}: no space left on device`;
    await expect(writing).rejects.toMatchObject({ code: 'IO', message });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(['wav', 'pcm'])('is reported in one line by svc (%s)', async (format) => {
    const path = join(folder, `out.${format}`);
    const backend = { stopAt: 200, info: { patchSamples: 2_560 } };
    const { code, stderr } = await invoke(['tts', '--text', 'hello '.repeat(60), '--no-split', '--output', path], {
      backend,
    });
    expect(code).toBe(1);
    expect(stderr).toBe(`svc: error: cannot write ${path}: no space left on device\n`);
    expect(readdirSync(folder)).toEqual([]);
  });
});
