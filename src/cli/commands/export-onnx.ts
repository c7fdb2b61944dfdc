/** `svc export --format onnx`: a checkpoint as a folder of ONNX graphs. */
import type { OnnxExportResult } from '../../../export/onnx/export-onnx.ts';
import { type Layout, layouts } from '../../../export/onnx/layouts.ts';
import { describePrecisions, modelPrecisions, parsePrecisions } from '../../../export/onnx/precision.ts';
import { checkpointSteps, type StepName, stepNames } from '../../../export/onnx/steps.ts';
import { ranges } from '../../engine/request.ts';
import type { Io } from '../io.ts';
import { invalidOption } from '../options.ts';
import { createProgress } from '../progress.ts';

export interface OnnxExportOptions {
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
  readonly fixedVoice?: boolean;
  readonly quiet?: boolean;
}

/** Flags go before the environment, as VoxCPM-ONNX names it, and that before defaults. */
interface Settings {
  readonly modelPath: string | undefined;
  readonly output: string;
  readonly timesteps: number;
  readonly cfg: number;
}

function number(text: string, flag: string, expected: string, isValid: (value: number) => boolean): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (isValid(value)) return value;
  throw invalidOption(expected, flag, text);
}

function readSettings(options: OnnxExportOptions, { environment }: Io): Settings {
  const modelPath = options.modelPath ?? (environment.MODEL_PATH || undefined);
  const output = options.output ?? (environment.OUTPUT_DIR || undefined);
  if (!output) throw invalidOption('a folder', '--output', 'none');
  const { timesteps, cfg } = ranges;
  const steps = options.timesteps ?? (environment.TIMESTEPS || String(timesteps.default));
  const guidance = options.cfgValue ?? (environment.CFG_VALUE || String(cfg.default));
  return {
    modelPath,
    output,
    timesteps: number(
      steps,
      options.timesteps === undefined ? 'TIMESTEPS' : '--timesteps',
      `an integer from ${timesteps.minimum} to ${timesteps.maximum}`,
      (value) => Number.isInteger(value) && value >= timesteps.minimum && value <= timesteps.maximum,
    ),
    cfg: number(
      guidance,
      options.cfgValue === undefined ? 'CFG_VALUE' : '--cfg-value',
      `a number from ${cfg.minimum} to ${cfg.maximum}`,
      (value) => value >= cfg.minimum && value <= cfg.maximum,
    ),
  };
}

function parseSteps(text: string | undefined): readonly StepName[] {
  if (text === undefined) return stepNames;
  return text.split(',').map((part) => {
    const found = stepNames.find((name) => name === part.trim().toLowerCase());
    if (found === undefined) throw invalidOption(`some of ${stepNames.join(',')}`, '--steps', text);
    return found;
  });
}

function parseLayout(text = 'default'): Layout {
  const found = layouts.find((name) => name === text.toLowerCase());
  if (found === undefined) throw invalidOption(`one of ${layouts.join(', ')}`, '--layout', text);
  return found;
}

const positive = (text: string, flag: string): number =>
  number(text, flag, 'a number of at least 0', (value) => value >= 0 && Number.isFinite(value));

export async function exportOnnxModel(options: OnnxExportOptions, io: Io): Promise<void> {
  const { modelPath, output, timesteps, cfg } = readSettings(options, io);
  const types = parsePrecisions(options.type ?? 'f32');
  const layout = parseLayout(options.layout);
  const steps = parseSteps(options.steps);
  if (modelPath === undefined && steps.some((step) => checkpointSteps.includes(step))) {
    throw invalidOption('the folder of a checkpoint', '--model-path', 'none');
  }
  const tolerances = {
    rtol: positive(options.rtol ?? '1e-3', '--rtol'),
    atol: positive(options.atol ?? '1e-4', '--atol'),
    numTests: number(
      options.numTests ?? '5',
      '--num-tests',
      'an integer from 1 to 1000',
      (value) => Number.isInteger(value) && value >= 1 && value <= 1000,
    ),
  };
  const { maxTextCharacters, fixedVoice, quiet } = options;
  const progress = createProgress(io.stderr);
  try {
    const { exportOnnx } = await import('../../../export/onnx/export-onnx.ts');
    const result = await exportOnnx({
      checkpoint: modelPath,
      output,
      types,
      layout,
      timesteps,
      cfg,
      steps,
      tolerances,
      limits: { maxTextCharacters, fixedVoice },
      signal: io.signal,
      onProgress: quiet
        ? undefined
        : ({ step, done, total, unit }) =>
            unit === 'bytes'
              ? progress.update(`${step}, MB`, toMegabytes(done), toMegabytes(total))
              : progress.update(step, done, total),
    });
    progress.stop();
    if (quiet) return;
    const say = (line: string): void => void io.stderr.write(`${line}\n`);
    for (const line of describeFiles(output, result)) say(line);
    if (steps.includes('build') && !steps.includes('quantize') && describePrecisions(types) !== plain) {
      say(`its matrices are in F32: --steps quantize puts them in ${describePrecisions(types)}`);
    }
    const errors = Object.entries(result.validated ?? {}).map(([name, error]) => `${name} ${error.toPrecision(2)}`);
    if (errors.length > 0) say(`validated; largest error as a part of what is allowed: ${errors.join(', ')}`);
  } finally {
    progress.stop();
  }
}

const plain = describePrecisions(modelPrecisions.f32);

function describeFiles(output: string, { bytes, files, resumed }: OnnxExportResult): string[] {
  if (files.length === 0) return resumed.length === 0 ? [] : [`left ${output} as it is: these steps are done`];
  const lines = [`wrote ${output}: ${toMegabytes(bytes)} MB in ${files.length} files`];
  return resumed.length === 0 ? lines : [...lines, `kept ${resumed.join(', ')}, which were finished`];
}

const toMegabytes = (bytes: number): number => Math.round(bytes / 1e6);
