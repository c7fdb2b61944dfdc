/**
 * Measures `svc serve`: `npm run bench:server`, the same with `-- --soak 2000` or `-- --crash 50`.
 *
 * `--model-path FILE` (the demo model when left out; the soak and the crashes want a tiny one), `--threads N` (1).
 */
import { parseArgs } from 'node:util';
import { crash } from './bench-server/crash.ts';
import { soak } from './bench-server/soak.ts';
import { measureSpeed } from './bench-server/speed.ts';

const { values } = parseArgs({
  options: {
    'model-path': { type: 'string' },
    threads: { type: 'string', default: '1' },
    soak: { type: 'string' },
    crash: { type: 'string' },
  },
});

const modelPath = values['model-path'];
const options = ['--threads', values.threads, ...(modelPath === undefined ? [] : ['--model-path', modelPath])];

if (values.soak !== undefined) {
  await soak(Number(values.soak), options);
} else if (values.crash !== undefined) {
  await crash(Number(values.crash), options);
} else {
  await measureSpeed({ threads: Number(values.threads), ...(modelPath === undefined ? {} : { modelPath }) }, options);
}
