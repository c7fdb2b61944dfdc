/** Each instruction set of this processor, ggml's CPU backend and VoxCPM.cpp, on one model. */
import { figures, figuresOf, peerFigures, report } from './figures.ts';
import { configure, firstModel, fixed, type Section } from './section.ts';

export const kernels: Section = async (settings) => {
  const path = await firstModel(settings);
  const names = [...settings.kernels, 'ggml'] as const;
  const measured = await report(
    names.map((name) => configure(settings, path, name)),
    settings,
    'compare',
  );
  const [first] = measured.configurations;
  return [
    {
      title: `Instruction sets (${measured.model} ${measured.weightType}, ${fixed(measured.bandwidthGbPerSecond, 1)} GB/s)`,
      header: ['kernels', 'int8 peak GOP/s', ...figures],
      rows: [
        ...measured.configurations.map((result, index) => [
          names[index] ?? '',
          fixed(result.peakGops, 0),
          ...figuresOf(result, first),
        ]),
        ...peerFigures(measured).map(([name = '', ...cells]) => [name, '–', ...cells]),
      ],
    },
  ];
};
