import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { limitsFor } from '../../../src/audio/decode/decode-limits.ts';
import { decodeInThread } from '../../../src/audio/decode/decode-pool.ts';
import { decodeAudio } from '../../../src/audio/decode/read-audio.ts';
import { encodeWav } from '../../../src/audio/encode/wav-encode.ts';
import { expectError, expectErrorWith } from '../../support/errors.ts';
import { turns } from '../../support/turns.ts';
import { watchThreads } from '../../support/watch-threads.ts';
import { eightChannels, endlessChunks, slowChunk } from '../hostile-audio.ts';

const fixture = (name: string): Promise<Buffer> => readFile(join(import.meta.dirname, '../../fixtures/audio', name));

let slow: Buffer;
let flac: Buffer;

beforeAll(async () => {
  slow = await slowChunk();
  flac = await eightChannels(660);
});

const works = async (): Promise<void> => {
  expect((await decodeAudio(await fixture('stereo.opus'))).samples).toHaveLength(28_800);
};

describe('decodeInThread', () => {
  it("does not block the caller's thread", async () => {
    using threads = watchThreads();
    await expect(decodeAudio(flac, { maxSeconds: 120 })).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    await works();
    expect(threads.answers()).toEqual(['error', 'audio']);
  });

  it.each(['an M4A', 'a FLAC file'])('stops decoding %s after too long', async (what) => {
    const limits = { ...limitsFor(), samples: 2 ** 30, values: 2 ** 30, milliseconds: 200 };
    const bytes = new Uint8Array(what === 'an M4A' ? slow : flac);
    using threads = watchThreads();
    await expectError(
      decodeInThread(bytes, limits),
      'UNSUPPORTED_AUDIO',
      'the recording takes longer to decode than the limit of 0.2 seconds; convert it to WAV',
    );
    await threads.ended();
    expect(threads.answers()).toEqual([]);
    await works();
  });

  it('stops decoding when canceled', async () => {
    // Its thread is ready for the next one.
    await works();
    using threads = watchThreads();
    const controller = new AbortController();
    const decoding = decodeAudio(slow, { signal: controller.signal });
    // Waiting behind it for the only thread.
    const queue = new AbortController();
    const waiting = Array.from({ length: 8 }, () => decodeAudio(slow, { signal: queue.signal }));
    const outcomes = Promise.allSettled([decoding, ...waiting]);
    await turns();
    queue.abort();
    controller.abort();
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: 'CANCELLED' } });
    await threads.ended();
    expect(threads.answers()).toEqual([]);
    await works();
  });

  it('refuses calls that are already canceled', async () => {
    const decoding = decodeAudio(slow, { signal: AbortSignal.abort() });
    await expect(decoding).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('checks the tables of an M4A file before using them', async () => {
    await expectError(
      decodeAudio(await endlessChunks()),
      'UNSUPPORTED_AUDIO',
      /^the M4A or MP4 file is damaged: its table stsc has 4294967295 packets, more than /,
    );
  });

  it.each([
    ['seconds', encodeWav(new Float32Array(1_001), 1_000), 1, 'longer than the limit of 1 second'],
    ['minutes', encodeWav(new Float32Array(120_001), 1_000), 120, 'longer than the limit of 2 minutes'],
    ['samples', encodeWav(new Float32Array(192_001), 700_000), 1, 'more than 192000 samples'],
  ])('refuses more %s than the limit', async (_, bytes, maxSeconds, message) => {
    await expectErrorWith(decodeAudio(bytes, { maxSeconds }), 'PAYLOAD_TOO_LARGE', message);
  });

  it("does not detach the caller's bytes", async () => {
    const bytes = await fixture('stereo.opus');
    const before = Buffer.from(bytes);
    await decodeAudio(bytes);
    expect(bytes.equals(before)).toBe(true);
  });

  it('starts another thread if the idle one is about to end', async () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    try {
      await works();
      const [retire] = timers.mock.calls.findLast(([, milliseconds]) => milliseconds === 5_000) ?? [];
      retire?.();
      expect(retire).toBeDefined();
      await works();
    } finally {
      timers.mockRestore();
    }
  });

  it('decodes concurrently with the same results', async () => {
    const names = ['stereo.mp3', 'stereo.opus', 'stereo-vorbis.ogg', 'stereo.m4a', 'stereo-24-bit.flac', 'stereo.aac'];
    const files = await Promise.all([...names, ...names].map(fixture));
    const alone = [];
    for (const bytes of files) alone.push(await decodeAudio(bytes));
    expect(await Promise.all(files.map((bytes) => decodeAudio(bytes)))).toEqual(alone);
  });
});
