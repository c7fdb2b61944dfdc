import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { startFront, startWorker } from '../../bench/broker/processes.ts';
import { startRedis } from '../../bench/broker/redis-process.ts';
import { post } from '../server/start-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
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
      const form = new FormData();
      form.set('id', 'anna');
      form.set('text', await readFile('models/voices/alma.txt', 'utf8'));
      form.set('audio', new Blob([await readFile('models/voices/alma.wav')]), 'anna.wav');
      expect((await fetch(`${one}/v1/voices`, { method: 'POST', body: form })).status).toBe(201);
      const body = { input: 'Hello there.', voice: 'anna', seed: 3, response_format: 'pcm' };
      const answers = await Promise.all(
        [one, two].map(async (url) => Buffer.from(await (await post(`${url}/v1/audio/speech`, body)).arrayBuffer())),
      );
      expect(answers[0]?.length).toBeGreaterThan(1_000);
      expect(answers[0]?.equals(answers[1] as Buffer)).toBe(true);
      expect((await fetch(`${two}/v1/voices/anna`, { method: 'DELETE' })).status).toBe(200);
      expect((await fetch(`${one}/v1/voices/anna`)).status).toBe(404);
    } finally {
      await Promise.all([worker, ...fronts].map((each) => each.stop('SIGKILL')));
    }
  });
});
