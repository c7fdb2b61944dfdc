/** `--lora` and `--lora-alpha`. */
import { existsSync } from 'node:fs';
import { Option } from 'commander';
import { requestFields } from '../../engine/request.ts';
import { describeRange, invalid, show } from '../../validation.ts';

/** An adapter as the command line names it. */
export interface LoraArgument {
  /** Undefined for an adapter that only this command uses. */
  readonly name?: string | undefined;
  /** A path, or a folder of a Hugging Face repository. */
  readonly place: string;
  readonly weight?: number | undefined;
}

export interface LoraOptions {
  readonly lora?: readonly LoraArgument[];
  readonly loraAlpha?: number;
}

/** What requests call an adapter without a name. */
const usualName = 'lora';

/** Names of the adapters, in order. */
export const loraNames = ({ lora = [] }: LoraOptions): readonly string[] => lora.map(({ name = usualName }) => name);

/** Names are checked when the adapter is opened. */
const argumentPattern = /^(?:([^=/\\]+)=)?(.+?)(?::(\d+(?:\.\d*)?|\.\d+))?$/u;

/** Parses `NAME=PATH:WEIGHT`, of which only the path is required. @throws SvcError INVALID_REQUEST */
export function parseLora(text: string): LoraArgument {
  if (existsSync(text)) return { place: text };
  const [, name, place, factor] = argumentPattern.exec(text) ?? [];
  if (place === undefined) throw invalid('NAME=PATH or NAME=PATH:WEIGHT', '--lora', show(text));
  if (factor === undefined) return { name, place };
  const weight = Number(factor);
  const { minimum, maximum } = requestFields.loraWeight;
  if (weight >= minimum && weight <= maximum) return { name, place, weight };
  throw invalid(describeRange(requestFields.loraWeight), 'the weight of --lora', show(factor));
}

function parseAlpha(text: string): number {
  const alpha = /^\d+(\.\d*)?$/.test(text) ? Number(text) : Number.NaN;
  if (alpha > 0 && alpha <= 1e6) return alpha;
  throw invalid('a positive number', '--lora-alpha', show(text));
}

/** @param what ends the help of `--lora` */
export const loraOptions = (what: string): readonly [Option, Option] => [
  new Option('--lora <path>', `LoRA adapter: [NAME=]PATH[:WEIGHT], a path or a Hugging Face repository; ${what}`)
    .argParser((text: string, others: readonly LoraArgument[] = []) => [...others, parseLora(text)])
    .helpGroup('Model:'),
  new Option(
    '--lora-alpha <number>',
    'alpha of the adapters, which divided by the rank scales them (default: of lora_config.json)',
  )
    .argParser(parseAlpha)
    .helpGroup('Model:'),
];
