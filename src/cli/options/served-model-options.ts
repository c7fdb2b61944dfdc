/** Options of the models of `svc serve`: which there are, their names, and how long they stay loaded. */
import { basename, resolve } from 'node:path';
import { Option } from 'commander';
import { isAddress, knownModels, modelName, parseModelName } from '../../hub/source.ts';
import { show } from '../../messages.ts';
import { parseKeepAlive } from '../../model-pool/keep-alive.ts';
import { invalid } from '../../validation.ts';
import { suggesting } from '../completion/suggested.ts';
import { isModelFolder, isModelPath, parseNamedModel } from './named-model.ts';
import { grouped } from './option-values.ts';

/** A model of `--model`: a named model or a file. */
export interface ServedModel {
  /** Its name in requests. */
  readonly name: string;
  readonly hub?: string;
  readonly path?: string;
}

export interface ServedModelOptions {
  readonly model?: readonly ServedModel[];
  /** Names of models by alias. */
  readonly alias?: ReadonlyMap<string, string>;
  /** Milliseconds. */
  readonly keepAlive?: number;
  /** Bytes. */
  readonly memoryLimit?: number;
}

/** Names of published models contain slashes, and those of fine-tunes colons. */
const nameRule = /^[\w.:/@-]{1,128}$/;

/** A name of its own for the model of a worker. @throws SvcError INVALID_REQUEST */
export function parseServedName(text: string): string {
  if (nameRule.test(text)) return text;
  throw invalid('1 to 128 letters, digits and . : / @ _ -', '--model-name', show(text));
}

/** Splits `NAME=VALUE`; undefined without a name that requests can use. */
function splitPair(text: string): readonly [string, string] | undefined {
  const [, name = '', value = ''] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  return nameRule.test(name) && value !== '' ? [name, value] : undefined;
}

/** @throws SvcError INVALID_REQUEST, MODEL_NOT_FOUND */
export function parseServedModel(text: string): ServedModel {
  if (isModelFolder(text)) return { name: basename(resolve(text)), path: text };
  if (!text.includes('=') || isAddress(text)) {
    const hub = parseNamedModel(text, '--model NAME=FILE or --model-path');
    return { name: isAddress(hub) ? modelName(parseModelName(hub)) : hub, hub };
  }
  const pair = splitPair(text);
  if (pair === undefined) throw invalid('a model, or NAME=MODEL such as mine=mine.gguf', '--model', show(text));
  const [name, target] = pair;
  return isModelPath(target) ? { name, path: target } : { name, hub: parseNamedModel(target, '--model NAME=FILE') };
}

const units: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
};

/** Bytes of `2GiB`, `1500MB` or `2e9`. @throws SvcError INVALID_REQUEST */
export function parseMemoryLimit(text: string): number {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)\s*(|[kmg]i?)b?$/i.exec(text.trim()) ?? [];
  const bytes = Number(count) * (units[unit.toLowerCase()] ?? Number.NaN);
  if (bytes > 0) return bytes;
  throw invalid('a size such as 2GiB or 1500MB', '--memory-limit', show(text));
}

export const servedModelOptions = (): readonly Option[] =>
  grouped('Model:', [
    suggesting(
      new Option(
        '--model <model>',
        `model name (${Object.keys(knownModels).join(', ')}) or Hugging Face repository; or NAME=MODEL with one of these, a .gguf file, a folder of ONNX files or an official checkpoint; may be repeated, then models are loaded on first use`,
      )
        .conflicts('modelPath')
        .argParser((text: string, others: readonly ServedModel[] = []) => [...others, parseServedModel(text)]),
      'models',
    ),
    new Option(
      '--alias <alias=name>',
      'another name for a model, such as tts-1=voxcpm-0.5b; may be repeated',
    ).argParser((text: string, others: ReadonlyMap<string, string> = new Map()) => {
      const pair = splitPair(text);
      if (pair === undefined) throw invalid('ALIAS=NAME such as tts-1=voxcpm-0.5b', '--alias', show(text));
      return new Map([...others, pair]);
    }),
    new Option(
      '--keep-alive <duration>',
      'how long to keep an idle model loaded, or with --broker, one without workers in the list: such as 10m, seconds, 0 to unload at once, -1 forever (default: 10m for several models, else -1)',
    ).argParser((text) => parseKeepAlive(text, '--keep-alive')),
    new Option(
      '--memory-limit <size>',
      'memory limit of the process, such as 2GiB; the least recently used models are unloaded to stay below it',
    ).argParser(parseMemoryLimit),
  ]);
