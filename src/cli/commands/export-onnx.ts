/** `svc export --format onnx`: converts a checkpoint to a folder of ONNX graphs. */
import type { OnnxExportResult } from '../../../export/onnx/export-onnx.ts';
import { type Layout, layouts } from '../../../export/onnx/layout-names.ts';
import { describePrecisions, modelPrecisions, parsePrecisions } from '../../../export/onnx/precision.ts';
import { checkpointSteps, type StepName, stepNames } from '../../../export/onnx/steps.ts';
import { requestFields } from '../../engine/request-fields.ts';
import { didYouMean, show } from '../../messages.ts';
import { invalid, type Range, requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { withAdapters } from '../model/lora-choice.ts';
import { readVariable } from '../options/environment-variables.ts';
import type { LoraOptions } from '../options/lora-options.ts';
import { parseName, parseNumber } from '../options/option-values.ts';
import { printNote } from '../output/messages.ts';
import { createProgress } from '../output/progress.ts';
import { formatBytes, formatShare } from '../output/units.ts';

export interface OnnxExportOptions extends LoraOptions {
  readonly modelPath?: string;
  readonly output?: string;
  readonly type?: string;
  readonly layout?: string;
  readonly timesteps?: string;
  readonly cfgValue?: string;
  readonly steps?: string;
  readonly rtol?: string;
  readonly atol?: string;
  readonly numTests?: string;
  readonly maxTextCharacters?: number;
  readonly quiet?: boolean;
}

/** Ranges of the options of `validate`, with VoxCPM-ONNX's defaults. */
const limits = {
  rtol: { kind: 'number', minimum: 0, maximum: 1000, default: 1e-3 },
  atol: { kind: 'number', minimum: 0, maximum: 1000, default: 1e-4 },
  numTests: { kind: 'integer', minimum: 1, maximum: 1000, default: 5 },
} as const satisfies Record<string, Range>;

type Given = readonly [name: string, text: string | undefined];

/** The value of an option, else of an environment variable, else the default. */
function setting(range: Range & { readonly default: number }, ...given: readonly Given[]): number {
  for (const [name, text] of given) if (text !== undefined) return parseNumber(name, range)(text);
  return range.default;
}

function parseSteps(text: string | undefined): readonly StepName[] {
  if (text === undefined) return stepNames;
  return text.split(',').map((part) => {
    const found = stepNames.find((name) => name === part.trim().toLowerCase());
    if (found !== undefined) return found;
    const hint = didYouMean(part.trim().toLowerCase(), stepNames);
    throw invalid(`some of ${stepNames.join(',')}`, '--steps', `${show(text)}${hint}`);
  });
}

export async function exportOnnxModel(options: OnnxExportOptions, io: Io): Promise<void> {
  // Options override environment variables, which have VoxCPM-ONNX's names.
  const stepsVariable: Given = ['TIMESTEPS', readVariable(io, 'TIMESTEPS')];
  const cfgVariable: Given = ['CFG_VALUE', readVariable(io, 'CFG_VALUE')];
  const modelPath = options.modelPath ?? readVariable(io, 'MODEL_PATH');
  const output = options.output ?? readVariable(io, 'OUTPUT_DIR');
  if (!output) throw requestError('--output is required: name the folder to write');
  const timesteps = setting(requestFields.timesteps, ['--timesteps', options.timesteps], stepsVariable);
  const cfg = setting(requestFields.cfg, ['--cfg-value', options.cfgValue], cfgVariable);
  const types = parsePrecisions(options.type ?? 'f32');
  const layout: Layout = parseName('--layout', layouts)(options.layout ?? 'default');
  const steps = parseSteps(options.steps);
  if (modelPath === undefined && steps.some((step) => checkpointSteps.includes(step)))
    throw requestError('--model-path is required: name the folder of a checkpoint');
  if (options.type !== undefined && !steps.includes('build') && !steps.includes('quantize'))
    throw requestError('--type needs the step quantize; validate checks files in the types that they have');
  if (options.lora !== undefined && !steps.includes('build') && !steps.includes('validate'))
    throw requestError('--lora needs the step build or validate');
  const tolerances = {
    rtol: setting(limits.rtol, ['--rtol', options.rtol]),
    atol: setting(limits.atol, ['--atol', options.atol]),
    numTests: setting(limits.numTests, ['--num-tests', options.numTests]),
  };
  const { maxTextCharacters, quiet } = options;
  using progress = createProgress(io.stderr);
  const { exportOnnx } = await import('../../../export/onnx/export-onnx.ts');
  const result = await exportOnnx({
    checkpoint: modelPath && (await withAdapters(modelPath, options, io)),
    ...{ output, types, layout, timesteps, cfg, steps, tolerances },
    limits: { maxTextCharacters },
    signal: io.signal,
    onProgress: quiet
      ? undefined
      : ({ step, done, total, unit }) =>
          unit === 'bytes'
            ? progress.update(step, done / total, formatShare(done, total))
            : progress.update(step, done / total, `${done} of ${total}`),
  });
  progress.stop();
  if (quiet) return;
  for (const line of describeFiles(output, result)) printNote(line, io);
  if (steps.includes('build') && !steps.includes('quantize') && describePrecisions(types) !== plain) {
    printNote(`the matrices are still F32; --steps quantize converts them to ${describePrecisions(types)}`, io);
  }
  for (const line of describeValidation(result)) printNote(line, io);
}

function describeValidation({ validated }: OnnxExportResult): string[] {
  if (validated === undefined) return [];
  const each = (values: Readonly<Record<string, number>>, show: (value: number) => string): string =>
    Object.entries(values)
      .map(([name, value]) => `${name} ${show(value)}`)
      .join(', ');
  const { errors, quantization } = validated;
  const lines = [
    `validated; largest errors relative to their tolerances: ${each(errors, (value) => value.toPrecision(2))}`,
  ];
  if (quantization === undefined) return lines;
  const percent = (value: number): string => `${(100 * value).toPrecision(2)} %`;
  return [...lines, `difference from F32 (root mean square): ${each(quantization, percent)}`];
}

const plain = describePrecisions(modelPrecisions.f32);

function describeFiles(output: string, { bytes, files, resumed }: OnnxExportResult): string[] {
  if (files.length === 0) return resumed.length === 0 ? [] : [`nothing to do in ${output}: these steps are complete`];
  const lines = [`wrote ${output}: ${formatBytes(bytes)} in ${files.length} files`];
  return resumed.length === 0 ? lines : [...lines, `kept ${resumed.join(', ')} from an earlier run`];
}
