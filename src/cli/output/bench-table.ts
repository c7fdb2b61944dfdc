/** The report of `svc bench` as a table. */
import type { BenchReport, BenchResult } from '../../bench/bench.ts';
import type { CardFigures } from '../../bench/configuration.ts';

type Row = readonly [name: string, ...cells: string[]];

const fixed = (value: number | null | undefined, digits: number): string =>
  value === null || value === undefined || !Number.isFinite(value) ? '-' : value.toFixed(digits);

/** Whether the speed of the processor bounds none of them. */
const isOnCard = (results: readonly BenchResult[]): boolean => results.every(({ card }) => card !== undefined);

/** One column per configuration. */
function rowsOf(results: readonly BenchResult[]): readonly Row[] {
  const ofProcessor = (...rows: readonly Row[]): readonly Row[] => (isOnCard(results) ? [] : rows);
  const row = (name: string, cell: (result: BenchResult) => string): Row => [name, ...results.map(cell)];
  return [
    row('engine', ({ engine }) => engine),
    ...(results.some(({ kernels }) => kernels) ? [row('kernels', ({ kernels = '-' }) => kernels)] : []),
    row('threads', ({ threads }) => String(threads)),
    row('batch', ({ batch }) => String(batch)),
    row('load, ms', ({ loadMs }) => fixed(loadMs, 0)),
    row('prefill, tokens/s', ({ prefillTokensPerSecond }) => fixed(prefillTokensPerSecond, 0)),
    row('  of 27, of 64', (result) =>
      [result.prefillTokensPerSecond27, result.prefillTokensPerSecond64].map((speed) => fixed(speed, 0)).join(', '),
    ),
    ...ofProcessor(
      row('  of the int8 peak', ({ prefillOfPeak }) => fixed(prefillOfPeak, 2)),
      row('  of 27, of 64', ({ prefillOfPeak27, prefillOfPeak64 }) =>
        [prefillOfPeak27, prefillOfPeak64].map((part) => fixed(part, 2)).join(', '),
      ),
    ),
    row('step, ms', ({ msPerStep }) => fixed(msPerStep, 1)),
    row('  10 % to 90 %', ({ msPerStepP10, msPerStepP90 }) => `${fixed(msPerStepP10, 1)}-${fixed(msPerStepP90, 1)}`),
    row('  flow matching', ({ stages }) => fixed(stages.flow, 1)),
    row('  language models', ({ stages }) => fixed(stages.languageModels, 1)),
    row('  local encoder', ({ stages }) => fixed(stages.localEncoder, 1)),
    row('  other', ({ stages }) => fixed(stages.other, 1)),
    ...ofProcessor(
      row('  over roofline', ({ rooflineRatio }) => fixed(rooflineRatio, 2)),
      row('  phases', ({ phases }) => fixed(phases, 0)),
      row('int8 peak, GOP/s', ({ peakGops }) => fixed(peakGops, 0)),
    ),
    ...(results.some(({ card }) => card) ? cardRows(results) : []),
    row('VAE, ms a patch', ({ vaeMsPerPatch }) => fixed(vaeMsPerPatch, 2)),
    row('  end over start', ({ vaeGrowth }) => fixed(vaeGrowth, 2)),
    row('encode 3 s, ms', ({ encodeMs }) => fixed(encodeMs, 0)),
    row('RTF, model only', ({ rtfModel }) => fixed(rtfModel, 3)),
    row('RTF, with VAE', ({ rtfWithoutEncode }) => fixed(rtfWithoutEncode, 3)),
    row('RTF, full', ({ rtfFull }) => fixed(rtfFull, 3)),
    row('first audio, ms', ({ ttfaMs }) => fixed(ttfaMs, 0)),
    row('peak memory, MB', ({ peakRssMb }) => fixed(peakRssMb, 0)),
    row('  with encoder', ({ peakRssAllMb }) => fixed(peakRssAllMb, 0)),
    row('others busy, CPUs', ({ othersBusy }) => fixed(othersBusy, 2)),
  ];
}

/** Of the card, and of what a step takes on it at least. */
function cardRows(results: readonly BenchResult[]): readonly Row[] {
  const row = (name: string, cell: (card: CardFigures) => string): Row => [
    name,
    ...results.map(({ card }) => (card === undefined ? '-' : cell(card))),
  ];
  return [
    row('launches a step', ({ launches }) => fixed(launches, 0)),
    row('MB a step', ({ stepMb }) => fixed(stepMb, 1)),
    row('  over its weights', ({ stepMb, weightMb }) => fixed(stepMb / weightMb, 2)),
    row('  of the bandwidth', ({ ofBandwidth }) => fixed(ofBandwidth, 2)),
    row('  of the arithmetic', ({ ofArithmetic }) => fixed(ofArithmetic, 2)),
    row('card memory, MB', ({ usedMb }) => fixed(usedMb, 0)),
    row('  of', ({ totalMb }) => fixed(totalMb, 0)),
    row('room for streams', ({ room }) => fixed(room, 0)),
  ];
}

function aligned(rows: readonly Row[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: Row): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return rows.map((row) => `${line(row)}\n`).join('');
}

export function benchTable(report: BenchReport): string {
  const { model, weightType, device, modelMb, patches, timesteps, rounds, machine, contention, start, peer, ratio } =
    report;
  const lines = [
    `${model} ${weightType} on ${device}: ${fixed(modelMb, 0)} MB, ${patches} patches of ${timesteps} timesteps, ${
      rounds === 1 ? '1 round' : `medians of ${rounds} rounds`
    }`,
    `${machine.processor}, ${machine.processors} processors` +
      (isOnCard(report.configurations) ? '' : `, reads ${fixed(report.bandwidthGbPerSecond, 1)} GB/s`) +
      (report.mbPerStep === null ? '' : `; a step reads ${fixed(report.mbPerStep, 0)} MB`),
    '',
  ];
  const after: string[] = [];
  if (start !== undefined) {
    after.push(
      `cold start: ${fixed(start.coldMs, 0)} ms, of which kernels ${fixed(start.coldKernelsMs, 0)}; ` +
        `warm: ${fixed(start.warmMs, 0)} and ${fixed(start.warmKernelsMs, 0)}`,
    );
  }
  if (contention !== undefined) {
    after.push(
      `beside a busy process: ${fixed(contention.msPerStep, 1)} ms a step, ${fixed(contention.slowdown, 2)} times as slow`,
    );
  }
  if (peer !== undefined) {
    after.push(
      `peer: ${peer.patches} patches, ${fixed(peer.msPerStep, 1)} ms a step, VAE ${fixed(peer.vaeMsPerPatch, 1)} ms a patch, ` +
        `RTF ${fixed(peer.rtfModel, 3)} / ${fixed(peer.rtfWithoutEncode, 3)} / ${fixed(peer.rtfFull, 3)}, ` +
        `peak ${fixed(peer.peakRssMb, 0)} MB, others busy ${fixed(peer.othersBusy, 2)}`,
      `full RTF of the peer over ours: ${fixed(ratio, 2)}`,
    );
  }
  return `${lines.join('\n')}\n${aligned(rowsOf(report.configurations))}${after.map((line) => `${line}\n`).join('')}`;
}
