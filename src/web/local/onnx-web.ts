/** onnxruntime in a browser: WebGPU where there is one, else WebAssembly. */
import type { InferenceSession } from 'onnxruntime-common';
import { simd as hasSimd, threads as hasThreads } from 'wasm-feature-detect';
import type { Graph, OnnxPlatform } from '../../engine/backends/onnx/graph.ts';
import { messageOf, SvcError } from '../../errors.ts';
import { nextTurn } from '../../next-turn.ts';

export type WebDevice = 'webgpu' | 'wasm';

/** Bytes of one file of a model, whole and checked. */
export type ReadBytes = (file: string) => Promise<Uint8Array<ArrayBuffer>>;

export interface WebRuntime {
  readonly kind: WebDevice;
  /** What is shown to the user. */
  readonly device: string;
  openGraph(file: string, read: ReadBytes): Promise<Graph>;
  readonly Tensor: OnnxPlatform['Tensor'];
}

/** Threads that onnxruntime gains from: its own rule. */
const mostThreads = 4;

interface Adapter {
  readonly info?: { readonly isFallbackAdapter?: boolean };
  readonly isFallbackAdapter?: boolean;
}

interface WorkerNavigator {
  readonly hardwareConcurrency?: number;
  readonly gpu?: { requestAdapter(): Promise<Adapter | null> };
}

/** What this browser gives to pages as a graphics processor: one, one that the processor plays, or none. */
async function graphics(): Promise<'hardware' | 'software' | 'none'> {
  const { gpu } = navigator as WorkerNavigator;
  const adapter = await gpu?.requestAdapter().catch(() => null);
  if (!adapter) return 'none';
  return (adapter.info?.isFallbackAdapter ?? adapter.isFallbackAdapter) ? 'software' : 'hardware';
}

/**
 * @param wanted `auto` is WebGPU where the browser has it in hardware
 * @param files folder of onnxruntime's own files, with a slash at the end
 * @throws SvcError BACKEND_UNAVAILABLE
 */
export async function openWebRuntime(wanted: WebDevice | 'auto', files: string): Promise<WebRuntime> {
  if (typeof WebAssembly !== 'object' || !(await hasSimd())) {
    throw new SvcError(
      'BACKEND_UNAVAILABLE',
      'expected a browser with WebAssembly SIMD (any of 2023 on), received one without',
    );
  }
  const found = wanted === 'wasm' ? 'none' : await graphics();
  if (wanted === 'webgpu' && found === 'none') {
    throw new SvcError(
      'BACKEND_UNAVAILABLE',
      'expected a browser that gives pages a graphics processor (WebGPU), received none; choose WebAssembly',
    );
  }
  // WebAssembly is faster than a graphics processor of software, which is for those who ask for it.
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
        throw explain(`${file} to load`, error, device);
      });
      return {
        inputs: session.inputMetadata,
        outputs: session.outputMetadata,
        async run(feeds, names) {
          // WebAssembly computes in this thread: between two graphs it hears that the user has cancelled.
          await nextTurn();
          return session.run(feeds, names ?? session.outputNames).catch((error: unknown) => {
            throw explain(`${file} to run`, error, device);
          });
        },
        close: () => session.release(),
      };
    },
  };
}

/**
 * onnxruntime 1.30's WebGPU aborts in the convolutions of the audio VAE, which are a small part of the work: they run on
 * the processor there.
 */
const isAudio = (file: string): boolean => file.startsWith('vae_');

/** Threads need shared memory, which browsers give to isolated pages only. */
async function threadCount(): Promise<number> {
  if (!globalThis.crossOriginIsolated || !(await hasThreads())) return 1;
  const cores = (navigator as WorkerNavigator).hardwareConcurrency ?? 1;
  return Math.max(1, Math.min(mostThreads, Math.ceil(cores / 2)));
}

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

function explain(expected: string, cause: unknown, device: WebDevice): SvcError {
  // WebAssembly throws numbers for C++ exceptions that nobody caught: out of memory, as a rule.
  const message = typeof cause === 'number' ? 'out of memory' : (messageOf(cause).split('\n')[0] ?? '').slice(0, 300);
  const isMemory = /bad_alloc|out of memory|failed to allocate|allocation failed/i.test(message);
  const remedy = device === 'webgpu' ? '; WebAssembly may do' : '';
  return new SvcError(isMemory ? 'OUT_OF_MEMORY' : 'INTERNAL', `expected ${expected}, received: ${message}${remedy}`, {
    cause,
  });
}
