/** Files with their true length: on request, and for speech that is ready soon. */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import process from 'node:process';
import { describe, expect, it } from '@jest/globals';
import { decodeAudio } from '../../src/audio/decode/read-audio.ts';
import { type AudioFormatName, audioFormatNames } from '../../src/audio/encode/format.ts';
import { eventually } from '../support/eventually.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { bytesOf, warningOf } from './start-server.ts';
import { expectError, freshServer, holdAfterFirst } from './test-server.ts';

const info = { patchSamples: 1_280 };
const held = holdAfterFirst(() => server);
const server = freshServer({ backend: { info } });

async function get(body: object) {
  const response = await server.speak({ input: 'hello', voice: 'alloy', seed: 1, ...body });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, length: response.headers.get('Content-Length'), bytes };
}

/** Sizes that the header of a WAV file states. */
const wavSizes = (bytes: Buffer): readonly number[] => [bytes.readUInt32LE(4) + 8, bytes.readUInt32LE(40) + 44];

/** Number of samples and MD5 in the STREAMINFO of a FLAC file. */
const streamInfo = (bytes: Buffer) => ({
  samples: Number(bytes.readBigUInt64BE(8 + 10) & 0xfffffffffn),
  md5: bytes.subarray(8 + 18, 8 + 34).toString('hex'),
});

/** A folder of this file alone: other processes have their temporary files elsewhere. */
process.env.TMPDIR = sharedFolder();
const leftovers = async (): Promise<number> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('svc-audio-')).length;

describe('"stream": false', () => {
  it.each(audioFormatNames)('gives a complete %s file with its length', async (format: AudioFormatName) => {
    const before = await leftovers();
    const { status, length, bytes } = await get({ response_format: format, stream: false });
    expect([status, length]).toEqual([200, String(bytes.length)]);
    if (format === 'wav') expect(wavSizes(bytes)).toEqual([bytes.length, bytes.length]);
    if (format === 'pcm') return;
    const { samples, sampleRate } = await decodeAudio(bytes);
    expect(samples.length / sampleRate).toBeGreaterThanOrEqual(0.4);
    expect(await leftovers()).toBe(before);
  });

  it('gives a FLAC with the number of samples and their checksum', async () => {
    const { bytes } = await get({ response_format: 'flac', stream: false });
    const { bytes: pcm } = await get({ response_format: 'pcm', sample_rate: 16_000 });
    expect(streamInfo(bytes)).toEqual({ samples: pcm.length / 2, md5: createHash('md5').update(pcm).digest('hex') });
  });

  it('answers with an error, however late it comes', async () => {
    let steps = 0;
    const onCall = ({ kind }: { readonly kind: string }): void => {
      if (kind === 'step') steps += 1;
      if (steps === 4) throw new Error('out of luck');
    };
    await server.start({ backend: { stopAt: 9, onCall } });
    const before = await leftovers();
    await expectError(server.speak({ input: 'hello', response_format: 'wav', stream: false }), 500, {
      code: 'internal',
    });
    expect(await leftovers()).toBe(before);
  });

  it('has all warnings in the header', async () => {
    await server.start({ backend: { loudness: () => 0 } });
    const silent = server.speak({ input: 'hello', response_format: 'mp3', stream: false });
    expect(await warningOf(silent)).toContain('the speech is silent');
  });

  it('ends with the client', async () => {
    await server.start({ backend: { onCall: held.onCall } });
    const leaving = new AbortController();
    const answer = server.speak({ input: 'hello', stream: false }, { signal: leaving.signal });
    const steps = (): number => server.backend.calls.filter(({ kind }) => kind === 'step').length;
    await eventually(() => steps() === 2, 'the second step');
    leaving.abort();
    await expect(answer).rejects.toThrow();
    held.release();
    await eventually(() => server.backend.opened.every(({ closed }) => closed), 'closed');
  });

  it.each([undefined, true, false])('changes nothing in an object, whose file is complete (%s)', async (stream) => {
    const complete = await get({ response_format: 'flac', stream: false });
    const { bytes } = await get({ response_format: 'flac', stream_format: 'json', stream });
    const { audio } = JSON.parse(String(bytes)) as { readonly audio: string };
    expect(Buffer.from(audio, 'base64').equals(complete.bytes)).toBe(true);
  });

  it('works for forms', async () => {
    const response = await server.fetch('/tts?input=hello&response_format=wav&stream=false');
    expect(response.headers.get('Content-Length')).toBe(String((await bytesOf(response)).length));
  });
});

describe('without "stream"', () => {
  it.each(['wav', 'flac'] as const)('a short %s file is complete', async (format) => {
    const { length, bytes } = await get({ response_format: format });
    expect(length).toBe(String(bytes.length));
    const complete = await get({ response_format: format, stream: false });
    expect(bytes.equals(complete.bytes)).toBe(true);
    const streamed = await get({ response_format: format, stream: true });
    expect([streamed.length, streamed.bytes.length]).toEqual([null, bytes.length]);
  });

  it('other formats are streamed', async () => {
    expect((await get({ response_format: 'mp3' })).length).toBeNull();
  });

  it('a WAV of a long text is streamed at once', async () => {
    expect((await get({ response_format: 'wav', input: 'A sentence of some words. '.repeat(50) })).length).toBeNull();
  });

  it('a WAV that takes too long is streamed from then on, without another patch', async () => {
    await server.start({ limits: { completeFileMilliseconds: 100 }, backend: { onCall: held.onCall } });
    // The forecast expects real time, so this text is short enough.
    const response = await server.speak({ input: 'a', voice: 'alloy', response_format: 'wav' });
    expect(response.headers.get('Content-Length')).toBeNull();
    held.release();
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(wavSizes(bytes)).toEqual([0xffffffff + 8, 0xffffffff + 44]);
    expect((await decodeAudio(bytes)).samples).toHaveLength(5 * 1_280);
  });
});

describe('limits', () => {
  const wav = { response_format: 'wav', stream: false } as const;

  it('end a speech that is too long', async () => {
    await server.start({ limits: { speechSeconds: 0.2 }, backend: { stopAt: 100 } });
    const refused = await server.speak({ input: 'hello', ...wav });
    await expectError(refused, 413, 'the speech is longer than the limit of 0.2 s; send shorter texts');
    // It counts as heard, not as generated.
    expect((await get({ ...wav, max_length: 2, speed: 0.5 })).status).toBe(413);
    expect((await get({ ...wav, max_length: 2 })).status).toBe(200);
    await eventually(() => server.backend.opened.every(({ closed }) => closed), 'the engine is free');
  });

  it('refuse a file beyond the share of a request', async () => {
    // One file of five patches fits, two do not.
    await server.start({ limits: { temporaryBytes: 60_000 } });
    expect((await get(wav)).status).toBe(200);
    expect((await get(wav)).status).toBe(200);
    const large = await server.speak({ input: 'hello', ...wav, speed: 0.5 });
    await expectError(large, 413, {
      message:
        'the audio is larger than the limit of 15000 bytes for what is sent when it is complete; choose another format, send less text, or set stream to true',
    });
    expect((await get(wav)).status).toBe(200);
    expect(await leftovers()).toBe(0);
  });
});
