/** A checkpoint for `svc export`, with the adapters of `--lora`. */
import type { Checkpoint } from '../../../export/checkpoint.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import type { LoraOptions } from '../options/lora-options.ts';
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
  const adapters = [];
  for (const { name, place, weight } of lora) {
    adapters.push({ path: await findLora(place, { quiet }, io), name, weight, alpha });
  }
  return openMerged(path, adapters);
}
