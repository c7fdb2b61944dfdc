/** A checkpoint for `svc export`, with the adapters of `--lora`. */
import { open } from 'node:fs/promises';
import type { Checkpoint } from '../../../export/checkpoint-source.ts';
import { readGgufHeader } from '../../formats/gguf.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { type LoraOptions, loraNames } from '../options/lora-options.ts';
import { printWarning } from '../output/messages.ts';
import { findLora } from './lora-choice.ts';

/** @returns the path as it is, or an open checkpoint, which the exporter closes */
export async function withAdapters(
  path: string,
  { lora = [], loraAlpha: alpha, quiet }: LoraOptions & { readonly quiet?: boolean | undefined },
  io: Io,
): Promise<string | Checkpoint> {
  if (lora.length === 0) {
    if (alpha !== undefined) throw requestError('--lora-alpha needs --lora');
    return path;
  }
  const { openMerged } = await import('../../../export/merge-adapter.ts');
  const names = loraNames({ lora });
  const adapters = [];
  for (const [index, { place, weight }] of lora.entries()) {
    adapters.push({ path: await findLora(place, { quiet }, io), name: names[index], weight, alpha });
  }
  const checkpoint = await openMerged(path, adapters);
  const type = quiet ? undefined : await quantizedType(path);
  if (type !== undefined) {
    printWarning(`${path} is already quantized (${type}) and is rounded a second time; merge into the checkpoint`, io);
  }
  return checkpoint;
}

/** The type of the quantized matrices of a `.gguf` file; undefined without any. */
async function quantizedType(path: string): Promise<string | undefined> {
  if (!path.toLowerCase().endsWith('.gguf')) return undefined;
  const file = await open(path);
  try {
    const { tensors } = await readGgufHeader(file, path);
    return tensors.find(({ type }) => /^i?q\d/.test(type))?.type;
  } finally {
    await file.close();
  }
}
