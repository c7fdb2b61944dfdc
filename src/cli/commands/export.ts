import { type Command, Option } from 'commander';
import { type VaeType, vaeTypes, weightTypes } from '../../../export/gguf/tensor-types.ts';
import { layouts } from '../../../export/onnx/layout-names.ts';
import { precisions } from '../../../export/onnx/precision.ts';
import { stepNames } from '../../../export/onnx/steps.ts';
import { loadQuantizer } from '../../../export/quantizer.ts';
import type { ModelLimits } from '../../engine/backend.ts';
import { defaultType } from '../../hub/resolve.ts';
import { quote } from '../../messages.ts';
import { invalid, type Range, requestError } from '../../validation.ts';
import { suggesting } from '../completion/suggested.ts';
import type { Io } from '../io.ts';
import { withAdapters } from '../model/lora-choice.ts';
import { type LoraOptions, loraOptions } from '../options/lora-options.ts';
import { parseWeightType } from '../options/model-options.ts';
import { choosing, commandWith, grouped, nameOption, rangeOption, refuseOptions } from '../options/option-values.ts';
import { printNote } from '../output/messages.ts';
import { createProgress } from '../output/progress.ts';
import { formatBytes, formatShare } from '../output/units.ts';
import { exportOnnxModel, type OnnxExportOptions } from './export-onnx.ts';

const formats = ['gguf', 'onnx'] as const;

interface ExportOptions extends OnnxExportOptions, LoraOptions {
  readonly format?: (typeof formats)[number];
  readonly vaeType?: VaeType;
}

const examples = `
Examples:
  svc export --format gguf --model-path VoxCPM-0.5B --output voxcpm-q8_0.gguf
  svc export --format gguf --model-path VoxCPM2 --output voxcpm2-f16.gguf \\
    --type f16 --vae-type f32
  svc export --format onnx --model-path VoxCPM-0.5B --output voxcpm-onnx \\
    --type lm=q8,dit=int8,vae=f32
  svc export --format onnx --output voxcpm-onnx --type q8 --steps quantize
  svc export --format gguf --model-path VoxCPM-0.5B --lora anna-lora:0.8 \\
    --output anna.gguf
  svc export --format onnx --layout voxcpm-onnx --timesteps 10 \\
    --model-path VoxCPM-0.5B --output models

GGUF: types below 8 bits keep the token table in q8_0. Matrices whose rows are
not whole blocks use q8_0 or f16.

ONNX: an interrupted export resumes; --steps runs single steps on the output of
earlier ones. MODEL_PATH, OUTPUT_DIR, TIMESTEPS and CFG_VALUE are read from the
environment; options override them.`;

const textCharacters: Range = { kind: 'integer', minimum: 1, maximum: 1_000_000 };

/** `svc export`: converts a checkpoint in the official layout. */
export function exportCommand(io: Io): Command {
  const [lora, loraAlpha] = loraOptions('merged into the matrices; may be repeated');
  return commandWith('export', examples, [
    ...grouped('Model:', [
      '--model-path <path>: official checkpoint (a folder with config.json, weights, audio VAE and tokenizer), or a .gguf file from svc or llama.cpp-omni',
      lora,
      loraAlpha,
    ]),
    ...grouped('Output:', [
      nameOption('--format', formats, 'output format, required'),
      '--output <path>: .gguf file or ONNX folder to write',
      suggesting(
        new Option(
          '--type <name>',
          `weight type (choices: ${weightTypes.join(', ')}) (default: q8_0); ` +
            `with ONNX (choices: ${precisions.join(', ')}), also per stage as in lm=q8,dit=int8,vae=f32 (default: f32)`,
        ),
        [...new Set([...weightTypes, ...precisions])],
      ),
      nameOption('--vae-type', vaeTypes, 'weight type of the audio VAE', 'f32 with --type f32, else f16'),
      rangeOption(
        '--max-text-characters',
        textCharacters,
        'store the longest text, in characters, that the model speaks well in one piece',
      ),
      '--quiet: print errors only on standard error',
    ]),
    ...grouped('ONNX:', [
      choosing(layouts, '--layout <name>', 'layout of the files; voxcpm-onnx is that of VoxCPM-ONNX', 'default'),
      '--timesteps <number>: flow-matching steps fixed in the files of --layout voxcpm-onnx (default: 10)',
      '--cfg-value <number>: guidance scale to validate with (default: 2)',
      choosing(stepNames, '--steps <names>', 'steps to run, separated by commas', 'all'),
      '--rtol <number>: relative tolerance of validate (default: 1e-3)',
      '--atol <number>: absolute tolerance of validate (default: 1e-4)',
      '--num-tests <number>: random inputs of validate (default: 5)',
    ]),
  ]).action((options: ExportOptions) => exportModel(options, io));
}

async function exportModel(options: ExportOptions, io: Io): Promise<void> {
  if (options.format === undefined) throw requestError(`--format is required: ${formats.join(' or ')}`);
  if (options.format === 'gguf') return exportGgufModel(options, io);
  if (options.vaeType !== undefined) throw requestError('--vae-type is for GGUF; for ONNX use --type vae=f16');
  return exportOnnxModel(options, io);
}

/** Options of ONNX exports only. */
const onnxOptions = ['layout', 'timesteps', 'cfgValue', 'steps', 'rtol', 'atol', 'numTests'] as const;

async function exportGgufModel(options: ExportOptions, io: Io): Promise<void> {
  const { modelPath, output, vaeType, quiet } = options;
  refuseOptions(options, onnxOptions, 'needs --format onnx');
  const type = parseWeightType(options.type ?? defaultType);
  if (!modelPath) throw requestError('--model-path is required: name the folder of a checkpoint');
  if (!output) throw requestError('--output is required: name the .gguf file to write');
  // The extension distinguishes a model file from a folder.
  if (!output.toLowerCase().endsWith('.gguf'))
    throw invalid('a file name that ends in .gguf', '--output', quote(output));
  const limits: ModelLimits = { maxTextCharacters: options.maxTextCharacters };
  using progress = createProgress(io.stderr);
  const { exportGguf } = await import('../../../export/export-gguf.ts');
  const result = await exportGguf({
    checkpoint: await withAdapters(modelPath, options, io),
    ...{ output, type, vaeType, limits },
    quantize: await loadQuantizer(type),
    signal: io.signal,
    onProgress: quiet
      ? undefined
      : ({ done, total }) => progress.update('converting', done / total, formatShare(done, total)),
  });
  progress.stop();
  if (quiet) return;
  const counts = Object.entries(result.types).map(([name, count]) => `${count} ${name}`);
  printNote(`wrote ${output}: ${formatBytes(result.bytes)}, tensors: ${counts.join(', ')}`, io);
  if (result.unused.length > 0) {
    printNote(`left out ${result.unused.length} unused tensors, such as ${result.unused[0]}`, io);
  }
}
