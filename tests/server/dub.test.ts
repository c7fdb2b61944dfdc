/** `POST /v1/audio/dub`, with a fake backend. */
import { expect, it } from '@jest/globals';
import { decodeWav } from '../../src/audio/decode/wav.ts';
import { readCaptions } from '../../src/captions/read-captions.ts';
import { startServer } from './start-server.ts';

const captions = '1\n00:00:01,000 --> 00:00:02,000\nOne.\n\n2\n00:00:03,000 --> 00:00:04,000\nAnna: Two.\n';
const captionOf = (text: string): string => `WEBVTT\n\n00:00.000 --> 00:02.000\n${text}\n`;
const speakers = (count: number, name = 'Speaker'): string =>
  Array.from({ length: count }, (_, at) => `00:00.000 --> 00:02.000\n${name && `<v ${name} ${at}>`}a\n`).reduce(
    (all, cue) => `${all}\n${cue}`,
    'WEBVTT\n',
  );
const backend = { stopAt: 4, firstLevel: 0.1, info: { patchSamples: 1_600, contextLength: 100_000 } };

async function dub(body: object, limits = {}): Promise<Response & { readonly bytes: Buffer }> {
  await using server = await startServer({ backend, limits });
  const headers = { 'Content-Type': 'application/json' };
  const response = await server.fetch('/v1/audio/dub', { method: 'POST', headers, body: JSON.stringify(body) });
  return Object.assign(response, { bytes: Buffer.from(await response.arrayBuffer()) });
}

it('sends a file in which each caption begins at its time', async () => {
  const { status, headers, bytes } = await dub({ captions, response_format: 'wav', seed: 7 });
  expect([status, headers.get('content-type'), headers.get('x-seed')]).toEqual([200, 'audio/wav', '7']);
  const { samples, sampleRate } = decodeWav(bytes);
  const first = samples.findIndex((value) => Math.abs(value) > 0.01);
  expect(Math.abs(first / sampleRate - 1)).toBeLessThan(0.05);
  expect(samples.length / sampleRate).toBe(4);
});

it('sends JSON with new captions and a report', async () => {
  const { status, bytes } = await dub({
    ...{ captions, response_format: 'wav', stream_format: 'json', seed: 7 },
    voices: { Anna: 'alloy' },
  });
  const answer = JSON.parse(bytes.toString());
  expect([status, answer.seed, answer.warnings]).toEqual([200, 7, []]);
  expect(answer.cues).toMatchObject([
    { text: 'One.', voice: null, start: 1, spoken_start: 1, fit: 'natural' },
    { text: 'Two.', voice: 'Anna', start: 3, spoken_start: 3, fit: 'natural' },
  ]);
  expect((await readCaptions(answer.captions)).map(({ start }) => start)).toEqual([1, 3]);
  expect(decodeWav(Buffer.from(answer.audio, 'base64')).samples.length).toBe(4 * 16_000);
});

it('reports sounds and captions that it leaves out, or speaks the sounds', async () => {
  const odd = `${captions}\n3\n00:00:06,000 --> 00:00:05,000\nBack.\n\n4\n00:00:07,000 --> 00:00:08,000\n[door slams]\n`;
  const request = { captions: odd, response_format: 'wav', stream_format: 'json', voices: { Anna: 'alloy' } };
  const silent = JSON.parse((await dub(request)).bytes.toString());
  expect([silent.warnings, silent.cues.length]).toEqual([
    [
      'the caption 3, "Back.", ends before it begins; it is left out',
      'sounds are left out: 1, first "[door slams]"; "sounds": "spoken" speaks them',
    ],
    2,
  ]);
  const spoken = JSON.parse((await dub({ ...request, sounds: 'spoken' })).bytes.toString());
  expect([spoken.warnings.length, spoken.cues.at(-1).text]).toEqual([1, '[door slams]']);
});

it.each<[message: string, body: object, limits?: object, status?: number]>([
  ['the limit is 20', { captions }, { inputCharacters: 20 }],
  ['captions is longer than the limit of 3 s of speech', { captions }, { speechSeconds: 3 }, 413],
  ['the caption 1 nests more than 16 tags', { captions: captionOf('<b>'.repeat(300)) }],
  ['the caption 1 has more than 1000 characters', { captions: captionOf('a'.repeat(1_001)) }],
  ['the caption 1 has more than 50 lines', { captions: captionOf('a\n'.repeat(51)) }],
  ['there are more speakers than the limit of 64', { captions: speakers(65) }],
  ['there are more captions than the limit of 2000', { captions: speakers(2_001, '') }],
  [
    'the limit of 100000 bytes for what is sent when it is complete',
    { captions, response_format: 'wav' },
    { temporaryBytes: 400_000 },
    413,
  ],
])('refuses %j', async (message, body, limits = {}, status = 400) => {
  const response = await dub(body, limits);
  expect([response.status, response.bytes.toString()]).toEqual([status, expect.stringContaining(message)]);
});
