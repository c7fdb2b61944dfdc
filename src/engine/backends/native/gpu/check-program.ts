/** The process that tries a GPU library: reports its devices, then each as it is found to work or not. */
import process from 'node:process';
import { type PlainError, plainError } from '../../../../errors.ts';
import type { NativeDevice } from '../addon.ts';
import { loadNative } from '../load-addon.ts';

export interface CheckTask {
  readonly directories: readonly string[];
  /** Path of ggml's library for the backend. */
  readonly library: string;
  /** Names of devices that are known to work or not. */
  readonly known: readonly string[];
}

export type CheckEvent =
  | { readonly kind: 'devices'; readonly devices: readonly NativeDevice[] }
  /** `operation` is empty while the device is being opened. */
  | { readonly kind: 'checking'; readonly name: string; readonly operation: string }
  | { readonly kind: 'works'; readonly name: string }
  | { readonly kind: 'fails'; readonly name: string; readonly error: PlainError }
  | { readonly kind: 'unusable'; readonly error: PlainError }
  | { readonly kind: 'done' };

/** Resolves once the parent has it, as the next call may end this process. */
const report = (event: CheckEvent): Promise<void> => new Promise((resolve) => process.send?.(event, () => resolve()));

async function check({ directories, library, known }: CheckTask): Promise<void> {
  const { addon } = loadNative(directories);
  // A stack trace would hide the message of an abort.
  addon.setEnvironment('GGML_NO_BACKTRACE', '1');
  let devices: readonly NativeDevice[];
  try {
    devices = addon.loadDevices(library);
  } catch (thrown) {
    return report({ kind: 'unusable', error: plainError(thrown) });
  }
  await report({ kind: 'devices', devices });
  for (const { name } of devices) {
    if (known.includes(name)) continue;
    await report({ kind: 'checking', name, operation: '' });
    try {
      for (const [index, operation] of addon.openCheck(name).entries()) {
        await report({ kind: 'checking', name, operation });
        addon.runCheck(index);
      }
      await report({ kind: 'works', name });
    } catch (thrown) {
      await report({ kind: 'fails', name, error: plainError(thrown) });
    }
  }
  await report({ kind: 'done' });
}

process.once('message', async (task: CheckTask) => {
  await check(task);
  // At once: drivers may crash or wait while they are unloaded.
  process.kill(process.pid, 'SIGKILL');
});
