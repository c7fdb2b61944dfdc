/** Scripts, voices and timestamps through a broker: the same answers as from one process. Needs redis-server. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startFront, startWorker } from '../../bench/broker/processes.ts';
import { type RedisProcess, startRedis } from '../../bench/broker/redis-process.ts';
import type { ServerProcess, SvcProcess } from '../../bench/svc-process.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { errorOf, post, startServer, type TestServer } from '../server/start-server.ts';
import { sharedFolder } from '../support/test-folder.ts';

const fixtures = join(process.cwd(), 'tests', 'fixtures');
/** Random weights, but with voices. */
const modelPath = join(fixtures, 'peer-tiny-v2.gguf');

let redis: RedisProcess;
let worker: SvcProcess;
let front: ServerProcess;
let alone: TestServer;

const add = async (url: string, id: string, file: string): Promise<void> => {
  const form = new FormData();
  form.set('id', id);
  form.set('text', 'The words of the recording.');
  form.set('audio', new Blob([await readFile(join(fixtures, 'tiny-v2', file))]), file);
  expect((await fetch(`${url}/v1/voices`, { method: 'POST', body: form })).status).toBe(201);
};

afterAll(async () => {
  await front?.stop('SIGKILL');
  await worker?.stop('SIGKILL');
  await redis?.[Symbol.asyncDispose]();
  await alone?.close();
});
const folder = sharedFolder();
beforeAll(async () => {
  redis = await startRedis();
  worker = await startWorker(redis.url, '--model-path', modelPath);
  front = await startFront(redis.url, folder);
  alone = await startServer({ engine: await createEngine({ modelPath, backend: 'cpu', threads: 1 }) });
  for (const { url } of [front, alone]) {
    await add(url, 'anna', 'prompt_a.wav');
    await add(url, 'ben', 'prompt_b.wav');
  }
});

const small = { seed: 7, max_length: 12, inference_timesteps: 2, response_format: 'wav' } as const;

/** Bodies of both answers: of the broker, and of one process. */
const both = (body: object): Promise<readonly string[]> =>
  Promise.all(
    [front.url, alone.url].map(async (url) => {
      const response = await post(`${url}/v1/audio/speech`, { ...small, ...body });
      expect([response.status, response.ok ? '' : await response.text()]).toEqual([200, '']);
      return response.text();
    }),
  );

describe('a script through a broker', () => {
  const turns = [
    { voice: 'A', text: 'Good evening, gif.', pause: 1 },
    { voice: 'ben', text: 'Hello.' },
    { text: 'And now the news.' },
  ];

  it('has the voices, pauses, pronunciations and timestamps of one process', async () => {
    const body = { input: turns, voices: { A: 'anna' }, lexicon: { gif: 'jif' } };
    const [one, other] = (await both({ ...body, stream_format: 'json', timestamps: 'word' })).map((text) =>
      JSON.parse(text),
    );
    expect(one).toEqual(other);
    const { items, text } = one.timestamps;
    expect(text).toBe('Good evening, jif. Hello. And now the news.');
    expect(items).toHaveLength(8);
    expect(items[3].start - items[2].end).toBeGreaterThan(0.9);
  });

  it('streams with its warnings', async () => {
    const input = '<speak>One <wobble>two</wobble> <break time="1s"/> <voice name="anna">three</voice></speak>';
    const [one, other] = await both({ input, stream_format: 'sse' });
    expect(one).toContain('unknown SSML element');
    expect(last(one)).toEqual(last(other));
  });

  it('is refused before it reaches a worker', async () => {
    const response = await post(`${front.url}/v1/audio/speech`, { ...small, input: [{ voice: 'zoe', text: 'a' }] });
    expect([response.status, await errorOf(response)]).toMatchObject([404, { param: 'input' }]);
  });
});

/** Its last event without the number of pieces, which depends on time. */
const last = (events = ''): unknown => JSON.parse(events.trim().split('\n').at(-1)?.slice(6) ?? '').warnings;
