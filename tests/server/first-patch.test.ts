/** Checks on a real socket that the first patch can be heard before the engine generates the second. */
import { describe, expect, it } from '@jest/globals';
import { decodeAudio } from '../../src/audio/decode/read-audio.ts';
import { eventually } from '../support/eventually.ts';
import { freshServer, holdAfterFirst } from './test-server.ts';

const held = holdAfterFirst(() => server);
const server = freshServer();
/** A model like VoxCPM-0.5B with 80 ms per patch. The fake backend's first patch is silent. */
const startHeld = () => server.start({ backend: { info: { patchSamples: 1_280 }, onCall: held.onCall } });

const formats = ['wav', 'pcm', 'mp3', 'opus', 'flac', 'aac'] as const;
type Format = (typeof formats)[number];

/** Silence that a decoder returns before the first sample. */
const leading: Readonly<Partial<Record<Format, number>>> = { aac: 1_024, mp3: 1_105 };

async function secondsIn(format: Format, bytes: Buffer): Promise<number> {
  if (format === 'pcm') return bytes.length / 2;
  const audio = await decodeAudio(bytes).catch(() => undefined);
  return (audio?.samples.length ?? 0) - (leading[format] ?? 0);
}

const audioOf = {
  audio: (received: Buffer) => received,
  sse: (received: Buffer) =>
    Buffer.concat(
      [...received.toString().matchAll(/^data: (\{.*\})$/gm)].map(([, json = '']) =>
        Buffer.from((JSON.parse(json) as { audio?: string }).audio ?? '', 'base64'),
      ),
    ),
};

/** Reads until something can be heard; otherwise the test times out. */
async function untilHeard(response: Response, format: Format, take: (received: Buffer) => Buffer): Promise<number> {
  let received = Buffer.alloc(0);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error('the answer ended before the second patch');
    received = Buffer.concat([received, value]);
    const samples = await secondsIn(format, take(received));
    if (samples > 0) {
      await reader.cancel();
      return samples;
    }
  }
}

describe.each(formats)('%s', (format) => {
  it.each(['audio', 'sse'] as const)('can be heard after the first patch, as %s', async (stream_format) => {
    await startHeld();
    const body = { input: 'hello', voice: 'alloy', response_format: format, stream_format, stream: true };
    const response = await server.speak(body);
    expect(await untilHeard(response, format, audioOf[stream_format])).toBeGreaterThan(40);
    expect(held.patches()).toBe(1);
  });
});

it('raw samples of VoxCPMANE are sent after the first patch', async () => {
  await startHeld();
  const response = await server.post('/v1/audio/speech/stream', { input: 'hello' });
  expect(await untilHeard(response, 'pcm', audioOf.audio)).toBe(1_280);
  expect(held.patches()).toBe(1);
});

it('a complete answer lacks nothing', async () => {
  await startHeld();
  const response = await server.speak({ input: 'hello', voice: 'alloy', response_format: 'opus' });
  held.release();
  const { samples, sampleRate } = await decodeAudio(new Uint8Array(await response.arrayBuffer()));
  expect([samples.length, sampleRate]).toEqual([(5 * 1_280 * 48_000) / 16_000, 48_000]);
  await eventually(() => server.backend.opened.every(({ closed }) => closed), 'closed');
});
