import { describe, expect, it } from '@jest/globals';
import { startFront, startWorker } from '../../bench/broker/processes.ts';
import { startRedis } from '../../bench/broker/redis-process.ts';
import { bytesOf, post } from '../server/start-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { almaAs } from './alma.ts';
import { startPostgres } from './postgres-process.ts';

/** Needs redis-server and postgresql. */
describe('two front ends with one database', () => {
  it('share their voices', async () => {
    await using folder = await temporaryFolder();
    await using redis = await startRedis();
    await using postgres = await startPostgres();
    const environment = { SVC_DATABASE_URL: postgres.createDatabase() };
    const worker = await startWorker(redis.url);
    const fronts = await Promise.all([1, 2].map(() => startFront(redis.url, folder.path, [], environment)));
    const [one, two] = fronts.map(({ url }) => url);
    try {
      expect((await fetch(`${one}/v1/voices`, { method: 'POST', body: await almaAs('anna') })).status).toBe(201);
      const body = { input: 'Hello there.', voice: 'anna', seed: 3, response_format: 'pcm' };
      const answers = await Promise.all([one, two].map((url) => bytesOf(post(`${url}/v1/audio/speech`, body))));
      expect(answers[0]?.length).toBeGreaterThan(1_000);
      expect(answers[0]?.equals(answers[1] as Buffer)).toBe(true);
      expect((await fetch(`${two}/v1/voices/anna`, { method: 'DELETE' })).status).toBe(200);
      expect((await fetch(`${one}/v1/voices/anna`)).status).toBe(404);
    } finally {
      await Promise.all([worker, ...fronts].map((each) => each.stop('SIGKILL')));
    }
  });
});
