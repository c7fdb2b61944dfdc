/** A step on processors that others use, and with more threads than processors. */
import type { BenchConfiguration } from '../../src/bench/configuration.ts';
import { besideBusyProcess } from '../../src/bench/contention.ts';
import { measureInProcess } from '../../src/bench/isolate.ts';
import { median } from '../../src/bench/statistics.ts';
import { configure, firstModel, fixed, rivals, type Section, type Settings } from './section.ts';

interface Situation {
  readonly name: string;
  run(configuration: BenchConfiguration, processors: readonly number[], settings: Settings): Promise<number>;
}

const steps = async (
  configuration: BenchConfiguration,
  processors: readonly number[],
  { signal }: Settings,
): Promise<number> => (await measureInProcess('steps', configuration, { signal, processors })).msPerStep;

/** The first one is the reference of the others. */
const situations: readonly Situation[] = [
  { name: 'quiet', run: steps },
  {
    name: 'beside a busy process',
    run: (configuration, processors, settings) =>
      besideBusyProcess(processors, () => steps(configuration, processors, settings)),
  },
  {
    name: 'twice as many threads as cores',
    run: (configuration, ...rest) => steps({ ...configuration, threads: 2 * configuration.threads }, ...rest),
  },
  {
    name: 'one of the threads at half speed (own kernels only)',
    run: (configuration, ...rest) => steps({ ...configuration, slowness: 2 }, ...rest),
  },
  {
    name: 'one of the threads at a third of the speed (own kernels only)',
    run: (configuration, ...rest) => steps({ ...configuration, slowness: 3 }, ...rest),
  },
  {
    name: 'without that thread',
    run: (configuration, ...rest) => steps({ ...configuration, threads: configuration.threads - 1 }, ...rest),
  },
];

export const contention: Section = async (settings) => {
  const { rounds, threads, onRun } = settings;
  const path = await firstModel(settings);
  const processors = Array.from({ length: threads }, (_, index) => index);
  const names = rivals(settings);
  const times = situations.map(() => names.map((): number[] => []));
  for (let round = 1; round <= rounds; round += 1) {
    for (const [row, { name, run }] of situations.entries()) {
      for (const [column, kernels] of names.entries()) {
        onRun(`${name}: ${kernels}, round ${round} of ${rounds}`);
        times[row]?.[column]?.push(await run(configure(settings, path, kernels), processors, settings));
      }
    }
  }
  const medians = times.map((row) => row.map(median));
  return [
    {
      title: `Contention (${threads} threads on ${threads} processors)`,
      header: ['', ...names.flatMap((name) => [`${name}, step ms`, 'over quiet'])],
      rows: situations.map(({ name }, row) => [
        name,
        ...names.flatMap((_, column) => {
          const time = medians[row]?.[column];
          return [fixed(time, 1), fixed((time ?? 0) / (medians[0]?.[column] ?? 1), 2)];
        }),
      ]),
    },
  ];
};
