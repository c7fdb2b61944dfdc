/** `FairWorker` overrides a protected method of BullMQ's worker, which may change in any version. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { optionalVersion } from '../../../src/package/optional-package.ts';

/** With another version: run the system test `broker-fairness`, then change this and the pins. */
const tried = '6.7.0';

it('is tried with one version of BullMQ, the only one that installs', async () => {
  const manifest = JSON.parse(await readFile(join(process.cwd(), 'package.json'), 'utf8'));
  const lock = JSON.parse(await readFile(join(process.cwd(), 'package-lock.json'), 'utf8'));
  expect([manifest.peerDependencies.bullmq, manifest.devDependencies.bullmq]).toEqual([tried, tried]);
  expect([lock.packages['node_modules/bullmq'].version, optionalVersion('bullmq')]).toEqual([tried, tried]);
});
