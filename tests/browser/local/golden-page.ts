/** What Chromium runs in `golden.test.ts`: complete runs with recorded noise, by the code of the local page. */
import { generate, type Utterance } from '../../../src/engine/generate.ts';
import { recordedNoise } from '../../../src/engine/noise.ts';
import { openBrowserBackend } from '../../../src/local/browser-backend.ts';
import { openModelFiles } from '../../../src/local/model-files.ts';
import { openWebRuntime, type WebDevice } from '../../../src/local/onnx-web.ts';

/** An utterance as JSON has it. */
export interface RecordedRun {
  readonly tokens: readonly number[];
  readonly audioMask: readonly number[];
  readonly features: readonly number[];
  readonly context: readonly number[];
  readonly numbers: Pick<
    Utterance,
    'contextPatches' | 'discardPatches' | 'maxPatches' | 'minLength' | 'cfg' | 'timesteps'
  >;
  readonly noise: readonly (readonly number[])[];
}

export interface RunResult {
  readonly device: string;
  readonly samples: readonly number[];
  readonly patches: number;
}

async function runGolden(address: string, device: WebDevice, run: RecordedRun): Promise<RunResult> {
  const runtime = await openWebRuntime(device, new URL('ort/', location.href).href);
  await using backend = await openBrowserBackend(await openModelFiles(new URL(address, location.href).href), runtime);
  const utterance: Utterance = {
    ...run.numbers,
    prefix: {
      tokens: Int32Array.from(run.tokens),
      audioMask: Uint8Array.from(run.audioMask),
      features: Float32Array.from(run.features),
    },
    context: Float32Array.from(run.context),
    noise: recordedNoise(run.noise.map((frame) => Float32Array.from(frame))),
  };
  const samples: number[] = [];
  let patches = 0;
  for await (const chunk of generate(backend, utterance)) {
    samples.push(...chunk.samples);
    patches += 1;
  }
  return { device: runtime.device, samples, patches };
}

Object.assign(globalThis, { runGolden });
