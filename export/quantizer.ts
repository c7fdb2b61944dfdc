import type { Quantizer } from './export-gguf.ts';
import { typeTraits, type WeightType } from './gguf/tensor-types.ts';

/** Loads the addon only for types that need it, so that a machine without it can export the others. */
export async function loadQuantizer(type: WeightType): Promise<Quantizer | undefined> {
  if (typeTraits[type].blockElements === 1) return undefined;
  const { loadAddon } = await import('../src/engine/backends/native/load-addon.ts');
  const addon = await loadAddon();
  return (name, values, rowLength) => addon.quantize(name, values, rowLength);
}
