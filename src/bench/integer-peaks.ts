/** Measures how fast this machine multiplies integers, which limits the speed of a prefill. */
import { loadAddon } from '../engine/backends/native/load-addon.ts';
import type { BenchConfiguration } from './configuration.ts';

interface IntegerPeaks {
  measure(configuration: BenchConfiguration): Promise<void>;
  /** Operations per second; undefined if these kernels have no integer products of their own. */
  best(configuration: BenchConfiguration): number | undefined;
}

/** Keeps the best measurement per kernels and number of threads, since other processes can only slow it down. */
export function createIntegerPeaks(): IntegerPeaks {
  const best = new Map<string, number>();
  const key = ({ kernels, threads }: BenchConfiguration): string => `${kernels} ${threads}`;
  return {
    async measure(configuration) {
      const { engine, kernels, threads } = configuration;
      const peak = engine === 'native' ? (await loadAddon()).integerPeak(kernels ?? '', threads) : undefined;
      if (peak !== undefined) best.set(key(configuration), Math.max(best.get(key(configuration)) ?? 0, peak));
    },
    best: (configuration) => (configuration.engine === 'native' ? best.get(key(configuration)) : undefined),
  };
}
