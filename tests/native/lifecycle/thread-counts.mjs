/** Speaks with each number of threads; prints how many values differ from those of one thread, and phases. */
import { openModel, openSession, speak } from './addon.mjs';

const [path, kernels, ...counts] = process.argv.slice(2);

async function run(threads) {
  const model = await openModel(path, threads, kernels);
  const sessions = [await openSession(model, 40), await openSession(model, 70)];
  const values = [];
  const { phases: before } = model.stageTimes();
  for (let step = 0; step < 3; step++) {
    const { patches, samples } = await speak(model, sessions, step);
    values.push(...patches.flatMap((patch) => [...patch]), ...samples.flatMap((part) => [...part]));
  }
  const phases = model.stageTimes().phases - before;
  await model.close();
  return { values, phases };
}

const alone = await run(1);
const differing = [];
const phases = [alone.phases];
for (const count of counts) {
  const { values, phases: own } = await run(Number(count));
  differing.push(values.filter((value, i) => !Object.is(value, alone.values[i])).length);
  phases.push(own);
}
console.log(JSON.stringify({ values: alone.values.length, differing, phases }));
