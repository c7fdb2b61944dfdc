/** Scripts, voices and timestamps through a broker: the same answers as from one process. Needs redis-server. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { startFront, startWorker } from '../../bench/broker/processes.ts';
import { startRedis } from '../../bench/broker/redis-process.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { formOf, post, startServer, statusAndJson } from '../server/start-server.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { sharedProcesses } from './shared-processes.ts';

const fixtures = join(process.cwd(), 'tests', 'fixtures');
/** Random weights, but with voices. */
const modelPath = join(fixtures, 'peer-tiny-v2.gguf');

const share = sharedProcesses();
const folder = sharedFolder();
const alone = share(async () => startServer({ engine: await createEngine({ modelPath, backend: 'cpu', threads: 1 }) }));
const redis = share(startRedis);
share(() => startWorker(redis.url, '--model-path', modelPath));
const front = share(() => startFront(redis.url, folder));
beforeAll(async () => {
  for (const { url } of [front, alone])
    for (const [id, file] of Object.entries({ anna: 'prompt_a.wav', ben: 'prompt_b.wav' })) {
      const audio = await readFile(join(fixtures, 'tiny-v2', file));
      const body = formOf({ id, text: 'The words of the recording.', audio });
      expect((await fetch(`${url}/v1/voices`, { method: 'POST', body })).status).toBe(201);
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

const turns = [
  { voice: 'A', text: 'Good evening, gif.', pause: 1 },
  { voice: 'ben', text: 'Hello.' },
  { text: 'And now the news.' },
];

it('a script through a broker has the voices, pauses, pronunciations and timestamps of one process', async () => {
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

it('a script through a broker streams with its warnings', async () => {
  const input = '<speak>One <wobble>two</wobble> <break time="1s"/> <voice name="anna">three</voice></speak>';
  const [one, other] = await both({ input, stream_format: 'sse' });
  expect(one).toContain('unknown SSML element');
  expect(last(one)).toEqual(last(other));
});

it('a script through a broker is refused before it reaches a worker', async () => {
  const refused = post(`${front.url}/v1/audio/speech`, { ...small, input: [{ voice: 'zoe', text: 'a' }] });
  expect(await statusAndJson(refused)).toMatchObject([404, { error: { param: 'input' } }]);
});

/** Its last event without the number of pieces, which depends on time. */
const last = (events = ''): unknown => JSON.parse(events.trim().split('\n').at(-1)?.slice(6) ?? '').warnings;
