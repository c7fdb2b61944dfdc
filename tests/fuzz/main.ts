/**
 * `npm run fuzz -- TARGET`: corrupts valid files in thousands of ways and reads them in separate processes. Counts
 * crashes, hangs, excessive memory and unsuitable errors. Exits with 1 if there were any, with 2 for invalid options.
 */
import { mkdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { toSvcError } from '../../src/errors.ts';
import { runMain } from '../support/run-main.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Failure, runCampaign, usualLimits } from './campaign.ts';
import { createRoundRandom } from './random.ts';
import { loadTarget } from './target.ts';
import { moduleOf, targetNames } from './targets.ts';

const usage = `usage: npm run fuzz -- TARGET [--rounds N] [--seed N] [--first N]
       npm run fuzz -- TARGET --only ROUND [--seed N] --output FOLDER

TARGET    ${targetNames.join(', ')}
--rounds  number of broken files (default: 1000)
--seed    another seed breaks the files in other ways (default: 1)
--first   number of the first round (default: 1)
--only    repeat one round in this process, for a debugger
--output  folder for the files of that round; must not exist`;

/** Columns of the summary. */
const kinds: readonly Failure['kind'][] = ['crash', 'hang', 'memory', 'misreported'];

async function repeat(module: URL, source: string, seed: number, round: number, output: string): Promise<void> {
  const target = await loadTarget(module);
  const random = createRoundRandom(seed, round);
  await mkdir(output);
  console.log(await target.mutate(source, output, random));
  const begin = performance.now();
  const outcome = await target.run(output, random).then(
    () => 'used',
    (thrown: unknown) => {
      const { code, message } = toSvcError(thrown);
      return `${code}: ${message}`;
    },
  );
  console.log(`${outcome} (${Math.round(performance.now() - begin)} ms)`);
}

async function campaign(module: URL, source: string, seed: number, first: number, end: number): Promise<void> {
  const begin = performance.now();
  const onFailure = ({ kind, round, change, detail }: Failure): void =>
    console.log(`${kind} in round ${round} of seed ${seed} (${change}): ${detail}`);
  const options = { module, source, seed, first, end, limits: usualLimits, onFailure };
  const { rounds, used, refused, failures } = await runCampaign(options);
  const counts = kinds.map((kind) => `${failures.filter((failure) => failure.kind === kind).length} ${kind}`);
  const seconds = Math.round((performance.now() - begin) / 1000);
  console.log(`${rounds} rounds in ${seconds} s: ${used} used, ${refused} refused, ${counts.join(', ')}`);
  if (failures.length > 0) process.exitCode = 1;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '1000' },
      seed: { type: 'string', default: '1' },
      first: { type: 'string', default: '1' },
      only: { type: 'string' },
      output: { type: 'string' },
    },
  });
  const module = moduleOf(positionals[0]);
  const { only, output } = values;
  const [rounds = 0, seed = 0, first = 0, round = 0] = [values.rounds, values.seed, values.first, only ?? '1'].map(
    Number,
  );
  const isComplete = positionals.length === 1 && (only === undefined) === (output === undefined);
  if (module === undefined || !isComplete || ![rounds, seed, first, round].every((value) => Number.isInteger(value))) {
    console.error(usage);
    process.exitCode = 2;
    return;
  }
  await using source = await temporaryFolder();
  await (await loadTarget(module)).prepare(source.path);
  if (output !== undefined) await repeat(module, source.path, seed, round, output);
  else await campaign(module, source.path, seed, first, first + rounds);
}

await runMain(main);
