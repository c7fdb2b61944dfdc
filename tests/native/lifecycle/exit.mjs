/** Exits after some milliseconds, whatever the model is computing. */
import { readFileSync } from 'node:fs';
import { openModel, openSession, speak } from './addon.mjs';

const [path, threads, milliseconds, how] = process.argv.slice(2);

const end = () => {
  // Threads have started, so the process exits during a step.
  if (/Threads:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1] < 2) throw new Error('no threads');
  if (how === 'exit') process.exit(7);
  throw new Error('ends here');
};
const model = await openModel(path, Number(threads));
const session = await openSession(model);
setTimeout(end, Number(milliseconds));
for (let step = 0; step < 200; step++) await speak(model, [session], step);
for (;;) await openSession(model, 200);
