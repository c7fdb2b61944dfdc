/**
 * Measures the ONNX engine against the fastest known configuration of onnxruntime, rebuilt from the same weights in the
 * same run: `npm run bench:onnx`. Prints JSON, explained in docs/onnx.md.
 *
 * `--model-path DIR` (a checkpoint; by default synthetic weights of VoxCPM-0.5B's size), `--types f32,q8,q4`,
 * `--threads N` (2), `--steps N` (60 per side), `--work DIR` (kept, so that a second run exports nothing).
 */
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { exportOnnx } from '../../export/onnx/export-onnx.ts';
import { parsePrecisions } from '../../export/onnx/precision.ts';
import { writeRebuilt } from './rebuilt-model.ts';
import type { Probe, Speeds, Task } from './tasks.ts';

const { values } = parseArgs({
  options: {
    'model-path': { type: 'string' },
    types: { type: 'string', default: 'f32,f16,q8,int8,q4' },
    threads: { type: 'string', default: '2' },
    steps: { type: 'string', default: '60' },
    work: { type: 'string' },
  },
});
const timesteps = 10;
const threads = Number(values.threads);
const work = values.work ?? (await mkdtemp(join(tmpdir(), 'svc-bench-onnx-')));
await mkdir(work, { recursive: true });

/** Runs a task in its own process, so that peak memory and sessions are independent. */
function run<Result>(task: Task): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = fork(new URL('./tasks.ts', import.meta.url));
    let result: Result | undefined;
    child.on('message', (message) => (result = message as Result));
    child.on('error', reject);
    child.on('exit', (code) => {
      if (result === undefined) reject(new Error(`${task.kind} exited with code ${code} and no result`));
      else resolve(result);
    });
    child.send(task);
  });
}

async function folderMegabytes(folder: string, names: RegExp): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder)) if (names.test(name)) bytes += (await stat(join(folder, name))).size;
  return Math.round(bytes / 1e6);
}

async function checkpointFolder(): Promise<string> {
  if (values['model-path'] !== undefined) return values['model-path'];
  const folder = join(work, 'checkpoint');
  if (!existsSync(join(folder, 'config.json'))) {
    const script = new URL('../synthesize-checkpoint.ts', import.meta.url);
    await new Promise<void>((resolve, reject) => {
      const child = fork(script, ['--model', '0.5b', '--output', folder]);
      child.on('error', reject);
      child.on('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`synthesize-checkpoint exited with code ${code}`)),
      );
    });
  }
  return folder;
}

/** Root mean square of the difference, relative to that of the reference. */
function relativeError(actual: readonly number[], reference: readonly number[]): number {
  let difference = 0;
  let power = 0;
  for (const [index, value] of reference.entries()) {
    difference += ((actual[index] as number) - value) ** 2;
    power += value ** 2;
  }
  return Number(Math.sqrt(difference / power).toPrecision(2));
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

async function measure(checkpoint: string, type: string, reference: Probe | undefined) {
  const types = parsePrecisions(type);
  const ours = join(work, `ours-${type}`);
  const rebuilt = join(work, `rebuilt-${type}`);
  process.stderr.write(`${type}: writing files\n`);
  if (!existsSync(join(ours, 'svc-onnx.json'))) await exportOnnx({ checkpoint, output: ours, types });
  await writeRebuilt(checkpoint, rebuilt, types, timesteps);
  const settings = { ours, rebuilt, checkpoint, threads, timesteps, steps: Number(values.steps) };
  process.stderr.write(`${type}: measuring\n`);
  const load = loadavg().map(rounded);
  const probe = await run<Probe>({ kind: 'probe ours', ...settings });
  const alone = await run<Probe>({ kind: 'probe rebuilt', ...settings });
  const speeds = await run<Speeds>({ kind: 'speeds', ...settings });
  const stepFiles = /^(language_models|flow|schedule|lm_step|dit)\.onnx/;
  const result = {
    type,
    ratio: rounded(speeds.ours.median / speeds.rebuilt.median),
    processorTimeRatio: rounded(speeds.ours.processorTime / speeds.rebuilt.processorTime),
    ours: {
      ...speeds.ours,
      megabytes: await folderMegabytes(ours, stepFiles),
      megabytesWithVae: await folderMegabytes(ours, /\.onnx/),
      peakMegabytes: probe.peakMegabytes,
    },
    rebuilt: {
      ...speeds.rebuilt,
      megabytes: await folderMegabytes(rebuilt, stepFiles),
      peakMegabytes: alone.peakMegabytes,
    },
    /** Difference of the first patch; both sides compute the same model. */
    differenceOfSides: relativeError(probe.patch, alone.patch),
    errorAgainstF32: reference && {
      patch: relativeError(probe.patch, reference.patch),
      hidden: relativeError(probe.hidden, reference.hidden),
    },
    load,
  };
  if (values.work === undefined) await rm(ours, { recursive: true });
  await rm(rebuilt, { recursive: true });
  return { result, probe };
}

try {
  const checkpoint = await checkpointFolder();
  let reference: Probe | undefined;
  const results: unknown[] = [];
  for (const type of values.types.split(',')) {
    const { result, probe } = await measure(checkpoint, type, reference);
    if (type === 'f32') reference = probe;
    results.push(result);
  }
  const machine = { processor: cpus()[0]?.model.trim(), processors: cpus().length, node: process.version };
  process.stdout.write(`${JSON.stringify({ machine, checkpoint, threads, timesteps, results }, null, 2)}\n`);
} finally {
  if (values.work === undefined) await rm(work, { recursive: true, force: true });
}
