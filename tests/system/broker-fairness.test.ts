/** Shares the workers of a broker among keys, over a model that only sleeps. Needs redis-server. */
import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { simulateSpeech, textOfSeconds } from '../../bench/broker/capacity/simulated-speech.ts';
import { startRedis } from '../../bench/broker/redis-process.ts';
import { openBrokerFront } from '../../src/broker/front/open-broker-front.ts';
import { parseBrokerUrl } from '../../src/broker/shared/address.ts';
import { startBrokerWorker } from '../../src/broker/worker/broker-worker.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { speakWith } from '../support/accept.ts';
import { eventually } from '../support/eventually.ts';
import { turns } from '../support/turns.ts';
import { sharedProcesses } from './shared-processes.ts';

const logger = pino({ level: 'silent' });
/** Passes of 320 ms: the broker's messages take a small part of one, even on a busy machine. */
const speed = 0.25;
const redis = sharedProcesses()(startRedis);

it('a key with 1,000 requests delays the first audio of another by no more than a step', async () => {
  const address = parseBrokerUrl(redis.url);
  let passes = 0;
  const worker = await startBrokerWorker({
    address,
    queue: 'fair',
    engine: simulateSpeech(speed, () => {
      passes += 1;
    }),
    identity: 'simulated',
    adapters: [],
    slots: 4,
    logger,
  });
  const { signal } = new AbortController();
  const front = await openBrokerFront({
    address,
    queue: 'fair',
    maxWaiting: 2_000,
    metrics: createMetrics(),
    logger,
    signal,
  });
  const leaving = new AbortController();
  const received = new Map<string, number>();

  async function speak(owner: string): Promise<void> {
    const share = { owner, weight: 1 };
    const request = { text: textOfSeconds(20), seed: 1 };
    for await (const { samples } of speakWith(front.source, request, { share, signal: leaving.signal })) {
      received.set(owner, (received.get(owner) ?? 0) + samples.length);
    }
  }
  const failures: unknown[] = [];
  const note = (error: unknown): void => {
    if (!leaving.signal.aborted) failures.push(error);
  };

  /** Passes from the request to the first audio; the first of them is the one that runs. */
  async function passesToHear(owner: string): Promise<number> {
    const before = passes;
    void speak(owner).catch(note);
    await eventually(() => received.has(owner), `${owner} hears something`);
    return passes - before;
  }

  try {
    const alone = await passesToHear('ben');
    for (let index = 0; index < 1_000; index += 1) {
      void speak('anna').catch(note);
      // The worker of this process must not miss its deadlines on a slow machine.
      await turns();
    }
    await eventually(() => worker.report().active >= 4, 'all slots are in use');
    await eventually(() => received.has('anna'), 'anna hears something');
    // A pass more, as the request may come just before the end of one, and a step.
    for (const owner of ['carl', 'dora', 'emil']) expect(await passesToHear(owner)).toBeLessThanOrEqual(alone + 2);
    expect(failures).toEqual([]);
  } finally {
    leaving.abort();
    await worker.stop(0);
    await front.close();
  }
});
