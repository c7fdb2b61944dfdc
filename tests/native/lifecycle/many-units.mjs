/** Encodes more patches in one pass than a member of the team can count, and prints how far the last ones are from those of a short pass. */
import { openModel } from './addon.mjs';

const [path, threads] = process.argv.slice(2);
const model = await openModel(path, Number(threads));
const { patchSize, featureDim } = model.info;
const [count, few] = [65_536, 16];
const values = Float32Array.from({ length: count * patchSize * featureDim }, (_, at) => Math.sin(at * 1.7));
const encode = async (data) => (await model.probe('localEncoder', { patches: { data } }, { taps: 0 })).out.data;
const all = await encode(values);
const last = await encode(values.slice(-few * patchSize * featureDim));
const tail = all.subarray(all.length - last.length);
console.log(
  JSON.stringify({ values: last.length, difference: Math.max(...last.map((value, at) => Math.abs(value - tail[at]))) }),
);
await model.close();
