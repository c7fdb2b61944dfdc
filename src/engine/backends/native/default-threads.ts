import { fasterBy, readMachine } from '../../../processors/machine.ts';
import { chooseThreads, type ThreadCount } from '../../../processors/thread-count.ts';
import { installedAddon } from './load-addon.ts';

/** The number of CPU threads of every engine that is not given one. */
export function defaultThreads(): ThreadCount {
  const cores = process.platform === 'linux' ? [] : (installedAddon()?.cores() ?? []);
  return chooseThreads(
    readMachine(cores.map(({ efficient, allowed }) => ({ speed: efficient ? 1 : fasterBy, allowed }))),
  );
}
