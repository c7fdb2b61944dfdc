import { expect, it } from '@jest/globals';
import { runChaos } from '../../bench/broker/chaos.ts';
import { startFront } from '../../bench/broker/processes.ts';
import { startRedis } from '../../bench/broker/redis-process.ts';
import { referenceAnswers } from '../../bench/broker/reference.ts';
import { textOf } from '../../bench/broker/texts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Needs redis-server. */
it('two workers killed at random lose none of 200 requests, and every answer equals that of a single process', async () => {
  const texts = Array.from({ length: 200 }, (_, index) => textOf(index, 1 + (index % 2)));
  const expected = await referenceAnswers(texts);
  await using folder = await temporaryFolder();
  await using redis = await startRedis();
  // It waits for the first worker.
  const starting = startFront(redis.url, folder.path, ['--max-queue', '256']);
  try {
    const outcome = await runChaos({
      frontUrl: async () => (await starting).url,
      broker: redis.url,
      workers: 2,
      texts,
      together: 8,
      answersBetweenKills: 14,
      expected,
    });
    expect(outcome).toMatchObject({ complete: texts.length, different: [], failed: [] });
    expect(outcome.kills).toBeGreaterThan(0);
  } finally {
    await (await starting).stop('SIGKILL');
  }
});
