/**
 * Measures `svc serve`: `npm run bench:server`, optionally with `-- --only first-byte`, `-- --only throughput`,
 * `-- --soak 2000`, `-- --crash 50`, `-- --mixed 200` or `-- --hostile`, of which `--only PATTERN` measures those whose name matches.
 *
 * `--model-path FILE` (default: the demo model; use a tiny one for soak and crash), `--threads N` (1).
 * First byte: `--rounds N` (15) per format, with utterances of `--patches N` (12).
 * Throughput of 1, 2, 4 and 8 streams: `--stream-rounds N` (5), with utterances of `--stream-patches N` (48, about 4
 * seconds of VoxCPM-0.5B).
 * `-- --carrying 64`: how much audio of that many streams the server carries beside a model that costs nothing.
 * Mixed requests for several models: `--model NAME=PATH` for each and `--memory-limit SIZE`.
 */
import { parseArgs } from 'node:util';
import { measureCarrying } from './carrying.ts';
import { crash } from './crash.ts';
import { measureFirstByte } from './first-byte.ts';
import { measureHostile } from './hostile.ts';
import { measureMixedModels } from './mixed-models.ts';
import { soak } from './soak.ts';
import { measureThroughput } from './throughput.ts';

const { values } = parseArgs({
  options: {
    'model-path': { type: 'string' },
    threads: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '15' },
    patches: { type: 'string', default: '12' },
    'stream-rounds': { type: 'string', default: '5' },
    'stream-patches': { type: 'string', default: '48' },
    only: { type: 'string' },
    soak: { type: 'string' },
    crash: { type: 'string' },
    carrying: { type: 'string' },
    mixed: { type: 'string' },
    hostile: { type: 'boolean', default: false },
    model: { type: 'string', multiple: true, default: [] },
    'memory-limit': { type: 'string', default: '1200MiB' },
  },
});

const modelPath = values['model-path'];
const options = ['--threads', values.threads, ...(modelPath === undefined ? [] : ['--model-path', modelPath])];

if (values.soak !== undefined) {
  await soak(Number(values.soak), options);
} else if (values.crash !== undefined) {
  await crash(Number(values.crash), options);
} else if (values.carrying !== undefined) {
  await measureCarrying(Number(values.carrying), 15);
} else if (values.hostile) {
  await measureHostile(['--threads', values.threads], values.only);
} else if (values.mixed !== undefined) {
  const { model: models, 'memory-limit': memoryLimit, threads, patches } = values;
  await measureMixedModels(Number(values.mixed), { models, memoryLimit, threads, patches: Number(patches) });
} else {
  const { only } = values;
  if (only !== undefined && only !== 'first-byte' && only !== 'throughput') {
    throw new Error(`--only must be first-byte or throughput, got "${only}"`);
  }
  if (only !== 'throughput') {
    const engine = { threads: Number(values.threads), modelPath };
    await measureFirstByte(engine, options, { rounds: Number(values.rounds), patches: Number(values.patches) });
  }
  if (only !== 'first-byte') {
    const [rounds, patches] = [Number(values['stream-rounds']), Number(values['stream-patches'])];
    await measureThroughput(options, { rounds, patches });
  }
}
