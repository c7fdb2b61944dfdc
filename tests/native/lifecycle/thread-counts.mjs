/** Speaks with each number of threads; prints how many values differ from those of one thread. */
import { openModel, openSession, speak } from './addon.mjs';

const [path, kernels, ...counts] = process.argv.slice(2);

async function run(threads) {
  const model = await openModel(path, threads, kernels);
  const sessions = [await openSession(model, 40), await openSession(model, 70)];
  const values = [];
  for (let step = 0; step < 3; step++) {
    const { patches, samples } = await speak(model, sessions, step);
    values.push(...patches.flatMap((patch) => [...patch]), ...samples.flatMap((part) => [...part]));
  }
  await model.close();
  return values;
}

const alone = await run(1);
const differing = [];
for (const count of counts) {
  const values = await run(Number(count));
  differing.push(values.filter((value, i) => !Object.is(value, alone[i])).length);
}
console.log(JSON.stringify({ values: alone.length, differing }));
