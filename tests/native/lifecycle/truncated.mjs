/** Cuts the file of a model under a prefix that is still being read, and under speech. Prints the code of the refusal. */
import { truncateSync } from 'node:fs';
import { openModel, openSession, speak } from './addon.mjs';

const [path, kernels] = process.argv.slice(2);
const model = await openModel(path, 1, kernels);
const speaking = await openSession(model);
const tokens = Int32Array.from({ length: 20 }, (_, at) => model.info.vocabSize - 1 - at);
const reading = await model.open({
  tokens,
  audioMask: new Uint8Array(20),
  features: new Float32Array(0),
  cfg: 2,
  timesteps: 10,
});
truncateSync(path, 100);
const code = await model.prefill(reading).then(
  () => 'none',
  (error) => error.code,
);
const { samples } = await speak(model, [speaking]);
console.log(JSON.stringify({ code, finite: samples[0].every(Number.isFinite) }));
await model.close();
