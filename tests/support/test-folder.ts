import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach } from '@jest/globals';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

/**
 * Makes one folder for all tests of the file or `describe` that calls it, and removes it after them. `afterAll` hooks
 * run in the order of their definition: call it after those that close what writes to the folder.
 */
export function sharedFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-test-'));
  afterAll(() => rm(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

/** Makes a new folder for each test of the file or `describe` that calls it; read its `path` in the test. */
export function freshFolder(): Pick<TemporaryFolder, 'path' | 'join'> {
  let folder: TemporaryFolder;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(async () => folder[Symbol.asyncDispose]());
  return {
    get path() {
      return folder.path;
    },
    join: (...names) => folder.join(...names),
  };
}
