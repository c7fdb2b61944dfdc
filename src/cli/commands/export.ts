import { Command, Option } from 'commander';
import type { ExportLimits } from '../../../export/export-gguf.ts';
import { type VaeType, vaeTypes, type WeightType, weightTypes } from '../../../export/gguf/tensor-types.ts';
import type { Io } from '../io.ts';
import { invalidOption } from '../options.ts';
import { createProgress } from '../progress.ts';
import { loadQuantizer } from '../quantizer.ts';

const formats = ['gguf'] as const;

interface ExportOptions {
  readonly format?: (typeof formats)[number];
  readonly modelPath?: string;
  readonly output?: string;
  readonly type: WeightType;
  readonly vaeType?: VaeType;
  readonly maxTextCharacters?: number;
  readonly fixedVoice?: boolean;
  readonly quiet?: boolean;
}

const examples = `
Types below 8 bits keep the token table in q8_0. Matrices whose rows are not whole blocks take q8_0, or else f16.

Examples:
  svc export --format gguf --model-path VoxCPM-0.5B --output voxcpm-q8_0.gguf --type q8_0
  svc export --format gguf --model-path VoxCPM2 --output voxcpm2-f16.gguf --type f16 --vae-type f32`;

/** One of `names`, for `flag`. */
function oneOf<Name extends string>(names: readonly Name[], flag: string): (text: string) => Name {
  return (text) => {
    const found = names.find((name) => name === text.toLowerCase());
    if (found === undefined) throw invalidOption(`one of ${names.join(', ')}`, flag, text);
    return found;
  };
}

function parseCharacters(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= 1_000_000) return count;
  throw invalidOption('an integer from 1 to 1000000', '--max-text-characters', text);
}

/** `svc export`: a checkpoint in the official layout as a model file that svc runs. */
export function exportCommand(io: Io): Command {
  return new Command('export')
    .description('Convert an official checkpoint.')
    .addOption(new Option('--format <name>', formats.join(', ')).argParser(oneOf(formats, '--format')))
    .addOption(new Option('--model-path <folder>', 'folder with config.json, weights, audio VAE and tokenizer'))
    .addOption(new Option('--output <file>', 'the .gguf file to write'))
    .addOption(
      new Option('--type <name>', `of the matrices: ${weightTypes.join(', ')}`)
        .argParser(oneOf(weightTypes, '--type'))
        .default('q8_0' satisfies WeightType),
    )
    .addOption(
      new Option(
        '--vae-type <name>',
        `of the audio VAE: ${vaeTypes.join(', ')} (default: f32 for --type f32, else f16)`,
      ) //
        .argParser(oneOf(vaeTypes, '--vae-type')),
    )
    .addOption(
      new Option('--max-text-characters <number>', 'note: longest text that the model speaks well in one part') //
        .argParser(parseCharacters),
    )
    .addOption(new Option('--fixed-voice', 'note: the model has one voice only'))
    .addOption(new Option('--quiet', 'only errors on standard error'))
    .addHelpText('after', examples)
    .action((options: ExportOptions) => exportModel(options, io));
}

async function exportModel(options: ExportOptions, io: Io): Promise<void> {
  const { modelPath, output, type, vaeType, quiet } = options;
  if (options.format === undefined) throw invalidOption(`one of ${formats.join(', ')}`, '--format', 'none');
  if (!modelPath) throw invalidOption('the folder of a checkpoint', '--model-path', 'none');
  if (!output) throw invalidOption('a file name', '--output', 'none');
  const limits: ExportLimits = { maxTextCharacters: options.maxTextCharacters, fixedVoice: options.fixedVoice };
  const progress = createProgress(io.stderr);
  try {
    const { exportGguf } = await import('../../../export/export-gguf.ts');
    const result = await exportGguf({
      checkpoint: modelPath,
      output,
      type,
      vaeType,
      limits,
      quantize: await loadQuantizer(type),
      signal: io.signal,
      onProgress: quiet ? undefined : ({ done, total }) => progress.update('MB', toMegabytes(done), toMegabytes(total)),
    });
    progress.stop();
    if (quiet) return;
    const counts = Object.entries(result.types).map(([name, count]) => `${count} ${name}`);
    io.stderr.write(`wrote ${output}: ${toMegabytes(result.bytes)} MB, tensors: ${counts.join(', ')}\n`);
    if (result.unused.length > 0) {
      io.stderr.write(
        `left out ${result.unused.length} tensors that the model does not use, such as ${result.unused[0]}\n`,
      );
    }
  } finally {
    progress.stop();
  }
}

const toMegabytes = (bytes: number): number => Math.round(bytes / 1e6);
