/** The process that tries the GPUs of a backend: reports its devices, then each as it is found to work or not. */
import process from 'node:process';
import { type PlainError, plainError } from '../../../../errors.ts';
import type { DeviceMemory, NativeCard, NativeDevice } from '../addon.ts';
import { loadNative } from '../load-addon.ts';
import { accessDevices, type DeviceAccess, withNeededModule } from './device-access.ts';
import type { GpuLibrary } from './libraries.ts';
import { checkStep } from './step-check.ts';

export interface CheckTask {
  readonly directories: readonly string[];
  readonly library: Pick<GpuLibrary, 'backend' | 'path'>;
  /** Names of devices that are known to work or not. */
  readonly known: readonly string[];
  /** Cards that are tried with the module alone that they need, and why. */
  readonly plain: ReadonlyMap<string, string>;
}

export type CheckEvent =
  | { readonly kind: 'devices'; readonly devices: readonly NativeDevice[] }
  /** `operation` is empty while the device is being opened. */
  | { readonly kind: 'checking'; readonly name: string; readonly operation: string }
  | { readonly kind: 'works'; readonly device: NativeDevice; readonly memory: DeviceMemory }
  /** The device is too old. */
  | { readonly kind: 'unsupported'; readonly name: string; readonly error: PlainError }
  | { readonly kind: 'fails'; readonly name: string; readonly error: PlainError }
  | { readonly kind: 'unusable'; readonly error: PlainError }
  | { readonly kind: 'done' };

/** Resolves once the parent has it, as the next call may end this process. */
const report = (event: CheckEvent): Promise<void> => new Promise((resolve) => process.send?.(event, () => resolve()));

async function check({ directories, library, known, plain }: CheckTask): Promise<void> {
  const { addon } = loadNative(directories);
  let access: DeviceAccess;
  try {
    access = accessDevices(addon, library);
  } catch (thrown) {
    return report({ kind: 'unusable', error: plainError(thrown) });
  }
  const { devices, engine } = access;
  await report({ kind: 'devices', devices });
  for (const found of devices) {
    const { name } = found;
    if (known.includes(name)) continue;
    const why = plain.get(name);
    const device = why === undefined ? found : withNeededModule(found as NativeCard, why);
    await report({ kind: 'checking', name, operation: '' });
    try {
      for (const [index, operation] of access.openCheck(device).entries()) {
        await report({ kind: 'checking', name, operation });
        access.runCheck(index);
      }
      if (engine === 'cuda') {
        await report({ kind: 'checking', name, operation: 'speech of the demo model' });
        await checkStep(addon, name, engine);
      }
      await report({ kind: 'works', device, memory: access.memory(name) });
    } catch (thrown) {
      const isTooOld = (device as NativeCard).modules?.length === 0;
      await report({ kind: isTooOld ? 'unsupported' : 'fails', name, error: plainError(thrown) });
    }
  }
  await report({ kind: 'done' });
}

process.once('message', async (task: CheckTask) => {
  await check(task);
  // At once: drivers may crash or wait while they are unloaded.
  process.kill(process.pid, 'SIGKILL');
});
