/** Loads onnxruntime, opens graphs on a device, and explains why a requested device is unavailable. */
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { messageOf, SvcError } from '../../../errors.ts';
import { hasMusl } from '../../../package/c-library.ts';
import { loadOptional } from '../../../package/optional-package.ts';
import { findPackage } from '../../../package/package-root.ts';
import type { Graph } from './graph.ts';
import { disableTelemetry } from './telemetry.ts';

export const onnxDevices = ['cpu', 'cuda', 'coreml', 'webgpu'] as const;
export type OnnxDevice = (typeof onnxDevices)[number];

/** The exports of `onnxruntime-node`; its types are missing when this optional package is not installed. */
type Runtime = typeof import('onnxruntime-common');

const runtimePackage: string = 'onnxruntime-node';

export interface GraphOptions {
  readonly device: OnnxDevice;
  readonly threads: number;
}

let loading: Promise<Runtime> | undefined;

/**
 * The only place that loads onnxruntime, without its telemetry.
 *
 * @throws SvcError BACKEND_UNAVAILABLE if the package is missing or does not support this machine
 */
export async function loadRuntime(): Promise<Runtime> {
  if (hasMusl()) {
    const remedy = 'use a .gguf model, or a system with glibc';
    throw new SvcError('BACKEND_UNAVAILABLE', 'ONNX models need onnxruntime, which does not run on musl', { remedy });
  }
  // Each time: the library reads the setting with the first graph, not as it is loaded.
  disableTelemetry();
  loading ??= loadOptional<Runtime>('running ONNX models', () => import(runtimePackage)).catch((cause: unknown) => {
    loading = undefined;
    if (cause instanceof SvcError) throw cause;
    const problem = `${runtimePackage} does not load on ${process.platform}-${process.arch}: ${messageOf(cause)}`;
    throw new SvcError('BACKEND_UNAVAILABLE', problem, { cause, remedy: '.gguf models do not need it' });
  });
  return loading;
}

/** The script of onnxruntime that downloads its CUDA libraries. */
function cudaScript(): string {
  const { resolve } = createRequire(join(findPackage().root, 'package.json'));
  return join(dirname(resolve(`${runtimePackage}/package.json`)), 'script', 'install.js');
}

/** Requirements of each device. */
const requirements: Readonly<Record<Exclude<OnnxDevice, 'cpu'>, () => string>> = {
  cuda: () =>
    'an NVIDIA driver, Linux x64, and the CUDA libraries of onnxruntime: for CUDA 13 with cuDNN 9, libonnxruntime.so.1 and ' +
    'libonnxruntime_providers_{cuda,shared}.so of the package onnxruntime-gpu of PyPI, as docs/onnx.md says; for CUDA 12, ' +
    `those of ONNXRUNTIME_NODE_INSTALL=cuda12 node ${cudaScript()}; .gguf models are faster there`,
  coreml: () => 'macOS on Apple silicon',
  webgpu: () => 'a GPU with a driver for Vulkan, Metal or Direct3D 12',
};

/** @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID, BACKEND_UNAVAILABLE, OUT_OF_MEMORY */
export async function openGraph(path: string, { device, threads }: GraphOptions): Promise<Graph> {
  if (!(await stat(path).catch(() => undefined))?.isFile()) {
    throw new SvcError('MODEL_NOT_FOUND', `${basename(path)} is missing from the ONNX model ${dirname(path)}`);
  }
  const { InferenceSession, env } = await loadRuntime();
  // Errors are thrown; the runtime would print them too.
  env.logLevel = 'fatal';
  const session = await InferenceSession.create(path, {
    executionProviders: [device],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
    // Between calls, the threads of a session would spin and take the processor from others.
    extra: { session: { force_spinning_stop: '1' } },
  }).catch((error: unknown) => {
    throw explainLoad(path, device, error);
  });
  return {
    inputs: session.inputMetadata,
    outputs: session.outputMetadata,
    async run(feeds, names) {
      try {
        return await session.run(feeds, names ?? session.outputNames);
      } catch (error) {
        throw explainRun(path, device, error);
      }
    },
    close: () => session.release(),
  };
}

/** The file and function of onnxruntime that failed, and the condition that it checks. */
const sourcePlace =
  /(?<!\S)\S{1,300}\.(?:cc|cpp|h|cu):\d+ (?:[^()]{1,200}\([^()]{0,200}\)(?:::<lambda\(\)>)? )?(?:.{0,300}? was false\. )?/g;

const firstLine = (error: unknown): string =>
  messageOf(error).split('\n')[0]?.slice(0, 2000).replace(sourcePlace, '').slice(0, 300) ?? '';

function explainLoad(path: string, device: OnnxDevice, cause: unknown): SvcError {
  const message = firstLine(cause);
  if (isOutOfMemory(message)) return outOfMemory(path, cause);
  if (device !== 'cpu' && /ExecutionProvider|backend not found|adapter|webgpu|cuda|coreml/i.test(message)) {
    return new SvcError('BACKEND_UNAVAILABLE', `cannot use backend ${device} (${message})`, {
      cause,
      remedy: `it needs ${requirements[device]()}; or use --backend cpu`,
    });
  }
  return new SvcError('MODEL_INVALID', `cannot load the ONNX graph ${path}: ${message}`, { cause });
}

const isOutOfMemory = (message: string): boolean => /bad_alloc|failed to allocate|out of memory/i.test(message);

const outOfMemory = (path: string, cause: unknown): SvcError =>
  new SvcError('OUT_OF_MEMORY', `not enough memory for ${basename(path)}`, { cause });

function explainRun(path: string, device: OnnxDevice, cause: unknown): SvcError {
  const message = firstLine(cause);
  if (isOutOfMemory(message)) return outOfMemory(path, cause);
  // The inputs were checked: on the CPU only the graph itself can fail, elsewhere also a driver.
  return new SvcError(device === 'cpu' ? 'MODEL_INVALID' : 'INTERNAL', `${basename(path)} failed: ${message}`, {
    cause,
  });
}
