/** onnxruntime in a browser: WebGPU where there is one, else WebAssembly. */
import type { InferenceSession } from 'onnxruntime-common';
import { simd as hasSimd, threads as hasThreads } from 'wasm-feature-detect';
import type { Graph, OnnxPlatform } from '../../engine/backends/onnx/graph.ts';
import { messageOf, SvcError } from '../../errors.ts';
import { yieldToEventLoop } from '../../event-loop.ts';

export type WebDevice = 'webgpu' | 'wasm';

/** Reads one file of a model, complete and verified. */
export type ReadBytes = (file: string) => Promise<Uint8Array<ArrayBuffer>>;

export interface WebRuntime {
  readonly kind: WebDevice;
  /** As shown to the user. */
  readonly device: string;
  openGraph(file: string, read: ReadBytes): Promise<Graph>;
  readonly Tensor: OnnxPlatform['Tensor'];
}

/** onnxruntime's own limit. */
const mostThreads = 4;

type Fallback = { readonly isFallbackAdapter?: boolean };

interface WorkerNavigator {
  readonly hardwareConcurrency?: number;
  readonly gpu?: { requestAdapter(): Promise<(Fallback & { readonly info?: Fallback }) | null> };
}

/** The kind of WebGPU adapter that this browser offers. */
async function graphics(): Promise<'hardware' | 'software' | 'none'> {
  const { gpu } = navigator as WorkerNavigator;
  const adapter = await gpu?.requestAdapter().catch(() => null);
  if (!adapter) return 'none';
  return (adapter.info?.isFallbackAdapter ?? adapter.isFallbackAdapter) ? 'software' : 'hardware';
}

/** `auto` is WebGPU where the browser has it in hardware. @param files folder of onnxruntime's files, ends with / */
export async function openWebRuntime(wanted: WebDevice | 'auto', files: string): Promise<WebRuntime> {
  if (typeof WebAssembly !== 'object' || !(await hasSimd()))
    throw new SvcError('BACKEND_UNAVAILABLE', 'this browser has no WebAssembly SIMD; use a version from 2023 or later');
  const found = wanted === 'wasm' ? 'none' : await graphics();
  if (wanted === 'webgpu' && found === 'none')
    throw new SvcError('BACKEND_UNAVAILABLE', 'this browser offers no WebGPU; choose WebAssembly');
  // WebAssembly is faster than a software adapter.
  const device = found === 'hardware' || wanted === 'webgpu' ? 'webgpu' : 'wasm';
  const { env, InferenceSession, Tensor } = await (device === 'webgpu'
    ? import('onnxruntime-web/webgpu')
    : import('onnxruntime-web/wasm'));
  const name = `ort-wasm-simd-threaded${device === 'webgpu' ? '.asyncify' : ''}`;
  env.wasm.wasmPaths = { mjs: `${files}${name}.mjs`, wasm: `${files}${name}.wasm` };
  env.wasm.numThreads = await threadCount();
  env.logLevel = 'fatal';
  return {
    kind: device,
    device: device === 'webgpu' ? 'WebGPU' : `WebAssembly, ${plural(env.wasm.numThreads, 'thread')}`,
    Tensor,
    async openGraph(file, read) {
      const data = `${file}.data`;
      const options: InferenceSession.SessionOptions = {
        executionProviders: [isAudio(file) ? 'wasm' : device],
        externalData: [{ path: data, data: await read(data) }],
        logSeverityLevel: 4,
      };
      const session = await InferenceSession.create(await read(file), options).catch((error: unknown) => {
        throw explain(`load ${file}`, error, device);
      });
      return {
        inputs: session.inputMetadata,
        outputs: session.outputMetadata,
        async run(feeds, names) {
          // WebAssembly computes in this thread: messages, such as a cancel, arrive between two graphs.
          await yieldToEventLoop();
          return session.run(feeds, names ?? session.outputNames).catch((error: unknown) => {
            throw explain(`run ${file}`, error, device);
          });
        },
        close: () => session.release(),
      };
    },
  };
}

/** onnxruntime 1.30's WebGPU aborts in the convolutions of the audio VAE: they run on the processor. */
const isAudio = (file: string): boolean => file.startsWith('vae_');

/** Threads need shared memory, which only cross-origin isolated pages have. */
async function threadCount(): Promise<number> {
  if (!globalThis.crossOriginIsolated || !(await hasThreads())) return 1;
  const cores = (navigator as WorkerNavigator).hardwareConcurrency ?? 1;
  return Math.max(1, Math.min(mostThreads, Math.ceil(cores / 2)));
}

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

function explain(action: string, cause: unknown, device: WebDevice): SvcError {
  // An uncaught C++ exception arrives as a number: out of memory, as a rule.
  const message = typeof cause === 'number' ? 'out of memory' : (messageOf(cause).split('\n')[0] ?? '').slice(0, 300);
  const isMemory = /bad_alloc|out of memory|failed to allocate|allocation failed/i.test(message);
  const remedy = device === 'webgpu' ? '; try WebAssembly' : '';
  return new SvcError(isMemory ? 'OUT_OF_MEMORY' : 'INTERNAL', `cannot ${action}: ${message}${remedy}`, { cause });
}
