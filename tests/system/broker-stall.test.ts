/** Listeners that read nothing while others wait for a worker's slots. Needs redis-server. */
import { expect, it } from '@jest/globals';
import { startRedis } from '../../bench/broker/redis-process.ts';
import { parseBrokerUrl } from '../../src/broker/shared/address.ts';
import { createEngineFromBackend } from '../../src/engine/engine.ts';
import type { SpeechEvent } from '../../src/engine/speech-event.ts';
import { concatenate } from '../../src/float-arrays.ts';
import { createFakeBackend } from '../engine/fake-backend.ts';
import { speakWith } from '../support/accept.ts';
import { eventually } from '../support/eventually.ts';
import { sharedProcesses } from './shared-processes.ts';
import { openPair } from './speech-over-broker.ts';

const request = { text: 'hello hello hello hello', seed: 7 };
/** Many times the limit of unread pieces at the broker. */
const backendOptions = { stopAt: 100, info: { contextLength: 4096 } };
const limits = { minLength: 2, maxLength: 4096 };

const redis = sharedProcesses()(startRedis);

it('a listener that reads nothing loses its slot to others, and gets the rest when it reads again', async () => {
  const address = parseBrokerUrl(redis.url);
  const backend = createFakeBackend(backendOptions);
  const pair = await openPair(address, backend);
  const { front, worker } = pair;
  const open = () => speakWith(front.source, { ...request, ...limits });

  const stalled = open();
  const received: SpeechEvent[] = [(await stalled.next()).value as SpeechEvent];
  await eventually(() => worker.report().active === 1, 'the worker is at it');
  for (let round = 0; round < 4; round += 1) {
    let count = 0;
    for await (const { samples } of { [Symbol.asyncIterator]: open }) count += samples.length;
    expect(count).toBe(101 * 4);
    // More often than a lost task may be submitted again without new audio.
    for (let pulls = 0; pulls < 18; pulls += 1) {
      const next = await stalled.next();
      if (!next.done) received.push(next.value);
    }
  }
  for (let next = await stalled.next(); !next.done; next = await stalled.next()) received.push(next.value);
  const alone = createEngineFromBackend(createFakeBackend(backendOptions), { maxBatch: 1 });
  const { samples } = await alone.synthesize({ ...request, ...limits, retryBadcase: false });
  expect(concatenate(received.map((chunk) => chunk.samples))).toEqual(samples);
  expect(backend.opened.length).toBeGreaterThan(6);

  await pair[Symbol.asyncDispose]();
  await alone.close();
});
