/**
 * Measures what docs/performance.md states and prints its tables:
 *
 *   npm run measure-performance -- [--only kernels,types,…] [--compare PATH/voxcpm_tts] [--models 0.5b,1.5,2]
 *     [--types q8_0,q4_k] [--threads 2] [--rounds 3] [--patches 48]
 *
 * Each section takes minutes on an idle machine, and alternates what it compares. Most measure the first model in the
 * first type. Models of random weights are written into the cache folder once.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { weightTypes } from '../export/gguf/tensor-types.ts';
import { loadQuantizer } from '../export/quantizer.ts';
import { kernelNames } from '../src/engine/backends/native/kernel-names.ts';
import { loadAddon } from '../src/engine/backends/native/load-addon.ts';
import { systemCacheFolder } from '../src/hub/cache.ts';
import { describeMachine } from './machine.ts';
import { batch } from './performance/batch.ts';
import { contention } from './performance/contention.ts';
import { contexts } from './performance/contexts.ts';
import { kernels } from './performance/kernels.ts';
import { loading } from './performance/loading.ts';
import { markdown } from './performance/markdown.ts';
import { models, types } from './performance/models.ts';
import { prompts } from './performance/prompts.ts';
import { syntheticModel } from './synthetic/model.ts';
import { publishedModels } from './synthetic/published-configs.ts';

const sections = { kernels, types, models, batch, contention, prompts, contexts, loading };

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(sections).join(',') },
    compare: { type: 'string' },
    models: { type: 'string', default: publishedModels.join(',') },
    types: { type: 'string', default: 'q8_0,q4_k' },
    threads: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    patches: { type: 'string', default: '48' },
  },
});

/** The known names among those of an option. */
function choose<Name extends string>(option: keyof typeof values, names: readonly Name[]): readonly Name[] {
  return String(values[option])
    .split(',')
    .map((given) => {
      const found = names.find((name) => name === given);
      if (found === undefined) throw new Error(`unknown --${option} "${given}" (choices: ${names.join(', ')})`);
      return found;
    });
}

const { signal } = new AbortController();
const addon = await loadAddon();
const settings = {
  models: choose('models', publishedModels),
  types: choose('types', weightTypes),
  threads: Number(values.threads),
  rounds: Number(values.rounds),
  patches: Number(values.patches),
  compare: values.compare,
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
} satisfies Parameters<typeof kernels>[0];

const { processor, processors } = describeMachine();
console.log(`${processor}, ${processors} processors, ${settings.threads} threads\n`);
for (const name of choose('only', Object.keys(sections) as (keyof typeof sections)[])) {
  for (const table of await sections[name](settings)) process.stdout.write(markdown(table));
}
