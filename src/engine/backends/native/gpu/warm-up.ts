/** Runs the graphs of a model once, so that a device has their memory, and its kernels, before the first request. */
import { performance } from 'node:perf_hooks';
import { toSvcError } from '../../../../errors.ts';
import type { NativeModel } from '../addon.ts';
import type { MemoryGuard } from './device-memory.ts';

/** Positions of a few words, and of a long sentence with a recording before it. */
const [few, many] = [32, 512];
/** Of a request, as each number is recorded; and of graphs that don't depend on it. */
const [usualTimesteps, fewTimesteps] = [10, 2];
/** Latent frames that are encoded at once. */
const encodedFrames = 32;
/** Milliseconds for a few words, above which a device, such as a software driver, is too slow for more. */
const patience = 2_000;

/** @param sessions utterances that share a pass over the weights */
export async function warmUp(model: NativeModel, guard: MemoryGuard, sessions: number): Promise<void> {
  try {
    // The first time, a driver may compile kernels.
    await guard.measure(1, (count) => speak(model, count, few));
    const began = performance.now();
    await guard.measure(1, (count) => speak(model, count, few));
    if (performance.now() - began > patience) return;
    if (model.info.engine === 'cuda') await recordAll(model, guard, sessions);
    await guard.measure(sessions, (count) => speak(model, count, many));
    const encoding = await model.openEncoding(new Float32Array(encodedFrames * model.info.encodeHop));
    await model.encode(encoding);
    await model.closeEncoding(encoding);
    guard.refresh();
  } catch (thrown) {
    // A broken model is reported by the request that meets it.
    if (!['MODEL_INVALID', 'INVALID_REQUEST'].includes(toSvcError(thrown).code)) throw thrown;
  }
}

/** Our kernels are recorded for 1, 2, 4, … sessions, and for prefixes of 8, 16, … 256 positions. */
async function recordAll(model: NativeModel, guard: MemoryGuard, sessions: number): Promise<void> {
  for (let positions = 8; positions < many; positions *= 2)
    await guard.measure(1, (count) => speak(model, count, positions + 1));
  for (let most = 2; most < sessions; most *= 2) await guard.measure(most, (count) => speak(model, count, few));
}

/** Generates one patch of several utterances at once; returns what closes them. */
async function speak(model: NativeModel, sessions: number, positions: number): Promise<() => Promise<void>> {
  const { info } = model;
  const count = Math.max(1, Math.min(positions, Math.floor(info.maxLength / 2)));
  const timesteps = info.engine === 'cuda' ? usualTimesteps : fewTimesteps;
  const handles: number[] = [];
  const close = async (): Promise<void> => {
    for (const handle of handles) await model.closeSession(handle);
  };
  try {
    for (let index = 0; index < sessions; index += 1) {
      const session = await model.open({
        // Other tokens than those of any text, which are not worth remembering.
        tokens: new Int32Array(count).fill(Math.min(index, info.vocabSize - 1)),
        audioMask: new Uint8Array(count),
        features: new Float32Array(0),
        cfg: 2,
        timesteps,
      });
      handles.push(session);
      while (!(await model.prefill(session)));
    }
    const noise = handles.map(() => new Float32Array(info.patchSize * info.featureDim));
    const steps = await model.step(handles, noise, 'plain');
    const patches = steps.map(({ patch }) => patch);
    await model.decode(handles, patches);
    return close;
  } catch (thrown) {
    await close();
    throw thrown;
  }
}
