/** Runs the largest graphs of a model once, so that a device's pools have grown before the first request. */
import { toSvcError } from '../../../../errors.ts';
import type { NativeModel } from '../addon.ts';
import type { MemoryGuard } from './device-memory.ts';

/** Positions of a long sentence with a recording before it. */
const positions = 512;
/** Latent frames that are encoded at once. */
const encodedFrames = 32;
/** The steps of flow matching are alike; one utterance has ten. */
const timesteps = 2;

/** @param sessions utterances that share a pass over the weights */
export async function warmUp(model: NativeModel, guard: MemoryGuard, sessions: number): Promise<void> {
  const { info } = model;
  const count = Math.max(1, Math.min(positions, Math.floor(info.maxLength / 2)));
  const patch = info.patchSize * info.featureDim;
  const handles: number[] = [];
  const speak = async (): Promise<void> => {
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
    const noise = handles.map(() => new Float32Array(patch));
    const steps = await model.step(handles, noise, 'plain');
    await model.decode(
      handles,
      steps.map((step) => step.patch),
    );
  };
  try {
    await guard.measure(sessions, speak);
    const encoding = await model.openEncoding(new Float32Array(encodedFrames * info.encodeHop));
    await model.encode(encoding);
    await model.closeEncoding(encoding);
  } catch (thrown) {
    // A broken model is reported by the request that meets it.
    if (!['MODEL_INVALID', 'INVALID_REQUEST'].includes(toSvcError(thrown).code)) throw thrown;
  } finally {
    for (const handle of handles) await model.closeSession(handle);
  }
}
