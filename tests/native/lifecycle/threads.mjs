/** Opens a model while the system refuses threads, and again when it allows them. Prints the error codes. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { addon, openModel } from './addon.mjs';

const [path, kernels] = process.argv.slice(2);
await (await openModel(path, 1, kernels)).close();

// Each thread takes 8 MB of address space, so 511 don't fit. Process limits don't apply to root.
const size = Number(/VmSize:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
execFileSync('prlimit', ['--pid', String(process.pid), `--as=${size + (1 << 30)}:unlimited`]);

const results = [];
const attempt = async (action) =>
  results.push(
    await action().then(
      () => 'done',
      ({ code, message }) => `${code}: ${message}`,
    ),
  );
await attempt(() => openModel(path, 512, kernels));
await attempt(async () => addon.multiply('portable', 'f32', new Float32Array(32), 32, new Float32Array(32), 512));
await attempt(async () => (await openModel(path, 1, kernels)).close());
await attempt(async () => (await openModel(path, 2, kernels)).close());
console.log(JSON.stringify(results));
