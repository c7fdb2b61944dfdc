/** The exporter for `src/hub`, which may not import it. */
import { typeTraits } from '../../../export/gguf/tensor-types.ts';
import type { Converter } from '../../hub/resolve.ts';
import { parseWeightType } from '../options/options.ts';
import { loadQuantizer } from './quantizer.ts';

/** Published checkpoints have 16 bits per weight; weights that are not matrices keep at least about 8. */
const checkpointBits = 16;
const fewestBits = 8.5;

export const converter: Converter = {
  estimate(checkpointBytes, type) {
    const { blockBytes, blockElements } = typeTraits[parseWeightType(type)];
    const bits = Math.max(fewestBits, (blockBytes * 8) / blockElements);
    return Math.ceil((checkpointBytes * bits) / checkpointBits);
  },
  async convert({ checkpoint, output, type: name, signal, onProgress }) {
    const type = parseWeightType(name);
    const { exportGguf } = await import('../../../export/export-gguf.ts');
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
