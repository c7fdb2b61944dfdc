import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ended, expectEnd } from './invoke.ts';
import { reportOf, smallBench, useBench } from './small-bench.ts';

const { folder, run, writePeer } = useBench();

describe('svc bench', () => {
  it('measures each configuration and prints a table and one line of JSON', async () => {
    const { code, stdout, stderr } = await run(`${smallBench()} --batch 1,2 --json`);
    expect(stderr).toMatch(/svc: native, 1 thread, batch 2, round 1 of 1/);
    expect(code).toBe(0);
    expect(stdout.toString()).toMatch(/^voxcpm|step, ms/im);
    const report = reportOf(stdout);
    expect(report.configurations.map(({ batch }) => batch)).toEqual([1, 2]);
    for (const result of report.configurations) {
      const { msPerStep, stages, patches, batch, prefillMs, loopMs, vaeMs, audioSeconds, rtfModel, rtfFull } = result;
      for (const value of [msPerStep, result.loadMs, result.ttfaMs, result.encodeMs, result.prefillTokensPerSecond]) {
        expect(value).toBeGreaterThan(0);
      }
      expect(patches).toBe(8);
      // A patch has two frames of 640 samples at 16 kHz.
      expect(audioSeconds).toBeCloseTo(8 * batch * 0.08, 6);
      expect(rtfModel).toBeCloseTo((prefillMs + loopMs) / 1000 / audioSeconds, 3);
      expect(rtfFull).toBeCloseTo((prefillMs + loopMs + vaeMs) / 1000 / audioSeconds, 3);
      expect(result.rtfWithoutEncode).toBe(rtfFull);
      const { flow, languageModels, localEncoder, other } = stages;
      for (const part of [flow, languageModels, localEncoder]) expect(part).toBeGreaterThan(0);
      expect((flow ?? 0) + (languageModels ?? 0) + (localEncoder ?? 0) + (other ?? 0)).toBeCloseTo(msPerStep, 2);
      expect(result.msPerStepP10).toBeLessThanOrEqual(result.msPerStepP90);
      expect(result.peakRssMb).toBeGreaterThan(20);
      expect(result.peakRssAllMb).toBeGreaterThanOrEqual(result.peakRssMb);
      expect(result.rooflineRatio).toBeGreaterThan(0);
      expect(result.phases).toBeGreaterThan(0);
      expect(result.othersBusy).toBeGreaterThanOrEqual(0);
    }
    expect(report.msPerStep).toBe(report.configurations[0]?.msPerStep);
    expect(report.peer).toBeUndefined();
  });

  it("fails with the peer's error", async () => {
    const peer = await writePeer(`console.error('Error: no such model'); process.exitCode = 1;`);
    expect(await run(`${smallBench()} --compare ${peer} --json --quiet`)).toMatchObject({
      ...ended(1, `svc: error: ${peer} ended with 1: Error: no such model (--compare)\n`),
      stdout: Buffer.alloc(0),
    });
  });

  it('reports errors of the measuring process', async () => {
    const broken = join(folder, 'broken.gguf');
    await writeFile(broken, 'GGUF');
    expectEnd(await run(`bench --model-path ${broken} --threads 1 --quiet`), 4, /^svc: error: [^\n]+\n$/);
  });
});
