/** Opens a model again and again while another thread overwrites its file in place, and prints how often each outcome came. */
import { readFileSync, writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { compiledFolder } from '../runner/compiled.js';

const { openNativeBackend } = await import(`${compiledFolder}/src/engine/backends/native/native.js`);
const [original = '', path = '', kernels = '', count = '0'] = process.argv.slice(2);
writeFileSync(path, readFileSync(original));

/** As `cp` does: the file is empty at first, then grows. */
const overwriting = `
  const { closeSync, ftruncateSync, openSync, readFileSync, writeSync } = require('node:fs');
  const { workerData: { original, path } } = require('node:worker_threads');
  const bytes = readFileSync(original);
  for (let round = 0; ; round += 1) {
    const file = openSync(path, 'r+');
    ftruncateSync(file, round % 3 === 0 ? 0 : Math.trunc(bytes.length / (2 + round % 7)));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, round % 4);
    writeSync(file, bytes, 0, bytes.length, 0);
    closeSync(file);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, round % 11);
  }`;
const worker = new Worker(overwriting, { eval: true, workerData: { original, path } });

/** Whether it succeeds; throws for any failure but that of a file that has changed. */
async function succeeds(work) {
  try {
    await work();
    return true;
  } catch (error) {
    const { code, message } = error;
    if (code === 'MODEL_INVALID' && !message.includes('\n')) return false;
    throw error;
  }
}

const outcomes = { used: 0, refused: 0 };
for (let number = 0; number < Number(count); number += 1) {
  const isUsed = await succeeds(async () => {
    const backend = await openNativeBackend(path, { backend: 'cpu', threads: 1, kernels });
    try {
      // Reads the weights of the encoder.
      await backend.encode(new Float32Array(1_000));
    } finally {
      await backend[Symbol.asyncDispose]();
    }
  });
  outcomes[isUsed ? 'used' : 'refused'] += 1;
}
await worker.terminate();
process.stdout.write(JSON.stringify(outcomes));
