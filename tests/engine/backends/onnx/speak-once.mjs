/** Speaks two patches of an ONNX model, in the main thread or in one of its own; prints the environment of the process. */
import process from 'node:process';
import { isMainThread, Worker } from 'node:worker_threads';
import { compiledFolder } from '../../../runner/compiled.js';

const { openOnnxBackend } = await import(`${compiledFolder}/src/engine/backends/onnx/open-onnx.js`);
const [folder = '', place = ''] = process.argv.slice(2);

async function speak() {
  const backend = await openOnnxBackend(folder, { backend: 'cpu', threads: 1 });
  const prefix = { tokens: new Int32Array(4), audioMask: new Uint8Array(4), features: new Float32Array(0) };
  const session = await backend.open({ ...prefix, cfg: 2, timesteps: 2 });
  const noise = new Float32Array(backend.info.patchSize * backend.info.featureDim).fill(0.1);
  for (let step = 0; step < 2; step += 1) await backend.step([{ session, noise }]);
  await session.close();
  await backend[Symbol.asyncDispose]();
}

if (isMainThread && place === 'thread') {
  new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) });
} else {
  await speak();
  // Not of `process.env`, which is a copy in a thread.
  const { environmentVariables } = process.report.getReport();
  console.log(environmentVariables.ORT_DISABLE_TELEMETRY);
}
