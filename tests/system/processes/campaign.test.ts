import { describe, expect, it } from '@jest/globals';
import { runCampaign, usualLimits } from '../../fuzz/campaign.ts';
import { faults, memoryLimit } from '../../fuzz/faulty-target.ts';
import { createRoundRandom, pick } from '../../fuzz/random.ts';
import { loadTarget } from '../../fuzz/target.ts';
import { moduleOf } from '../../fuzz/targets.ts';
import { sharedFolder } from '../../support/test-folder.ts';

const loader = './tests/runner/register.js';
const faulty = new URL('../../fuzz/faulty-target.ts', import.meta.url);
/** With this seed, as many rounds hit every fault, the last one none that ends a process. */
const seed = 1067;
const source = sharedFolder();

async function campaign(module: URL, count: number, limits = usualLimits) {
  await (await loadTarget(module)).prepare(source);
  return runCampaign({ module, source, seed, first: 1, end: 1 + count, limits, loader });
}

/** A short version of `npm run fuzz`, which runs thousands of rounds. */
it.each([
  ['gguf', 80],
  ['onnx', 15],
  ['torch', 300],
])('%s: corrupted files are read or refused', async (name, count) => {
  const module = moduleOf(name);
  if (module === undefined) throw new Error('there is no target of that name');
  const { failures, refused } = await campaign(module, count);
  expect(failures).toEqual([]);
  expect(refused).toBeGreaterThan(count / 2);
});

describe('runCampaign', () => {
  it('counts the outcomes of its rounds and continues after failures', async () => {
    const count = faults.length;
    const expected = Array.from({ length: count }, (_, index) => pick(createRoundRandom(seed, index + 1), faults));
    // Otherwise the test would not see all of them.
    expect(new Set(expected).size).toBe(faults.length);
    // The memory of this process doesn't count for its children.
    const ballast = Buffer.alloc(2 * memoryLimit, 1);
    const result = await campaign(faulty, count, { seconds: 0.5, memory: memoryLimit });
    expect(ballast).toHaveLength(2 * memoryLimit);
    const occurrences = (fault: string): number => expected.filter((each) => each === fault).length;
    expect([result.rounds, result.used, result.refused]).toEqual([count, occurrences('used'), occurrences('refused')]);
    const kinds = { crash: 'crash', hang: 'hang', memory: 'memory', code: 'misreported', lines: 'misreported' };
    expect(result.failures.map(({ kind, round, change }) => [round, kind, change])).toEqual(
      expected.flatMap((fault, index) => (fault in kinds ? [[index + 1, kinds[fault as 'code'], fault]] : [])),
    );
  });
});
