/** Sends requests for several models that do not fit into the memory limit together; counts losses, swaps and memory. */
import { readFile } from 'node:fs/promises';
import { median } from '../../src/bench/statistics.ts';
import { parseMemoryLimit } from '../../src/cli/options/served-model-options.ts';
import { startSvcServe } from '../svc-process.ts';
import { inFolder, speak } from './server-process.ts';

export interface MixedOptions {
  /** `NAME=PATH`. */
  readonly models: readonly string[];
  readonly memoryLimit: string;
  readonly threads: string;
  /** Length of an utterance. */
  readonly patches: number;
}

/** Clients that each send one request after another. */
const clients = 8;
const sampleMilliseconds = 50;
/** Factor by which the memory may exceed the limit. */
const tolerance = 1.15;

const inMegabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

export async function measureMixedModels(requests: number, options: MixedOptions): Promise<void> {
  const { models, memoryLimit, threads, patches } = options;
  const names = models.map((model) => model.slice(0, model.indexOf('=')));
  const given = [...models.flatMap((model) => ['--model', model]), '--memory-limit', memoryLimit];
  await inFolder(async (folder) => {
    const server = await startSvcServe([...given, '--threads', threads, '--voice-dir', folder, '--max-queue', '200']);
    const pid = server.child.pid as number;
    const before = await residentBytes(pid);
    const memory: number[] = [];
    const sampling = setInterval(() => {
      void residentBytes(pid).then(
        (bytes) => memory.push(bytes),
        () => undefined,
      );
    }, sampleMilliseconds);
    const seconds: number[] = [];
    const lost: string[] = [];
    let next = 0;
    const began = performance.now();
    const work = async (): Promise<void> => {
      while (next < requests) {
        const number = next;
        next += 1;
        // Neither alternating nor in runs.
        const model = names[Math.floor(((number * 0.618) % 1) * names.length)];
        const sent = performance.now();
        const body = { model, input: 'Hello there, how are you today?', response_format: 'pcm', seed: number };
        const response = await speak(server.url, { ...body, max_length: patches });
        const bytes = (await response.arrayBuffer()).byteLength;
        seconds.push((performance.now() - sent) / 1000);
        if (response.status !== 200 || bytes === 0) lost.push(`${number}: ${response.status}`);
      }
    };
    await Promise.all(Array.from({ length: clients }, work));
    const elapsed = (performance.now() - began) / 1000;
    clearInterval(sampling);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    const loads = [...metrics.matchAll(/^svc_model_loads_total\{model="([^"]+)",result="([^"]+)"\} (\d+)/gm)];
    for (const name of names) await fetch(`${server.url}/v1/models/${name}/unload`, { method: 'POST' });
    const after = await residentBytes(pid);
    await server.stop();
    const limit = parseMemoryLimit(memoryLimit);
    const peak = Math.max(...memory);
    console.log(
      `${requests} requests for ${names.join(' and ')} in ${elapsed.toFixed(0)} s; lost: ${lost.length} ${lost.join(' ')}`,
    );
    console.log(`median ${median(seconds).toFixed(1)} s, longest ${Math.max(...seconds).toFixed(1)} s`);
    console.log(`loads: ${loads.map(([, model, result, count]) => `${model} ${result} × ${count}`).join(', ')}`);
    console.log(
      `memory: before ${inMegabytes(before)}, peak ${inMegabytes(peak)} (${((100 * peak) / limit).toFixed(0)} % of the limit of ${inMegabytes(limit)}), all unloaded ${inMegabytes(after)}`,
    );
    if (lost.length > 0 || peak > tolerance * limit) process.exitCode = 1;
  });
}

/** Only on Linux. */
async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}
