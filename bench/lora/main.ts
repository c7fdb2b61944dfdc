/**
 * Measures what LoRA adapters cost: `npm run bench:lora`. Alternates steps of two batches in one process, one with and
 * one without adapters, and prints JSON: median milliseconds per step, the median ratio of neighboring steps, and the
 * ratio of the fastest tenths, which other processes disturb least. The model and the adapters have random weights.
 *
 * `--model 0.5b` (or 1.5, 2), `--type q8_0`, `--adapters 1,4` (each number is also the size of the batch), `--rank 32`,
 * `--threads N` (2), `--steps N` (24 per side), `--kernels NAME`.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { weightTypes } from '../../export/gguf/tensor-types.ts';
import { parseModelConfig } from '../../export/model-config.ts';
import { median, quantile, timed } from '../../src/bench/statistics.ts';
import { syntheticAdapter } from '../../src/bench/synthetic/adapter.ts';
import { syntheticModel } from '../../src/bench/synthetic/model.ts';
import { publishedConfig, publishedModels } from '../../src/bench/synthetic/published-configs.ts';
import type { Adapter, Session } from '../../src/engine/backend.ts';
import { loadAddon } from '../../src/engine/backends/native/load-addon.ts';
import { type NativeBackend, openNativeBackend } from '../../src/engine/backends/native/native.ts';
import { seededNoise } from '../../src/engine/noise.ts';
import { systemCacheFolder } from '../../src/hub/cache.ts';

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: '0.5b' },
    type: { type: 'string', default: 'q8_0' },
    adapters: { type: 'string', default: '1,4' },
    rank: { type: 'string', default: '32' },
    threads: { type: 'string', default: '2' },
    steps: { type: 'string', default: '24' },
    kernels: { type: 'string' },
  },
});
const model = publishedModels.find((name) => name === values.model);
const type = weightTypes.find((name) => name === values.type);
if (model === undefined || type === undefined) throw new Error(`unknown model or type: ${values.model} ${values.type}`);
const [rank, threads, steps] = [Number(values.rank), Number(values.threads), Number(values.steps)];
const positions = 60;

const targets = [['lm, dit'], ['lm, dit', 'proj']] as const;

async function openSessions(backend: NativeBackend, batch: number, adapters: readonly Adapter[]): Promise<Session[]> {
  const prefix = {
    tokens: Int32Array.from({ length: positions }, (_, at) => 100 + at),
    audioMask: new Uint8Array(positions),
    features: new Float32Array(0),
  };
  const sessions: Session[] = [];
  for (let index = 0; index < batch; index += 1) {
    const adapter = adapters[index];
    sessions.push(await backend.open({ ...prefix, cfg: 2, timesteps: 10, adapter: adapter && { adapter, weight: 1 } }));
  }
  return sessions;
}

async function measure(backend: NativeBackend, adapters: readonly Adapter[]) {
  const sides = [
    await openSessions(backend, adapters.length, []),
    await openSessions(backend, adapters.length, adapters),
  ];
  const noise = seededNoise(1).next(backend.info.patchSize * backend.info.featureDim);
  const times: number[][] = [[], []];
  for (let step = 0; step < steps + 3; step += 1) {
    for (const side of step % 2 === 0 ? [0, 1] : [1, 0]) {
      const batch = (sides[side] as Session[]).map((session) => ({ session, noise }));
      const [, ms] = await timed(() => backend.step(batch));
      // The first steps build graphs.
      if (step >= 3) times[side]?.push(ms);
    }
  }
  for (const session of sides.flat()) await session.close();
  const [base = [], adapted = []] = times;
  return {
    baseMs: rounded(median(base), 1),
    adaptedMs: rounded(median(adapted), 1),
    ratio: rounded(median(adapted.map((ms, index) => ms / (base[index] as number))), 3),
    ratioOfFastest: rounded(quantile(adapted, 0.1) / quantile(base, 0.1), 3),
  };
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

const { quantize } = await loadAddon();
const signal = new AbortController().signal;
const path = await syntheticModel({
  model,
  type,
  engine: 'native',
  cacheFolder: systemCacheFolder(),
  quantize,
  signal,
  onProgress: () => undefined,
});
await using backend = await openNativeBackend(path, { backend: 'cpu', threads, kernels: values.kernels });
const config = parseModelConfig(publishedConfig(model, 1), 'config.json');
for (const names of targets) {
  for (const count of values.adapters.split(',').map(Number)) {
    const adapters: Adapter[] = [];
    const loadTimes: number[] = [];
    for (let seed = 0; seed < count; seed += 1) {
      const weights = syntheticAdapter(config, { targets: names, rank, seed, strength: 0.01 });
      const [adapter, ms] = await timed(async () => backend.openAdapter?.(weights));
      adapters.push(adapter as Adapter);
      loadTimes.push(ms);
    }
    const times = await measure(backend, adapters);
    for (const adapter of adapters) await adapter.close();
    const { kernels } = backend.model.info;
    const loadMs = rounded(median(loadTimes), 0);
    const result = {
      model,
      type,
      kernels,
      threads,
      rank,
      targets: names.join(', '),
      adapters: count,
      loadMs,
      ...times,
    };
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
}
