/** A tensor of an ONNX file, made while it is written. */
import type { ElementType } from './graph.ts';

export interface Weight {
  /** Unique in the graph. */
  readonly name: string;
  readonly type: ElementType;
  /** Outermost dimension first. */
  readonly shape: readonly number[];
  /** The tensor's bytes in order, in parts of any size. */
  data(): AsyncIterable<Uint8Array>;
}

const elementBytes: Readonly<Record<ElementType, number>> = {
  float32: 4,
  uint8: 1,
  int8: 1,
  int32: 4,
  int64: 8,
  bool: 1,
  float16: 2,
};

export const weightBytes = ({ type, shape }: Pick<Weight, 'type' | 'shape'>): number =>
  shape.reduce((product, length) => product * length, elementBytes[type]);
