/** onnxruntime: loading it, opening graphs on a device, and saying why a wanted device can't be had. */
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { messageOf, SvcError } from '../../../errors.ts';
import { loadOptional } from '../../../optional-package.ts';
import { findPackage } from '../../../package-root.ts';
import type { Graph } from './graph.ts';

export const onnxDevices = ['cpu', 'cuda', 'coreml', 'webgpu'] as const;
export type OnnxDevice = (typeof onnxDevices)[number];

/** `onnxruntime-node` exports these; its own types are missing where that optional package is. */
type Runtime = typeof import('onnxruntime-common');

const runtimePackage: string = 'onnxruntime-node';

export interface GraphOptions {
  readonly device: OnnxDevice;
  readonly threads: number;
}

let loading: Promise<Runtime> | undefined;

/** @throws SvcError BACKEND_UNAVAILABLE when the package has nothing for this machine */
export function loadRuntime(): Promise<Runtime> {
  loading ??= loadOptional<Runtime>('running ONNX models', () => import(runtimePackage)).catch((cause: unknown) => {
    loading = undefined;
    throw cause instanceof SvcError ? cause : new SvcError('BACKEND_UNAVAILABLE', describeFailure(cause), { cause });
  });
  return loading;
}

const describeFailure = (cause: unknown): string =>
  `${runtimePackage} does not load on ${process.platform}-${process.arch}: ${messageOf(cause)}; ` +
  '.gguf models do without it';

/** The script of onnxruntime that downloads its CUDA libraries. */
function cudaScript(): string {
  const { resolve } = createRequire(join(findPackage().root, 'package.json'));
  return join(dirname(resolve(`${runtimePackage}/package.json`)), 'script', 'install.js');
}

/** What a device needs of the machine. */
const requirements: Readonly<Record<Exclude<OnnxDevice, 'cpu'>, () => string>> = {
  cuda: () =>
    'an NVIDIA driver, CUDA 12 with cuDNN 9, and the CUDA libraries of onnxruntime on Linux x64 ' +
    `(download them with: ONNXRUNTIME_NODE_INSTALL=cuda12 node ${cudaScript()})`,
  coreml: () => 'macOS on Apple silicon',
  webgpu: () => 'a GPU with a driver for Vulkan, Metal or Direct3D 12',
};

/**
 * @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID, BACKEND_UNAVAILABLE, OUT_OF_MEMORY
 */
export async function openGraph(path: string, { device, threads }: GraphOptions): Promise<Graph> {
  if (!(await stat(path).catch(() => undefined))?.isFile()) {
    throw new SvcError('MODEL_NOT_FOUND', `expected ${basename(path)} for the ONNX model, received none: ${path}`);
  }
  const { InferenceSession, env } = await loadRuntime();
  // What goes wrong is thrown; the runtime would print it as well.
  env.logLevel = 'fatal';
  const session = await InferenceSession.create(path, {
    executionProviders: [device],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
    // Between two calls the threads of a session would spin and take the processor from the others.
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

const firstLine = (error: unknown): string => messageOf(error).split('\n')[0]?.slice(0, 300) ?? '';

function explainLoad(path: string, device: OnnxDevice, cause: unknown): SvcError {
  const message = firstLine(cause);
  if (isOutOfMemory(message)) return outOfMemory(path, cause);
  if (device !== 'cpu' && /ExecutionProvider|backend not found|adapter|webgpu|cuda|coreml/i.test(message)) {
    return new SvcError(
      'BACKEND_UNAVAILABLE',
      `expected a ${device} device for the backend, received none (${message}); it needs ${requirements[device]()}; ` +
        'or use --backend cpu',
      { cause },
    );
  }
  return new SvcError('MODEL_INVALID', `expected an ONNX graph for ${path}, received one that fails: ${message}`, {
    cause,
  });
}

const isOutOfMemory = (message: string): boolean => /bad_alloc|failed to allocate|out of memory/i.test(message);

const outOfMemory = (path: string, cause: unknown): SvcError =>
  new SvcError('OUT_OF_MEMORY', `expected enough memory for ${basename(path)}, received an allocation that failed`, {
    cause,
  });

function explainRun(path: string, device: OnnxDevice, cause: unknown): SvcError {
  const message = firstLine(cause);
  if (isOutOfMemory(message)) return outOfMemory(path, cause);
  // Its inputs were checked: on a processor nothing but the graph itself can fail, elsewhere a driver can too.
  return new SvcError(
    device === 'cpu' ? 'MODEL_INVALID' : 'INTERNAL',
    `expected ${basename(path)} to run, received: ${message}`,
    { cause },
  );
}
