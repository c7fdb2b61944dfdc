/** Runs two ONNX models until the process ends during a run: by `exit` or by an exception. */
import { compiledFolder } from '../../../runner/compiled.js';

const { openOnnxBackend } = await import(`${compiledFolder}/src/engine/backends/onnx/open-onnx.js`);
const [folder, milliseconds, how] = process.argv.slice(2);

async function speak() {
  const backend = await openOnnxBackend(folder, { backend: 'cpu', threads: 1 });
  const prefix = { tokens: new Int32Array(20), audioMask: new Uint8Array(20), features: new Float32Array(0) };
  const session = await backend.open({ ...prefix, cfg: 2, timesteps: 10 });
  const noise = new Float32Array(backend.info.patchSize * backend.info.featureDim).fill(0.1);
  for (let step = 0; step < 50; step += 1) await backend.step([{ session, noise }]);
  await session.close();
}

setTimeout(() => {
  if (how === 'exit') process.exit(7);
  throw new Error('ends here');
}, Number(milliseconds));
for (;;) await Promise.all([speak(), speak()]);
