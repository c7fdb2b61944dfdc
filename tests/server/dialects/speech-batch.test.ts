/** `POST /v1/audio/speech/batch` and `speaker`, as clients of vLLM-Omni use them. */
import { describe, expect, it, jest } from '@jest/globals';
import { decodeWav } from '../../../src/audio/decode/wav.ts';
import { eventually } from '../../support/eventually.ts';
import { bearer, errorOf, statusAndJson, wavOf } from '../start-server.ts';
import { expectError, freshServer } from '../test-server.ts';

const server = freshServer();

interface Answer {
  readonly results: readonly {
    readonly status: string;
    readonly audio_data?: string;
    readonly media_type?: string;
    readonly warnings?: readonly string[];
    readonly error?: string;
  }[];
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
}

const send = (body: object, init: RequestInit = {}) => server.post('/v1/audio/speech/batch', body, init);
const batch = async (body: object): Promise<Answer> => (await statusAndJson<Answer>(send(body)))[1];
const bytesOf = ({ audio_data = '' }: Answer['results'][number]): Buffer => Buffer.from(audio_data, 'base64');

describe('a batch', () => {
  it('speaks each item with its own fields, else those of the batch, in one pass over the weights', async () => {
    await server.start();
    const release = server.backend.hold();
    const answering = batch({
      items: [{ input: 'hello', seed: 3 }, { input: 'again', response_format: 'flac' }, { input: 'hello' }],
      seed: 5,
      voice: 'default',
      spede: 1,
    });
    await eventually(() => server.queue.active === 3, 'all run at once');
    release();
    const { results, ...counts } = await answering;
    expect(counts).toMatchObject({ total: 3, succeeded: 3, failed: 0 });
    expect(results.map(({ media_type }) => media_type)).toEqual(['audio/wav', 'audio/flac', 'audio/wav']);
    for (const { warnings } of results) {
      expect(warnings).toEqual(['unknown field "spede" is ignored; did you mean "speed"?']);
    }
    for (const [index, seed] of Object.entries({ 0: 3, 2: 5 })) {
      const same = await server.hear({ input: 'hello', voice: 'default', response_format: 'wav', seed });
      const bytes = bytesOf(results[Number(index)] as Answer['results'][number]);
      expect(bytes.equals(same)).toBe(true);
      expect(decodeWav(bytes).samples.length).toBe(20);
    }
  });

  it('goes on when an item fails', async () => {
    const { results, succeeded, failed } = await batch({
      items: [{ input: 'hello' }, { input: 'hello', voice: 'nobody' }, { input: 'hello', speed: 9 }],
    });
    expect([succeeded, failed]).toEqual([1, 2]);
    expect(results.map(({ status }) => status)).toEqual(['success', 'error', 'error']);
    expect(results[1]?.error).toContain('unknown voice "nobody"');
    expect(results[2]?.error).toBe('speed must be a number from 0.25 to 4, got 9');
  });

  it.each([
    [{}, /^items is required/],
    [{ items: [] }, /^items must be an array of 1 to 32 objects/],
    [{ items: Array(33).fill({ input: 'hello' }) }, /^items must be an array of 1 to 32 objects/],
    [{ items: [{ voice: 'alma' }] }, /^input of item 1 of items is required/],
  ])('is refused if it is none: %#', async (body, message) => {
    await expectError(send(body), 400, { message: expect.stringMatching(message) });
  });

  it('counts each item for the rate limit', async () => {
    await server.start({ settings: { keys: { anna: { rateLimit: 2 } } } });
    const items = Array(3).fill({ input: 'hello' });
    const [, { succeeded, failed, results }] = await statusAndJson<Answer>(send({ items }, bearer('anna')));
    expect([succeeded, failed]).toEqual([2, 1]);
    expect(results.find(({ status }) => status === 'error')?.error).toContain('limited to 2 requests per minute');
  });

  it('speaks a few items at once, as many as its key may', async () => {
    await server.start({ slots: 16, settings: { keys: { anna: { concurrencyLimit: 2 }, ben: {} } } });
    for (const [name, most] of Object.entries({ anna: 2, ben: 8 })) {
      const release = server.backend.hold();
      const answering = send({ items: Array(12).fill({ input: 'hello' }) }, bearer(name));
      await eventually(() => server.queue.active >= most, 'some run');
      expect(server.queue.active).toBe(most);
      release();
      expect(((await (await answering).json()) as Answer).succeeded).toBe(12);
    }
  });

  it('has one share of the temporary files', async () => {
    // The short ones wait in files for the long one before them, which then has no room.
    await server.start({ slots: 16, limits: { temporaryBytes: 2_800 }, backend: { stopAt: 1_000 } });
    const items = [{ input: 'long', max_length: 60 }, ...Array(7).fill({ input: 'short', max_length: 4 })];
    const { results, failed } = await batch({ items });
    expect([failed, results[0]?.error]).toEqual([
      1,
      expect.stringMatching(/^the audio is larger than the limit of 700 bytes for what is sent when it is complete/),
    ]);
    expect(results.slice(1).map((one) => bytesOf(one).length)).toEqual(Array(7).fill(76));
    // One after the other, they would not fit in memory together, but each is sent before the next.
    const many = await batch({ items: Array(32).fill({ input: 'short', max_length: 4 }) });
    expect(many.succeeded).toBe(32);
  });

  it('decodes a recording that its items share once', async () => {
    await server.start({ backend: { info: { architecture: 'voxcpm2' } } });
    const ref_audio = wavOf().toString('base64');
    const from = jest.spyOn(Buffer, 'from');
    const digest = jest.spyOn(crypto.subtle, 'digest');
    try {
      const { succeeded } = await batch({ items: Array(6).fill({ input: 'hello' }), ref_audio });
      const calls: readonly (readonly unknown[])[] = from.mock.calls;
      const decodings = calls.filter(([text, encoding]) => encoding === 'base64' && text === ref_audio);
      const uploads = digest.mock.calls.filter(([, bytes]) => bytes.byteLength === 44 + 320);
      expect([succeeded, decodings.length, uploads.length]).toEqual([6, 1, 1]);
    } finally {
      from.mockRestore();
      digest.mockRestore();
    }
  });

  it('ends with its client', async () => {
    await server.start();
    const release = server.backend.hold();
    const controller = new AbortController();
    const failed = send({ items: [{ input: 'hello' }, { input: 'again' }] }, { signal: controller.signal }).then(
      undefined,
      () => 'failed',
    );
    await eventually(() => server.queue.active === 2, 'both run');
    controller.abort();
    expect(await failed).toBe('failed');
    release();
    await eventually(() => server.queue.active === 0, 'both have stopped');
  });
});

it('speaker is a voice', async () => {
  const speak = async (fields: object) => await server.hear({ input: 'hello', response_format: 'pcm', ...fields });
  expect((await speak({ speaker: 'coral' })).equals(await speak({ voice: 'coral' }))).toBe(true);
  await expectError(server.speak({ input: 'hello', speaker: 'nobody' }), 404, { code: 'voice_not_found' });
  const both = await server.speak({ input: 'hello', speaker: 'coral', voice: 'alloy' });
  expect((await errorOf(both)).message).toBe('voice and speaker cannot be combined: leave out one of them');
});
