/** What `FairWorker` replaces in BullMQ is not documented. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { RedisQueueBackend } from 'bullmq';
import { optionalVersion } from '../../../src/package/optional-package.ts';

/** With another version: run the system tests `broker-known-voices` and `broker-fairness`, then change this and the pins. */
const tried = '6.7.0';

it('is tried with one version of BullMQ, the only one that installs', async () => {
  const manifest = JSON.parse(await readFile(join(process.cwd(), 'package.json'), 'utf8'));
  const lock = JSON.parse(await readFile(join(process.cwd(), 'package-lock.json'), 'utf8'));
  expect([manifest.peerDependencies.bullmq, manifest.devDependencies.bullmq]).toEqual([tried, tried]);
  expect([lock.packages['node_modules/bullmq'].version, optionalVersion('bullmq')]).toEqual([tried, tried]);
});

it('replaces the call in which BullMQ waits for a task', async () => {
  const calls: (string | number)[][] = [];
  const blockingClient = Promise.resolve({
    bzpopmin: async (...parameters: (string | number)[]) => {
      calls.push(parameters);
      return ['bull:marker', '0', '7'];
    },
  });
  const waiting = {
    connection: { capabilities: { canDoubleTimeout: true } },
    queue: { blockingClient, keys: { marker: 'bull:marker' } },
  };
  expect(await Reflect.apply(RedisQueueBackend.prototype.waitForJob, waiting, [2])).toEqual({ member: '0', score: 7 });
  expect(calls).toEqual([['bull:marker', 2]]);
});
