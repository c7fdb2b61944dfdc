/** A network that falls silent between the broker and all others. Needs redis-server. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { startRedis } from '../../bench/broker/redis-process.ts';
import { parseBrokerUrl } from '../../src/broker/shared/address.ts';
import { openSpeech, speakAlone } from './speech-over-broker.ts';
import { startProxy } from './splittable-proxy.ts';

/** About five seconds. */
const pace = { steps: 400, delayMilliseconds: 10 };

it.each([1_500, 5_500])('a listener hears each sample once after a split of %d ms', async (milliseconds) => {
  await using redis = await startRedis();
  await using network = await startProxy(redis.port);
  await using speech = await openSpeech(parseBrokerUrl(`redis://127.0.0.1:${network.port}`), pace);
  const { samples, longestPause } = await speech.speak((chunks) => {
    if (chunks !== 12) return;
    network.split();
    void wait(milliseconds).then(() => network.heal());
  });
  expect(samples).toEqual(await speakAlone(pace.steps));
  // The broker was needed.
  expect(longestPause).toBeGreaterThan(500);
});
