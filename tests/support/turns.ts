import { setImmediate } from 'node:timers/promises';

/** Lets the event loop turn, so that everything happens that waits for neither time nor another thread. */
export async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await setImmediate();
}
