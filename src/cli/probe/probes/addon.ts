import { cpus } from 'node:os';
import process from 'node:process';
import type { Addon, NativeRuntime } from '../../../engine/backends/native/addon.ts';
import { defaultThreads } from '../../../engine/backends/native/default-threads.ts';
import { kernelNames } from '../../../engine/backends/native/kernel-names.ts';
import { buildRemedy, type LoadedAddon, loadNative } from '../../../engine/backends/native/load-addon.ts';
import { explainThreads } from '../../../processors/thread-count.ts';
import { threadsOf } from '../../model/engine-environment.ts';
import { type Check, checkOfError } from '../check.ts';

/** Checks the addon and its CPU kernels. */
export async function probeAddon(): Promise<readonly Check[]> {
  let native: LoadedAddon;
  try {
    native = loadNative();
  } catch (error) {
    return [checkOfError('addon', 'failed', error), checkThreads()];
  }
  const { binary, runtime, addon } = native;
  const { ggmlVersion, whyOwnGgml, backends } = runtime;
  const engines = runtime.devices.map(({ engine, name }) => ({ engine, device: name }));
  const origin = binary.includes('prebuilds') ? 'prebuilt' : 'built here';
  return [
    {
      name: 'addon',
      status: 'ok',
      summary: `${origin}; ${describeEngines(runtime)}`,
      details: { binary, origin, ggmlVersion, ...(whyOwnGgml !== undefined && { whyOwnGgml }), backends, engines },
    },
    checkProcessor(native, kernelsOf(addon)),
    checkThreads(),
  ];
}

/** The engines with their devices in this process; those for GPUs have checks of their own. */
const describeEngines = ({ devices, ggmlVersion, whyOwnGgml }: NativeRuntime): string =>
  [...new Set(devices.map(({ engine }) => engine))]
    .map((engine) => {
      const names = devices.filter((device) => device.engine === engine).map(({ name }) => name);
      const version = engine === 'ggml' ? ` ${ggmlVersion}` : '';
      const origin =
        engine === 'ggml' && whyOwnGgml !== undefined
          ? `, from the addon itself, as its libraries did not load: ${whyOwnGgml}`
          : '';
      return `engine ${engine}${version} on ${names.join(', ')}${origin}`;
    })
    .join('; ');

/** Kernels for this processor; the engine uses the first. */
function kernelsOf(addon: Addon): readonly string[] {
  const block = new Float32Array(32).fill(1);
  const found = kernelNames.filter((name) => addon.multiply(name, 'q8_0', block, 32, block, 1));
  return [...found, 'ggml'];
}

function checkProcessor({ addon, runtime }: LoadedAddon, kernels: readonly string[]): Check {
  const model = cpus()[0]?.model ?? process.arch;
  const features = runtime.devices.find(({ type }) => type === 'cpu')?.features ?? [];
  return { ...checkKernels(model, kernels, addon.processorKernels()), details: { model, kernels, features } };
}

/**
 * @param kernels that the addon has for this processor, the best first
 * @param best those that fit this processor best, whether or not the addon has them; empty for ggml's
 */
export function checkKernels(model: string, kernels: readonly string[], best: string): Check {
  const [used] = kernels;
  // The portable kernels run only on request.
  const name =
    used === undefined || ['ggml', 'portable'].includes(used) ? 'kernels of the engine ggml' : `kernels ${used}`;
  const summary = `${model}, ${name}`;
  if (best === '' || kernels.includes(best)) return { name: 'processor', status: 'ok', summary };
  const problem = `${summary}; the faster ${best} are not compiled, as the addon was built for another processor`;
  return { name: 'processor', status: 'missing', summary: problem, remedy: buildRemedy() };
}

/** The default number of threads, and how it came about. */
function checkThreads(): Check {
  try {
    const count = defaultThreads();
    const given = threadsOf({ environment: process.env });
    const summary = explainThreads(count);
    if (given === undefined) return { name: 'threads', status: 'ok', summary, details: { ...count } };
    const threads = Math.min(given, count.logicalProcessors);
    const asked = threads < given ? `${threads}, as SVC_THREADS is ${given}` : `${given} from SVC_THREADS`;
    return { name: 'threads', status: 'ok', summary: `${asked}, otherwise ${summary}`, details: { ...count, threads } };
  } catch (error) {
    return checkOfError('threads', 'failed', error);
  }
}
