/** Terminates worker threads during a step; prints the memory of the process after half and after all. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

const [path, rounds, where] = process.argv.slice(2);
// Otherwise the addon is unloaded and reloaded with each thread.
if (where === 'main too') await import('./addon.mjs');
const held = () => Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;

const program = `
  import('${new URL('addon.mjs', import.meta.url)}').then(async ({ openModel, openSession, speak }) => {
    const model = await openModel(${JSON.stringify(path)}, 2);
    const session = await openSession(model);
    require('node:worker_threads').parentPort.postMessage('computing');
    for (let step = 0; step < 200; step++) void speak(model, [session], step);
  });`;
let early = 0;
for (let round = 0; round < Number(rounds); round++) {
  const worker = new Worker(program, { eval: true });
  await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the thread ended by itself')));
  });
  await sleep(round % 12);
  await worker.terminate();
  if (round + 1 === Number(rounds) / 2) early = held();
}
console.log(JSON.stringify({ early, late: held() }));
if (where === 'main exits') {
  const worker = new Worker(program, { eval: true });
  worker.once('message', () => process.exit(7));
}
