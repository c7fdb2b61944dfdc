/** Rows of whole `svc bench` runs, of which one is the reference. */
import { type BenchReport, type BenchResult, runBench } from '../../src/bench/bench.ts';
import type { BenchConfiguration } from '../../src/bench/configuration.ts';
import { fixed, type Settings } from './section.ts';

export const figures = [
  'step ms',
  'over the first row',
  'flow',
  'LMs',
  'over roofline',
  'VAE ms per patch',
  'prefill of 27, 64, 256: tokens/s',
  'of the int8 peak',
  'first audio ms',
  'full RTF',
  'peak MB',
  'others busy',
] as const;

const prefills = (result: BenchResult): string =>
  [result.prefillTokensPerSecond27, result.prefillTokensPerSecond64, result.prefillTokensPerSecond]
    .map((speed) => fixed(speed, 0))
    .join(', ');

const shares = ({ prefillOfPeak27, prefillOfPeak64, prefillOfPeak }: BenchResult): string =>
  [prefillOfPeak27, prefillOfPeak64, prefillOfPeak].map((share) => fixed(share, 2)).join(', ');

export const figuresOf = (result: BenchResult, reference: BenchResult | undefined): readonly string[] => [
  fixed(result.msPerStep, 1),
  fixed(result.msPerStep / (reference ?? result).msPerStep, 2),
  fixed(result.stages.flow, 1),
  fixed(result.stages.languageModels, 1),
  fixed(result.rooflineRatio, 2),
  fixed(result.vaeMsPerPatch, 1),
  prefills(result),
  shares(result),
  fixed(result.ttfaMs, 0),
  fixed(result.rtfFull, 3),
  fixed(result.peakRssMb, 0),
  fixed(result.othersBusy, 2),
];

/** VoxCPM.cpp in the same run, if it was compared. */
export function peerFigures({ peer, configurations: [reference] }: BenchReport): readonly (readonly string[])[] {
  if (peer === undefined || reference === undefined) return [];
  const rtf = (peer.encodeSeconds + peer.modelSeconds + peer.vaeSeconds) / peer.audioSeconds;
  const cells = [
    fixed(peer.msPerStep, 1),
    fixed(peer.msPerStep / reference.msPerStep, 2),
    fixed(peer.stages.front, 1),
    fixed(peer.stages.baseLm + peer.stages.residualLm, 1),
    '–',
    fixed(peer.vaeMsPerPatch, 1),
    ...['–', '–', '–'],
    fixed(rtf, 3),
    fixed(peer.peakRssMb, 0),
    fixed(peer.othersBusy, 2),
  ];
  return [['VoxCPM.cpp', ...cells]];
}

/** Alternates the configurations, and VoxCPM.cpp unless it is left out. */
export const report = (
  configurations: readonly BenchConfiguration[],
  { rounds, compare, environment, signal, onRun }: Settings,
  peer: 'compare' | 'leave out',
): Promise<BenchReport> =>
  runBench({
    ...{ configurations, rounds, environment, signal, onRun, contention: 'leave out' },
    compare: peer === 'compare' ? compare : undefined,
  });
