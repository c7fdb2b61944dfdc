/** Loading from the page cache. ggml's CPU backend maps the file and packs nothing. */
import { readThrough } from '../../src/bench/page-cache.ts';
import { configure, fixed, inTurn, rivals, type Section } from './section.ts';

const rounds = 5;

export const loading: Section = async (settings) => {
  const names = rivals(settings);
  const rows: (readonly string[])[] = [];
  for (const model of settings.models) {
    const type = settings.types[0] ?? 'q8_0';
    const path = await settings.model(model, type);
    const bytes = await readThrough(path, settings.signal);
    const results = await inTurn(
      'loading',
      names.map((name) => configure(settings, path, name)),
      { ...settings, rounds },
    );
    for (const [index, { loadMs, peakRssMb }] of results.entries()) {
      rows.push([
        `${model} ${type}`,
        names[index] ?? '',
        fixed(loadMs / 1000, 2),
        fixed(bytes / 1e6 / loadMs, 1),
        `${fixed(peakRssMb, 0)} (${fixed(bytes / 1e6, 0)})`,
      ]);
    }
  }
  return [{ title: 'Loading', header: ['model', 'kernels', 'seconds', 'GB/s', 'peak MB (file)'], rows }];
};
