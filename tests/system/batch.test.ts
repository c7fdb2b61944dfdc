import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { invoke } from '../cli/invoke.ts';
import { sharedFolder } from '../support/test-folder.ts';

/** Needs root for mounting. */
describe('svc batch on a full disk', () => {
  let input: string;
  afterAll(() => {
    execFileSync('umount', [folder]);
    rmSync(input);
  });
  const folder = sharedFolder();
  beforeAll(() => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'svc-full', folder]);
    input = `${folder}.txt`;
    writeFileSync(input, 'One.\nTwo.\nThree.\nFour.\nFive.\nSix.\nSeven.\nEight.\n');
  });

  /** Each utterance has 12 KB. */
  const backend = { stopAt: 4, info: { patchSamples: 1_280 } };
  const batch = () => invoke(`batch --input ${input} --output-dir ${folder} --max-batch 2 --json`, { backend });

  it('stops with complete files only, and continues once there is space', async () => {
    const { code, stderr } = await batch();
    const files = readdirSync(folder).filter((name) => name !== 'manifest.jsonl');
    const entries = readFileSync(join(folder, 'manifest.jsonl'), 'utf8').trim().split('\n');
    expect(code).toBe(1);
    const stopped = /^svc: error: cannot write .*; \d of 8 lines are done; run the same command again to resume\n$/;
    expect(stderr).toMatch(stopped);
    expect(files.length).toBeGreaterThanOrEqual(3);
    expect(files.every((name) => /^output_00\d\.wav$/.test(name))).toBe(true);
    const done = entries.filter((line) => line.endsWith('}')).length;
    expect(files.length - done).toBeLessThanOrEqual(1);
    execFileSync('mount', ['-o', 'remount,size=1m', folder]);
    const again = await batch();
    expect(JSON.parse(again.stdout.toString())).toMatchObject({ done: 8 - done, skipped: done, failed: 0 });
    expect(readdirSync(folder).filter((name) => name.endsWith('.wav'))).toHaveLength(8);
  });
});
