import { describe, expect, it } from '@jest/globals';
import type { BenchReport, BenchResult } from '../../../src/bench/bench.ts';
import { benchTable } from '../../../src/cli/output/bench-table.ts';

const prefill = { prefillTokensPerSecond: 200.6, prefillTokensPerSecond27: 150, prefillTokensPerSecond64: 180 };
const ofPeak = { prefillOfPeak: 0.512, prefillOfPeak27: 0.4, prefillOfPeak64: 0.45, peakGops: 640 };
const step = { msPerStep: 25.04, msPerStepP10: 24, msPerStepP90: 30.25, rooflineRatio: 1.25, phases: 400 };
const stages = { flow: 15.5, languageModels: 7, localEncoder: 2, other: 0.54 };
const rtf = { rtfModel: 0.16, rtfWithoutEncode: 0.18, rtfFull: 0.2, ttfaMs: 60 };
const native = {
  ...{ engine: 'native', threads: 2, batch: 1, loadMs: 120.4, ...prefill, ...ofPeak, ...step, stages, ...rtf },
  ...{ vaeMsPerPatch: 3.333, vaeGrowth: 1, encodeMs: 80, peakRssMb: 900, peakRssAllMb: 1_000, othersBusy: 0.1 },
} as BenchResult;
const onnx = { ...native, engine: 'onnx', rooflineRatio: null, phases: null, peakGops: null } as BenchResult;

const report = {
  ...native,
  ...{ model: 'tiny', weightType: 'q8_0', device: 'cpu', modelMb: 12.6, patches: 8, timesteps: 10, rounds: 1 },
  machine: { processor: 'A processor', processors: 4, platform: 'linux', node: 'v20' },
  ...{ bandwidthGbPerSecond: 20.26, mbPerStep: 11.9, configurations: [native] },
} as BenchReport;

const linesOf = (table: string): readonly string[] => table.split('\n');

describe('the table of svc bench', () => {
  it('names the model and the machine before the figures', () => {
    expect(linesOf(benchTable(report)).slice(0, 4)).toEqual([
      'tiny q8_0 on cpu: 13 MB, 8 patches of 10 timesteps, 1 round',
      'A processor, 4 processors, reads 20.3 GB/s; a step reads 12 MB',
      '',
      'engine                  native',
    ]);
    expect(linesOf(benchTable({ ...report, rounds: 3, mbPerStep: null })).slice(0, 2)).toEqual([
      'tiny q8_0 on cpu: 13 MB, 8 patches of 10 timesteps, medians of 3 rounds',
      'A processor, 4 processors, reads 20.3 GB/s',
    ]);
  });

  it('on a card leaves out what the processor bounds', () => {
    const card = { launches: 157, weightMb: 5, stepMb: 10, bandwidth: 1, usedMb: 27, totalMb: 8590, room: 64 };
    const onCard = { ...native, card: { ...card, ofBandwidth: 0.5, ofArithmetic: 0.1 } };
    const text = benchTable({ ...report, configurations: [onCard] });
    expect(text).not.toMatch(/int8 peak|roofline|GB\/s/);
    expect(text).toMatch(/launches a step +157\n/);
  });

  it('has an aligned column for each configuration, and a dash for what is unknown', () => {
    const lines = linesOf(benchTable({ ...report, configurations: [native, onnx] })).slice(3, -1);
    expect(new Set(lines.map(({ length }) => length)).size).toBe(1);
    expect(lines.map((line) => line.split(/ {2,}/).filter(Boolean))).toEqual([
      ['engine', 'native', 'onnx'],
      ['threads', '2', '2'],
      ['batch', '1', '1'],
      ['load, ms', '120', '120'],
      ['prefill, tokens/s', '201', '201'],
      ['of 27, of 64', '150, 180', '150, 180'],
      ['of the int8 peak', '0.51', '0.51'],
      ['of 27, of 64', '0.40, 0.45', '0.40, 0.45'],
      ['step, ms', '25.0', '25.0'],
      ['10 % to 90 %', '24.0-30.3', '24.0-30.3'],
      ['flow matching', '15.5', '15.5'],
      ['language models', '7.0', '7.0'],
      ['local encoder', '2.0', '2.0'],
      ['other', '0.5', '0.5'],
      ['over roofline', '1.25', '-'],
      ['phases', '400', '-'],
      ['int8 peak, GOP/s', '640', '-'],
      ['VAE, ms a patch', '3.33', '3.33'],
      ['end over start', '1.00', '1.00'],
      ['encode 3 s, ms', '80', '80'],
      ['RTF, model only', '0.160', '0.160'],
      ['RTF, with VAE', '0.180', '0.180'],
      ['RTF, full', '0.200', '0.200'],
      ['first audio, ms', '60', '60'],
      ['peak memory, MB', '900', '900'],
      ['with encoder', '1000', '1000'],
      ['others busy, CPUs', '0.10', '0.10'],
    ]);
  });

  it('names the kernels where one configuration chooses them', () => {
    const kernels = (table: string): string | undefined => linesOf(table).find((line) => line.startsWith('kernels'));
    expect(kernels(benchTable(report))).toBeUndefined();
    const configurations = [{ ...native, kernels: 'ggml' } as BenchResult, native];
    expect(kernels(benchTable({ ...report, configurations }))?.split(/ +/)).toEqual(['kernels', 'ggml', '-']);
  });

  it('ends with the run beside a busy process and with the peer, where they were measured', () => {
    const endOf = (more: Partial<BenchReport>): readonly string[] =>
      linesOf(benchTable({ ...report, ...more })).slice(linesOf(benchTable(report)).length - 1);
    expect(endOf({})).toEqual(['']);
    expect(endOf({ contention: { msPerStep: 50.08, rtfFull: 0.4, slowdown: 2 } })).toEqual([
      'beside a busy process: 50.1 ms a step, 2.00 times as slow',
      '',
    ]);
    const peer = { patches: 9, msPerStep: 80, vaeMsPerPatch: 20, rtfModel: 0.5, rtfWithoutEncode: 0.6, rtfFull: 0.7 };
    expect(endOf({ peer: { ...peer, peakRssMb: 2_000, othersBusy: 0 } as BenchReport['peer'], ratio: 3.5 })).toEqual([
      'peer: 9 patches, 80.0 ms a step, VAE 20.0 ms a patch, RTF 0.500 / 0.600 / 0.700, peak 2000 MB, others busy 0.00',
      'full RTF of the peer over ours: 3.50',
      '',
    ]);
  });
});
