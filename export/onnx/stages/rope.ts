/** Rotary position tables in float32, like `MiniCPMLongRoPE` of the official `voxcpm/modules/minicpm4/model.py`. */
import type { ModelConfig } from '../../model-config.ts';
import { bytesOf } from '../checkpoint-weights.ts';
import type { GraphBuilder, Value } from '../graph.ts';

export interface RopeTables {
  /** Both `[positions, headDim / 2]`. */
  readonly cosines: Value;
  readonly sines: Value;
}

const { fround } = Math;

/** Positions computed at once; a config may have very many. */
const chunkPositions = 4096;

/** Creates tables for positions `0 … positions - 1`. */
export function ropeTables(
  graph: GraphBuilder,
  name: string,
  config: ModelConfig['lm_config'],
  headDim: number,
  positions: number,
): RopeTables {
  const half = headDim / 2;
  const { rope_scaling: rope, max_position_embeddings: longest, rope_theta: theta } = config;
  const original = rope.original_max_position_embeddings;
  const factors = longest > original ? rope.long_factor : rope.short_factor;
  const scale = Math.sqrt(1 + Math.log(longest / original) / Math.log(original));
  const frequencies = Array.from({ length: half }, (_, index) =>
    fround(1 / fround(theta ** fround((2 * index) / headDim))),
  );
  const table = (of: (angle: number) => number, kind: string): Value =>
    graph.weight({
      name: `${name}.${kind}`,
      type: 'float32',
      shape: [positions, half],
      async *data() {
        for (let first = 0; first < positions; first += chunkPositions) {
          const count = Math.min(chunkPositions, positions - first);
          const values = new Float32Array(count * half);
          for (let row = 0; row < count; row += 1) {
            for (let index = 0; index < half; index += 1) {
              const stretched = fround((first + row) * fround(1 / fround(factors[index] ?? 1)));
              const angle = fround(stretched * (frequencies[index] ?? 0));
              values[row * half + index] = fround(of(angle)) * fround(scale);
            }
          }
          yield bytesOf(values);
        }
      },
    });
  return { cosines: table(Math.cos, 'cosines'), sines: table(Math.sin, 'sines') };
}
