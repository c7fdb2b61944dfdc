/** Steps and prefills of long contexts. */
import { configure, firstModel, fixed, inTurn, rivals, type Section } from './section.ts';

export const contexts: Section = async (settings) => {
  const path = await firstModel(settings);
  const names = rivals(settings);
  const results = await inTurn(
    'contexts',
    names.map((name) => configure(settings, path, name)),
    { ...settings, rounds: 1 },
  );
  return [
    {
      title: `Contexts of ${results[0]?.shortPositions} and ${results[0]?.longPositions} positions`,
      header: ['kernels', 'short: step ms', 'long: step ms', 'over short', 'long: prefill s'],
      rows: results.map(({ shortStepMs, longStepMs, longPrefillMs }, index) => [
        names[index] ?? '',
        fixed(shortStepMs, 1),
        fixed(longStepMs, 1),
        fixed(longStepMs / shortStepMs, 2),
        fixed(longPrefillMs / 1000, 2),
      ]),
    },
  ];
};
