/**
 * Runs `svc bench` for the models and types of docs/performance.md and prints the page's tables:
 *
 *   npm run measure-performance -- [--compare PATH/voxcpm_tts] [--models 0.5b,1.5,2] [--types q8_0,q4_k] [--rounds N] [--patches N]
 *
 * Compares with VoxCPM.cpp where it supports the model. Takes a minute per model, type and round on an idle machine.
 */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import type { BenchReport } from './bench.ts';

const { values } = parseArgs({
  options: {
    compare: { type: 'string' },
    models: { type: 'string', default: '0.5b,1.5,2' },
    types: { type: 'string', default: 'q8_0,q4_k' },
    rounds: { type: 'string', default: '3' },
    patches: { type: 'string', default: '48' },
    threads: { type: 'string', default: '2' },
  },
});

/** Not supported by VoxCPM.cpp. */
const notCompared = '2';

async function bench(model: string, type: string): Promise<BenchReport> {
  const { rounds, patches, threads, compare } = values;
  const options = [
    '--synthetic',
    model,
    '--type',
    type,
    '--rounds',
    rounds,
    '--patches',
    patches,
    '--threads',
    threads,
  ];
  const peer = compare === undefined || model === notCompared ? [] : ['--compare', compare];
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'src/cli/main.ts', 'bench', '--json', ...options, ...peer],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let printed = '';
  for await (const part of child.stdout) printed += String(part);
  return JSON.parse(printed.trim().split('\n').at(-1) ?? '') as BenchReport;
}

const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const fixed = (value: number | null | undefined, digits: number): string => value?.toFixed(digits) ?? '–';

const header = [
  row(
    '',
    'load s',
    'prefill tokens/s',
    'step ms',
    'flow',
    'LMs',
    'LocEnc',
    'over roofline',
    'VAE ms/patch',
    'encode 3 s, s',
  ),
  row('RTF model', 'RTF full', 'first audio ms', 'peak MB (file)', "VoxCPM.cpp's RTF full", 'ratio', 'others busy'),
];
const rows: string[] = [];
for (const model of values.models.split(',')) {
  for (const type of values.types.split(',')) {
    const report = await bench(model, type);
    const { stages, peer } = report;
    rows.push(
      `${row(
        `${model} ${type}`,
        fixed(report.loadMs / 1000, 2),
        fixed(report.prefillTokensPerSecond, 0),
        fixed(report.msPerStep, 1),
        fixed(stages.flow, 1),
        fixed(stages.languageModels, 1),
        fixed(stages.localEncoder, 1),
        fixed(report.rooflineRatio, 2),
        fixed(report.vaeMsPerPatch, 1),
        fixed(report.encodeMs / 1000, 2),
      )}${row(
        fixed(report.rtfModel, 3),
        fixed(report.rtfFull, 3),
        fixed(report.ttfaMs, 0),
        `${fixed(report.peakRssMb, 0)} (${fixed(report.modelMb, 0)})`,
        fixed(peer && (peer.encodeSeconds + peer.modelSeconds + peer.vaeSeconds) / peer.audioSeconds, 2),
        fixed(report.ratio, 2),
        fixed(Math.max(report.othersBusy, peer?.othersBusy ?? 0), 2),
      ).slice(1)}`,
    );
    console.error(rows.at(-1));
  }
}
console.log(`${header[0]}${header[1]?.slice(1)}`);
console.log(`|${'---|'.repeat(17)}`);
for (const line of rows) console.log(line);
