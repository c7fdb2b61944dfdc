/** Options for the model and what it runs on. */
import { Option } from 'commander';
import { type WeightType, weightTypes } from '../../../export/gguf/tensor-types.ts';
import {
  type BackendName,
  backendNames,
  type DeviceChoice,
  type DitType,
  ditTypes,
} from '../../engine/engine-options.ts';
import { ranges } from '../../engine/request-fields.ts';
import { type HubName, hubNames } from '../../hub/hubs.ts';
import { knownModels } from '../../hub/source.ts';
import { didYouMean, quote, show } from '../../messages.ts';
import { invalid, type Range, requestError } from '../../validation.ts';
import { suggesting } from '../completion/suggested.ts';
import { parseModelOrFolder } from './named-model.ts';
import { type Described, grouped, nameOption, numberOption, parseName, parseNumber } from './option-values.ts';

/** Variant of a named model. */
export interface NamedModelOptions {
  readonly type?: WeightType | undefined;
  readonly file?: string | undefined;
  readonly hub?: HubName | undefined;
}

export interface ModelOptions extends NamedModelOptions {
  readonly modelPath?: string | undefined;
  readonly model?: string | undefined;
  readonly backend?: BackendName | undefined;
  readonly device?: DeviceChoice | undefined;
  readonly threads?: number | undefined;
  readonly ditType?: DitType | undefined;
}

const backendDefault: BackendName = 'auto';

/** Names of devices that are no backends; a processor for graphics is not a misspelled CPU. */
const otherBackends: Readonly<Record<string, BackendName | undefined>> = {
  __proto__: null as never,
  nvidia: 'cuda',
  amd: 'vulkan',
  intel: 'vulkan',
  hip: 'vulkan',
  opencl: 'vulkan',
  rocm: 'vulkan',
  apple: 'metal',
  mps: 'metal',
};

function suggestBackend(given: string): string {
  if (/^[a-z]pus?$/.test(given)) return '; auto uses a GPU if there is one';
  const other = otherBackends[given];
  return other === undefined ? didYouMean(given, backendNames) : `; did you mean ${quote(other)}?`;
}

/** @param name of the option or variable */
export const parseBackend = (name: string): ((text: string) => BackendName) =>
  parseName(name, backendNames, suggestBackend);

const deviceNumber: Range = { kind: 'integer', minimum: 0, maximum: 999 };

/** @throws SvcError INVALID_REQUEST */
export function parseDevice(text: string): DeviceChoice {
  if (text === 'all') return text;
  if (/^\d+$/.test(text)) return parseNumber('--device', deviceNumber)(text);
  throw invalid('the number of a GPU, or "all" (--backend chooses its kind)', '--device', show(text));
}

/** @throws SvcError INVALID_REQUEST */
export const parseWeightType: (text: string) => WeightType = parseName('--type', weightTypes);

export const hubOption = (): Option =>
  nameOption('--hub', hubNames, 'model hub to download from', 'SVC_HUB, or huggingface');

export const namedModelOptions = (): readonly Described[] => [
  nameOption('--type', weightTypes, 'quantization type to convert a named model or checkpoint to', 'q8_0'),
  hubOption(),
  '--file <name>: use this .gguf file or ONNX folder of the repository instead of its checkpoint',
];

function parseModelPath(text: string): string {
  if (text !== '') return text;
  throw requestError('--model-path is empty: name a .gguf file or a folder');
}

const modelNameOption = (): Option =>
  suggesting(
    new Option(
      '--model <name>',
      `model name (${Object.keys(knownModels).join(', ')}) or Hugging Face repository, downloaded on first use; or the folder of an official checkpoint`,
    )
      .conflicts('modelPath')
      .argParser((text) => parseModelOrFolder(text, '--model-path')),
    'models',
  );

export const modelOptions = (): readonly Option[] =>
  grouped('Model:', [
    modelNameOption(),
    ...namedModelOptions(),
    new Option(
      '--model-path <path>',
      '.gguf file, folder of ONNX files, or official checkpoint, which is converted on first use (default: SVC_MODELS_DIR, or the bundled demo model)',
    ).argParser(parseModelPath),
    nameOption('--backend', backendNames, 'device to run on', `SVC_DEVICE, or ${backendDefault}`).argParser(
      parseBackend('--backend'),
    ),
    new Option(
      '--device <number>',
      'which of several GPUs, as numbered by svc doctor, or all, which share requests (default: the first that works)',
    ).argParser(parseDevice),
    numberOption('--threads', ranges.threads, 'CPU threads', 'SVC_THREADS, or one per physical core'),
    nameOption('--dit-type', ditTypes, "in-memory format of LocDiT's Q4_K weights; auto picks the faster", 'auto'),
  ]);
