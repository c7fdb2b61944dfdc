/** Utterances that share each pass over the weights. VoxCPM.cpp speaks one at a time. */
import { configure, firstModel, fixed, inTurn, rivals, type Section } from './section.ts';

const sizes = [1, 2, 4, 8];
/** Seconds of audio of a patch don't depend on the batch, so throughput is patches over time. */
const patchesPerSecond = (batch: number, msPerStep: number, vaeMs: number): number =>
  (batch * 1000) / (msPerStep + vaeMs * batch);

export const batch: Section = async (settings) => {
  const path = await firstModel(settings);
  const names = rivals(settings);
  const configurations = sizes.flatMap((size) => names.map((name) => configure(settings, path, name, { batch: size })));
  const results = await inTurn('steps', configurations, settings);
  const throughputs = results.map(({ msPerStep, vaeMsPerPatch }, index) =>
    patchesPerSecond(configurations[index]?.batch ?? 1, msPerStep, vaeMsPerPatch),
  );
  return [
    {
      title: 'Batches',
      header: ['utterances', 'kernels', 'step ms', 'VAE ms per patch', 'patches per second', 'over one utterance'],
      rows: configurations.map(({ batch: size, kernels }, index) => [
        String(size),
        kernels ?? '',
        fixed(results[index]?.msPerStep, 1),
        fixed(results[index]?.vaeMsPerPatch, 1),
        fixed(throughputs[index], 1),
        fixed((throughputs[index] ?? 0) / (throughputs[index % names.length] ?? 1), 2),
      ]),
    },
  ];
};
