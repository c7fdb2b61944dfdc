/** `--lora` and `--lora-alpha`. */
import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { Option } from 'commander';
import { requestFields } from '../../engine/request-fields.ts';
import { hubNames } from '../../hub/hubs.ts';
import { isAddress, modelName, parseAddress } from '../../hub/source.ts';
import { show } from '../../messages.ts';
import { describeRange, invalid } from '../../validation.ts';

/** An adapter as the command line names it. */
export interface LoraArgument {
  /** Default: the name of its folder. */
  readonly name?: string | undefined;
  /** A path, or a folder of a repository. */
  readonly place: string;
  readonly weight?: number | undefined;
}

export type LoraOptions = { readonly lora?: readonly LoraArgument[]; readonly loraAlpha?: number };

/** Names of the adapters, in order; one without a name is called like its folder. */
export const loraNames = ({ lora = [] }: LoraOptions): readonly string[] =>
  lora.map(({ name, place }) => name ?? folderName(place));

function folderName(place: string): string {
  const path = resolve(place.replace(/@[^@/\\]*$/, ''));
  const file = basename(path);
  const isUsual = /^lora_weights\.(safetensors|ckpt)$/.test(file);
  // Characters that names can't have, most often spaces, must not keep an adapter from use.
  const name = (isUsual ? basename(dirname(path)) : file).replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '-');
  return name.replace(/^[^\p{L}\p{N}_-]+/u, '').slice(0, 64) || 'lora';
}

/** A repository of a hub, perhaps with a folder and a revision. */
export const repositoryPattern = new RegExp(
  `^(?<repository>(?:(?:${hubNames.join('|')}):)?[^/@:]+/[^/@:]+)(?<folder>(?:/[^/@:]+)*)(?<revision>@[^@:]+)?$`,
);

/** Parses `[NAME=]PATH[:WEIGHT]`; names are checked when the adapter is opened. @throws SvcError INVALID_REQUEST */
export function parseLora(text: string): LoraArgument {
  if (text !== '' && existsSync(text)) return { place: text };
  const [, name, rest = ''] = /^(?:([^=/\\]+)=)?(.*)$/su.exec(text) ?? [];
  if (rest === '') throw invalid('[NAME=]PATH[:WEIGHT]', '--lora', show(text));
  const [, address = rest, scale = ''] = /^(https?:.+?)(:[^:/\\]*)?$/isu.exec(rest) ?? [];
  if (isAddress(rest)) {
    const { source, path } = parseAddress(address);
    const [repository, revision] = modelName(source).split('@');
    const place =
      [repository, ...(path === '' ? [] : [path])].join('/') + (revision === undefined ? '' : `@${revision}`);
    return parseLora(`${name === undefined ? '' : `${name}=`}${place}${scale}`);
  }
  if (existsSync(rest)) return { name, place: rest };
  const [, place, factor] = /^(.+):([^:/\\]*)$/su.exec(rest) ?? [];
  if (place === undefined || factor === undefined) return { name, place: rest };
  const isNumber = /^-?(\d+(\.\d*)?|\.\d+)$/.test(factor);
  // Otherwise the colon belongs to a path that does not exist.
  if (!isNumber && !existsSync(place) && !repositoryPattern.test(place)) return { name, place: rest };
  const weight = isNumber ? Number(factor) : Number.NaN;
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
  new Option(
    '--lora <path>',
    `LoRA adapter as [NAME=]PATH[:WEIGHT]; PATH may be a Hugging Face repository, NAME is its folder by default; ${what}`,
  )
    .argParser((text: string, others: readonly LoraArgument[] = []) => [...others, parseLora(text)])
    .helpGroup('Model:'),
  new Option('--lora-alpha <number>', 'LoRA alpha; the scale is alpha / rank (default: from lora_config.json)')
    .argParser(parseAlpha)
    .helpGroup('Model:'),
];
