import { readFile } from 'node:fs/promises';
import { expect, it, jest } from '@jest/globals';
import { encodeWav } from '../../../src/audio/encode/wav-encode.ts';
import { decodeRecording } from '../../../src/server/recordings/decoded-recordings.ts';

const read = (name: string) => readFile(`tests/fixtures/audio/${name}`);
const options = { maxSeconds: 60, denoise: false };

it('decodes a recording once, also if it is sent again', async () => {
  const first = await decodeRecording(await read('mono-16-khz.mp3'), options);
  expect(await decodeRecording(await read('mono-16-khz.mp3'), options)).toBe(first);
  expect(await decodeRecording(await read('mono-16-khz.m4a'), options)).not.toBe(first);
});

it('decodes it again to denoise it, and for another limit', async () => {
  const bytes = await read('mono-16-khz.aiff');
  const first = await decodeRecording(bytes, options);
  expect(await decodeRecording(bytes, { ...options, denoise: true })).not.toBe(first);
  const limited = decodeRecording(bytes, { ...options, maxSeconds: 0.01 });
  await expect(limited).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
});

it('reports a failure each time', async () => {
  for (let round = 0; round < 2; round += 1) {
    await expect(decodeRecording(new Uint8Array(64), options)).rejects.toMatchObject({ code: 'UNSUPPORTED_AUDIO' });
  }
});

it('decodes it once for requests that bring it at the same time', async () => {
  const bytes = await read('stereo-24-bit.flac');
  const [first, ...others] = await Promise.all([1, 2, 3].map(() => decodeRecording(new Uint8Array(bytes), options)));
  for (const other of others) expect(other).toBe(first);
});

it('hashes and decodes it once for several texts of a request, also where it is too large to be kept', async () => {
  const bytes = encodeWav(new Float32Array(9 * 2 ** 20), 192_000);
  const digest = jest.spyOn(crypto.subtle, 'digest');
  const first = await decodeRecording(bytes, options);
  expect(await decodeRecording(bytes, options)).toBe(first);
  expect(digest).toHaveBeenCalledTimes(1);
  digest.mockRestore();
});
