/** `svc export --format onnx`: a checkpoint as a folder of ONNX graphs. */
import type { OnnxExportResult } from '../../../export/onnx/export-onnx.ts';
import { type Layout, layouts } from '../../../export/onnx/layouts.ts';
import { describePrecisions, modelPrecisions, parsePrecisions } from '../../../export/onnx/precision.ts';
import { checkpointSteps, type StepName, stepNames } from '../../../export/onnx/steps.ts';
import { requestFields } from '../../engine/request.ts';
import type { Range } from '../../validation.ts';
import type { Io } from '../io.ts';
import { invalidOption, parseName, parseNumber } from '../options/options.ts';
import { createProgress } from '../output/progress.ts';

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

/** Of `validate`; the defaults are those of VoxCPM-ONNX. */
const limits = {
  rtol: { kind: 'number', minimum: 0, maximum: 1000, default: 1e-3 },
  atol: { kind: 'number', minimum: 0, maximum: 1000, default: 1e-4 },
  numTests: { kind: 'integer', minimum: 1, maximum: 1000, default: 5 },
} as const satisfies Record<string, Range>;

/** The value of a flag, else that of a variable, else the default. */
function setting(
  range: Range & { readonly default: number },
  given: readonly (readonly [name: string, text: string | undefined])[],
): number {
  for (const [name, text] of given) if (text !== undefined) return parseNumber(name, range)(text);
  return range.default;
}

function readSettings(options: OnnxExportOptions, { environment }: Io): Settings {
  const modelPath = options.modelPath ?? (environment.MODEL_PATH || undefined);
  const output = options.output ?? (environment.OUTPUT_DIR || undefined);
  if (!output) throw invalidOption('a folder', '--output', 'none');
  return {
    modelPath,
    output,
    timesteps: setting(requestFields.timesteps, [
      ['--timesteps', options.timesteps],
      ['TIMESTEPS', environment.TIMESTEPS || undefined],
    ]),
    cfg: setting(requestFields.cfg, [
      ['--cfg-value', options.cfgValue],
      ['CFG_VALUE', environment.CFG_VALUE || undefined],
    ]),
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

export async function exportOnnxModel(options: OnnxExportOptions, io: Io): Promise<void> {
  const { modelPath, output, timesteps, cfg } = readSettings(options, io);
  const types = parsePrecisions(options.type ?? 'f32');
  const layout: Layout = parseName('--layout', layouts)(options.layout ?? 'default');
  const steps = parseSteps(options.steps);
  if (modelPath === undefined && steps.some((step) => checkpointSteps.includes(step))) {
    throw invalidOption('the folder of a checkpoint', '--model-path', 'none');
  }
  const tolerances = {
    rtol: setting(limits.rtol, [['--rtol', options.rtol]]),
    atol: setting(limits.atol, [['--atol', options.atol]]),
    numTests: setting(limits.numTests, [['--num-tests', options.numTests]]),
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
