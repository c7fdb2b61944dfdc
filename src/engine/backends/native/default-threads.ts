import { fasterBy, readMachine } from '../../../processors/machine.ts';
import { chooseThreads, type ThreadCount } from '../../../processors/thread-count.ts';
import { installedAddon } from './load-addon.ts';

/** The number of CPU threads of every engine that is not given one. */
export function defaultThreads(): ThreadCount {
  const cores = process.platform === 'linux' ? [] : (installedAddon()?.cores() ?? []);
  // On Apple's processors, the system runs a thread on such a core by its quality of service, not because it is free.
  const efficientSpeed = process.platform === 'darwin' ? 0 : 1;
  return chooseThreads(
    readMachine(cores.map(({ efficient, allowed }) => ({ speed: efficient ? efficientSpeed : fasterBy, allowed }))),
  );
}
