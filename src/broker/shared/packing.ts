/** Encodes requests for the broker: JSON, with all float arrays beside it as bytes. */
import { bytesOf, floatsOf } from '../../float-arrays.ts';

export interface Packed {
  readonly json: string;
  /** All float32 values, little-endian, one array after another; empty when there are none. */
  readonly floats: Buffer;
}

/** An array in the JSON, as its offset among the values and its length. */
interface Place {
  readonly $floats: readonly [number, number];
}

const isPlace = (value: unknown): value is Place =>
  typeof value === 'object' && value !== null && Array.isArray((value as Partial<Place>).$floats);

export function pack(value: object): Packed {
  const arrays: Float32Array[] = [];
  let length = 0;
  const json = JSON.stringify(value, (_key, item: unknown) => {
    if (!(item instanceof Float32Array)) return item;
    const place: Place = { $floats: [length, item.length] };
    arrays.push(item);
    length += item.length;
    return place;
  });
  return { json, floats: Buffer.concat(arrays.map(bytesOf)) };
}

/** Inverse of `pack`. Arrays are copies. */
export function unpack({ json, floats }: Packed): unknown {
  const values = floatsOf(floats);
  return JSON.parse(json, (_key, item: unknown) =>
    isPlace(item) ? values.slice(item.$floats[0], item.$floats[0] + item.$floats[1]) : item,
  );
}
