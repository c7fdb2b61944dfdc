/** Types of the first model, and all models in the first type, each beside ggml's CPU backend and VoxCPM.cpp. */
import type { WeightType } from '../../export/gguf/tensor-types.ts';
import type { PublishedModel } from '../../src/bench/synthetic/published-configs.ts';
import { figures, figuresOf, peerFigures, report } from './figures.ts';
import { configure, isCompared, rivals, type Section, type Settings } from './section.ts';

/** Rows of one file: ours first, as the reference of the others. */
async function rowsOf(model: PublishedModel, type: WeightType, settings: Settings) {
  const path = await settings.model(model, type);
  const kernels = rivals(settings);
  const measured = await report(
    kernels.map((name) => configure(settings, path, name)),
    settings,
    isCompared(model) ? 'compare' : 'leave out',
  );
  const [first] = measured.configurations;
  return [
    ...measured.configurations.map((result, index) => [
      `${model} ${type}`,
      kernels[index] ?? '',
      ...figuresOf(result, first),
    ]),
    ...peerFigures(measured).map((cells) => [`${model} ${type}`, ...cells]),
  ];
}

const header = ['model', 'kernels', ...figures] as const;

export const types: Section = async (settings) => {
  const rows: (readonly string[])[] = [];
  for (const type of settings.types) rows.push(...(await rowsOf(settings.models[0] ?? '0.5b', type, settings)));
  return [{ title: 'Types', header, rows }];
};

export const models: Section = async (settings) => {
  const rows: (readonly string[])[] = [];
  for (const model of settings.models) rows.push(...(await rowsOf(model, settings.types[0] ?? 'q8_0', settings)));
  return [{ title: 'Models', header, rows }];
};
