/** The addon for test programs in separate processes, which start fast without a transpiler. */
import { createRequire } from 'node:module';

/** Set by `child.ts`. */
const { SVC_TEST_ADDON, SVC_TEST_LIBRARIES } = process.env;

export const addon = createRequire(import.meta.url)(SVC_TEST_ADDON);
addon.load(JSON.parse(SVC_TEST_LIBRARIES));

export async function openModel(path, threads = 1, kernels = '') {
  const model = await addon.openModel(path, 'CPU', threads, kernels);
  await model.load();
  return model;
}

/** A session with a prefix of `length` tokens. */
export async function openSession(model, length = 20) {
  const tokens = Int32Array.from({ length }, (_, at) => (at * 7 + length) % model.info.vocabSize);
  const session = await model.open({
    tokens,
    audioMask: new Uint8Array(length),
    features: new Float32Array(0),
    cfg: 2,
    timesteps: 10,
  });
  while (!(await model.prefill(session)));
  return session;
}

/** Values determined by the number. */
export const noiseOf = ({ info }, seed) =>
  Float32Array.from({ length: info.patchSize * info.featureDim }, (_, at) => Math.sin(seed * 31 + at * 1.7));

/** Generates a patch per session, with its audio. */
export async function speak(model, sessions, seed = 1) {
  const steps = await model.step(
    sessions,
    sessions.map((_, member) => noiseOf(model, seed + member)),
    'plain',
  );
  const patches = steps.map(({ patch }) => patch);
  return { patches, samples: await model.decode(sessions, patches) };
}
