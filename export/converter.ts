/** The exporter for `src/hub`, which may not import it. */
import type { Converter } from '../src/hub/resolve.ts';
import { show } from '../src/messages.ts';
import { invalid } from '../src/validation.ts';
import { typeTraits, type WeightType, weightTypes } from './gguf/tensor-types.ts';
import { loadQuantizer } from './quantizer.ts';

/** Published checkpoints have 16 bits per weight; weights that are not matrices keep at least about 8. */
const checkpointBits = 16;
const fewestBits = 8.5;

export const converter: Converter = {
  estimate(checkpointBytes, type) {
    const { blockBytes, blockElements } = typeTraits[weightTypeOf(type)];
    const bits = Math.max(fewestBits, (blockBytes * 8) / blockElements);
    return Math.ceil((checkpointBytes * bits) / checkpointBits);
  },
  async convert({ checkpoint, output, type: name, signal, onProgress }) {
    const type = weightTypeOf(name);
    const { exportGguf } = await import('./export-gguf.ts');
    await exportGguf({
      checkpoint,
      output,
      type,
      quantize: await loadQuantizer(type),
      signal,
      onProgress: ({ done, total }) => onProgress(done, total),
    });
  },
};

function weightTypeOf(name: string): WeightType {
  const found = weightTypes.find((type) => type === name.toLowerCase());
  if (found === undefined) throw invalid(`one of ${weightTypes.join(', ')}`, 'type', show(name));
  return found;
}
