/** Runs two models alone and then concurrently; prints the values that differ. */
import { openModel, openSession, speak } from './addon.mjs';

const [kernels, threads, steps, ...paths] = process.argv.slice(2);

async function run(path, seed) {
  const model = await openModel(path, Number(threads), kernels);
  const session = await openSession(model, 20 + seed);
  const values = [];
  for (let step = 0; step < Number(steps); step++) {
    const { patches, samples } = await speak(model, [session], seed + step);
    values.push(...patches[0], ...samples[0]);
  }
  await model.close();
  return values;
}

const alone = [];
for (const [seed, path] of paths.entries()) alone.push(await run(path, seed));
const together = await Promise.all(paths.map((path, seed) => run(path, seed)));
const differing = alone.map((values, at) => values.filter((value, i) => !Object.is(value, together[at][i])).length);
console.log(JSON.stringify({ values: alone.map(({ length }) => length), differing }));
