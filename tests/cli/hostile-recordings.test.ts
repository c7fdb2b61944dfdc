import { readdir, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { endlessChunks, slowChunk } from '../audio/hostile-audio.ts';
import { eventually } from '../support/eventually.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { watchThreads } from '../support/watch-threads.ts';
import { type Circumstances, invoke, type Outcome } from './invoke.ts';

async function clone(folder: TemporaryFolder, recording: Buffer, circumstances: Circumstances = {}): Promise<Outcome> {
  const path = folder.join('recording.m4a');
  await writeFile(path, recording);
  const options = ['--prompt-text', 'x', '--text', 'y', '--output', folder.join('out.wav')];
  return invoke(['clone', '--prompt-audio', path, ...options], circumstances);
}

describe('svc clone', () => {
  it('refuses an M4A file with endless tables, in one line', async () => {
    await using folder = await temporaryFolder();
    const { code, stderr } = await clone(folder, await endlessChunks());
    expect(stderr).toMatch(/^svc: error: [^\n]*: the M4A or MP4 file is damaged: [^\n]*\n$/);
    expect(code).toBe(2);
  });

  it('stops immediately when interrupted while decoding', async () => {
    await using folder = await temporaryFolder();
    const controller = new AbortController();
    using threads = watchThreads();
    const outcome = clone(folder, await slowChunk(), { signal: controller.signal });
    await eventually(() => threads.asked() > 0, 'the recording is being decoded');
    controller.abort();
    // Uninterrupted, decoding would fail at its limit of 27 seconds.
    expect(await outcome).toMatchObject({ code: 130, stderr: 'svc: canceled\n' });
    await threads.ended();
    expect(threads.answers()).toEqual([]);
    expect(await readdir(folder.path)).toEqual(['recording.m4a']);
  });
});
