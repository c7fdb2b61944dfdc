import { join } from 'node:path';
import { exportOnnx } from '../../../export/onnx/export-onnx.ts';
import type { StagePrecisions } from '../../../export/onnx/precision.ts';
import { type OnnxBackend, openOnnxBackend } from '../../../src/engine/backends/onnx/open-onnx.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { compareSubject, type GoldenOptions } from '../compare.ts';
import { Comparison, finiteOnly, type ToleranceFactors } from '../comparison.ts';
import type { Subject } from '../subject.ts';
import { OnnxProbe } from './probe.ts';

export interface OnnxGoldenOptions extends Pick<GoldenOptions, 'directory' | 'model' | 'runs' | 'report' | 'threads'> {
  readonly types: StagePrecisions;
}

/** The order of sums differs from the official implementation. */
const otherRuntime: ToleranceFactors = { stages: 4, runs: 4, streamed: 4e-5 };

/** Runs `use` with a temporary ONNX export of the checkpoint. */
export async function withOnnx<T>(
  checkpoint: string,
  types: StagePrecisions,
  use: (directory: string) => Promise<T>,
): Promise<T> {
  await using output = await temporaryFolder();

  await exportOnnx({ checkpoint, output: output.path, types });
  return await use(output.path);
}

/** Compares the ONNX engine and the exported files with a complete golden folder. */
export async function compareGoldenOnnx(options: OnnxGoldenOptions): Promise<Comparison> {
  const { directory, model, types } = options;
  if (model !== undefined) return await compareFolder(model, options);
  return await withOnnx(join(directory, 'checkpoint'), types, (folder) => compareFolder(folder, options));
}

async function compareFolder(folder: string, options: OnnxGoldenOptions): Promise<Comparison> {
  const isExact = Object.values(options.types).every((type) => type === 'f32');
  const factors = isExact ? otherRuntime : finiteOnly;
  const comparison = new Comparison(options.directory, factors, options.report ?? (() => {}));
  return await withOnnxSubject(folder, options.threads, (subject) => compareSubject(subject, comparison, options));
}

/** Runs `use` with the exported files of a folder. */
export async function withOnnxSubject<Result>(
  folder: string,
  threads: number,
  use: (subject: Subject) => Promise<Result>,
): Promise<Result> {
  const backend = await openOnnxBackend(folder, { backend: 'cpu', threads });
  const probe = await OnnxProbe.open(folder);
  try {
    return await use(subjectOver(backend, probe));
  } finally {
    await probe.close();
    await backend[Symbol.asyncDispose]();
  }
}

const subjectOver = (backend: OnnxBackend, model: OnnxProbe): Subject => ({
  info: backend.info,
  model,
  encode: (samples) => backend.encode(samples),
  metadata: (key) => backend.metadata(key),
  open: (settings, signal) => backend.open(settings, signal),
  step: (batch) => backend.step(batch),
  decode: (batch) => backend.decode(batch),
  traceStep: (batch) => backend.traceStep(batch),
  [Symbol.asyncDispose]: async () => undefined,
});
