/**
 * `npm run measure-performance`: measures what docs/performance.md states and prints its tables. Each section takes minutes
 * on an idle machine, and alternates what it compares. Models of random weights are written into the cache folder once.
 */
import process from 'node:process';
import { Command, InvalidArgumentError } from 'commander';
import { weightTypes } from '../export/gguf/tensor-types.ts';
import { loadQuantizer } from '../export/quantizer.ts';
import { describeMachine } from '../src/bench/machine.ts';
import { syntheticModel } from '../src/bench/synthetic/model.ts';
import { publishedModels } from '../src/bench/synthetic/published-configs.ts';
import { kernelNames } from '../src/engine/backends/native/kernel-names.ts';
import { loadAddon } from '../src/engine/backends/native/load-addon.ts';
import { systemCacheFolder } from '../src/hub/cache.ts';
import { batch } from './performance/batch.ts';
import { contention } from './performance/contention.ts';
import { contexts } from './performance/contexts.ts';
import { kernels } from './performance/kernels.ts';
import { loading } from './performance/loading.ts';
import { markdown } from './performance/markdown.ts';
import { models, types } from './performance/models.ts';
import { prompts } from './performance/prompts.ts';
import type { Settings } from './performance/section.ts';

const sections = { kernels, types, models, batch, contention, prompts, contexts, loading };
const sectionNames = Object.keys(sections) as (keyof typeof sections)[];

/** Parses names separated by commas. */
const namesAmong =
  <Name extends string>(choices: readonly Name[]) =>
  (text: string): readonly Name[] =>
    text.split(',').map((given) => {
      const found = choices.find((name) => name === given);
      if (found === undefined) throw new InvalidArgumentError(`Choices: ${choices.join(', ')}.`);
      return found;
    });

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be a positive integer.');
  return value;
}

const command = new Command('measure-performance')
  .description(`Sections: ${sectionNames.join(', ')}. Most measure the first model in the first type.`)
  .option('--only <sections>', 'sections to measure', namesAmong(sectionNames), sectionNames)
  .option('--compare <path>', 'the voxcpm_tts of VoxCPM.cpp to compare with')
  .option('--models <names>', 'published models', namesAmong(publishedModels), publishedModels)
  .option('--types <names>', 'weight types', namesAmong(weightTypes), ['q8_0', 'q4_k'] as const)
  .option('--threads <number>', 'CPU threads', positive, 2)
  .option('--rounds <number>', 'runs of each configuration', positive, 3)
  .option('--patches <number>', 'patches of each run', positive, 48)
  .parse();
interface Options extends Pick<Settings, 'models' | 'types' | 'threads' | 'rounds' | 'patches' | 'compare'> {
  readonly only: readonly (keyof typeof sections)[];
}

const { only, ...values } = command.opts<Options>();

const { signal } = new AbortController();
const addon = await loadAddon();
const settings: Settings = {
  ...values,
  kernels: kernelNames.filter((name) => addon.integerPeak(name, 1) !== undefined && name !== 'portable'),
  environment: process.env,
  signal,
  model: async (model, type) =>
    syntheticModel({
      ...{ model, type, signal, cacheFolder: systemCacheFolder(), engine: 'native' },
      quantize: await loadQuantizer(type),
      onProgress: () => {},
    }),
  onRun: (what: string) => console.error(what),
};

const { processor, processors } = describeMachine();
console.log(`${processor}, ${processors} processors, ${settings.threads} threads\n`);
for (const name of only) {
  for (const table of await sections[name](settings)) process.stdout.write(markdown(table));
}
