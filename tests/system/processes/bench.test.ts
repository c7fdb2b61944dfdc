import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { reportOf, smallBench, useBench } from '../../cli/small-bench.ts';

const { run, writePeer } = useBench();

it('includes the encoding of a prompt', async () => {
  const { code, stdout } = await run(`${smallBench()} --prompt-seconds 0.5 --json --quiet`);
  expect(code).toBe(0);
  const { rtfFull, rtfWithoutEncode, prefixPositions } = reportOf(stdout);
  expect(rtfFull).toBeGreaterThan(rtfWithoutEncode);
  expect(prefixPositions).toBeGreaterThan(7);
});

it('runs next to a busy process where processes can be bound to processors', async () => {
  const { code, stdout, stderr } = await run(`${smallBench()} --contention --json --quiet`);
  if (process.platform === 'linux') {
    expect(code).toBe(0);
    const { msPerStep, slowdown } = reportOf(stdout).contention ?? {};
    expect(msPerStep).toBeGreaterThan(0);
    expect(slowdown).toBeGreaterThan(0);
  } else {
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('taskset') });
  }
});

it('runs ONNX models', async () => {
  const { code, stdout, stderr } = await run(`${smallBench('tests/fixtures/voxcpm-onnx')} --json`);
  expect([stderr, code]).toEqual([expect.any(String), 0]);
  const { engine, stages, rooflineMs, msPerStep } = reportOf(stdout);
  expect({ engine, rooflineMs, flow: stages.flow }).toEqual({ engine: 'onnx', rooflineMs: null, flow: null });
  expect(msPerStep).toBeGreaterThan(0);
});

it('runs a peer in turn and divides its RTF by ours', async () => {
  const output = JSON.stringify(join(process.cwd(), 'tests/bench/fixtures/voxcpm-tts.txt'));
  const peer = await writePeer(`process.stdout.write(require('fs').readFileSync(${output}));`);
  const { code, stdout, stderr } = await run(`${smallBench()} --rounds 2 --compare ${peer} --json`);
  expect(code).toBe(0);
  const runs = stderr.split('\n').filter((line) => line.includes(' of 2'));
  expect(runs.map((line) => line.includes(peer))).toEqual([false, true, false, true]);
  expect(stderr).toMatch(/warning: the peer generated 4 patches instead of 8/);
  const { peer: figures, ratio, rtfFull, rounds } = reportOf(stdout);
  expect(rounds).toBe(2);
  expect(figures).toMatchObject({ patches: 4, rtfFull: 11.58 });
  expect((ratio ?? 0) / ((1.742 + 1.483 + 0.481) / 0.32 / rtfFull)).toBeCloseTo(1, 3);
});
