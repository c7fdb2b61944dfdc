/**
 * `npm run golden -- DIRECTORY`: compares the engine with recorded values of the official implementation, one line per
 * entry. Exits with 1 if an entry fails, with 2 for invalid options.
 */
import { parseArgs } from 'node:util';
import { weightTypes } from '../../export/gguf/tensor-types.ts';
import { modelPrecisions, precisions } from '../../export/onnx/precision.ts';
import { kernelNames } from '../../src/engine/backends/native/kernel-names.ts';
import { backendNames } from '../../src/engine/engine-options.ts';
import { runMain } from '../support/run-main.ts';
import { compareGolden, factorsFor } from './compare.ts';
import type { Check } from './comparison.ts';
import { compareLora } from './lora.ts';
import { compareGoldenOnnx } from './onnx/compare-onnx.ts';

const usage = `usage: npm run golden -- DIRECTORY [--type f32] [--backend cpu] [--model PATH] [--engine native] [--kernels NAME]
       [--threads N] [--lora ADAPTER [--weight 1]]

DIRECTORY holds checkpoint/, golden.safetensors, golden.json and the wave files they name.
--type     ${weightTypes.join(', ')};
           type of the exported matrices; other than f32, only lengths and finite values are judged
--backend  ${backendNames.join(', ')}; other than cpu, tolerances are wider
--kernels  ${kernelNames.join(', ')} or ggml; the best of this processor when left out
--engine   native, or onnx: the exported F32 files, with four times the tolerances
--model    compare this file instead of exporting checkpoint/
--lora     compare only the runs in this folder: lora/, golden.safetensors, golden.json
--weight   factor of the adapter, to see that others fail`;

const scientific = (value: number): string => value.toExponential(2).padStart(9);

function line({ name, verdict, difference, tolerance, note }: Check): string {
  const numbers = difference === undefined ? '' : `${scientific(difference)}  tolerance ${scientific(tolerance ?? 0)}`;
  return `${verdict.padEnd(7)} ${name.padEnd(36)} ${note ?? numbers}`.trimEnd();
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      engine: { type: 'string', default: 'native' },
      type: { type: 'string', default: 'f32' },
      backend: { type: 'string', default: 'cpu' },
      kernels: { type: 'string' },
      model: { type: 'string' },
      lora: { type: 'string' },
      weight: { type: 'string', default: '1' },
      // The models are tiny; more threads would mostly wait for each other.
      threads: { type: 'string', default: '1' },
    },
  });
  const [directory] = positionals;
  const { model, engine, kernels, lora } = values;
  const precision = precisions.find((name) => name === values.type.toLowerCase());
  const isKnown = engine === 'onnx' && precision !== undefined;
  const type = isKnown ? 'f32' : weightTypes.find((name) => name === values.type.toLowerCase());
  const backend = backendNames.find((name) => name === values.backend.toLowerCase());
  const threads = Number(values.threads);
  const isComplete = directory !== undefined && positionals.length === 1 && type !== undefined && backend !== undefined;
  const weight = Number(values.weight);
  const isValid = Number.isInteger(threads) && Number.isFinite(weight) && !(lora !== undefined && isKnown);
  if (!isComplete || (engine !== 'native' && engine !== 'onnx') || !isValid) {
    console.error(usage);
    process.exitCode = 2;
    return;
  }
  if (factorsFor({ type, backend, kernels }).runs !== 1) {
    console.log(
      `tolerances hold for f32 on cpu; with ${type} on ${backend} complete runs are only checked to be finite`,
    );
  }
  const common = {
    directory,
    threads,
    ...(model === undefined ? {} : { model }),
    report: (check: Check) => console.log(line(check)),
  };
  const comparison = isKnown
    ? await compareGoldenOnnx({ ...common, types: modelPrecisions[precision] })
    : lora === undefined
      ? await compareGolden({ ...common, type, backend, ...(kernels === undefined ? {} : { kernels }) })
      : await compareLora({
          ...common,
          type,
          backend,
          adapter: lora,
          weight,
          ...(kernels === undefined ? {} : { kernels }),
        });
  const absent = comparison.checks.filter(({ verdict }) => verdict === 'absent');
  if (absent.length > 0) console.log(`without counterpart: ${absent.map(({ name }) => name).join(', ')}`);
  const failed = comparison.failures.length;
  console.log(`${comparison.checks.length - absent.length - failed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

await runMain(main);
