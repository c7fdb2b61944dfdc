/**
 * Measures `svc serve`: `npm run bench:server`, the same with `-- --soak 2000` or `-- --crash 50`.
 *
 * `--model-path FILE` (the demo model when left out; the soak and the crashes want a tiny one), `--threads N` (1),
 * `--rounds N` (15) for each format, of utterances of `--patches N` (12).
 */
import { parseArgs } from 'node:util';
import { crash } from './bench-server/crash.ts';
import { soak } from './bench-server/soak.ts';
import { measureSpeed } from './bench-server/speed.ts';

const { values } = parseArgs({
  options: {
    'model-path': { type: 'string' },
    threads: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '15' },
    patches: { type: 'string', default: '12' },
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
  const engine = { threads: Number(values.threads), ...(modelPath === undefined ? {} : { modelPath }) };
  await measureSpeed(engine, options, { rounds: Number(values.rounds), patches: Number(values.patches) });
}
