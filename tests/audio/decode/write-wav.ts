/** RIFF with the given chunks, each as [name, content, stated size]. */
export function riff(...chunks: readonly (readonly [string, Uint8Array, number?])[]): Uint8Array {
  const parts = chunks.flatMap(([name, content, size = content.length]) => {
    const sizes = Buffer.alloc(4);
    sizes.writeUInt32LE(size);
    return [Buffer.from(name, 'latin1'), sizes, content, new Uint8Array(content.length % 2)];
  });
  const body = Buffer.concat([Buffer.from('WAVE'), ...parts]);
  const start = Buffer.from('RIFF\0\0\0\0', 'latin1');
  start.writeUInt32LE(body.length, 4);
  return Buffer.concat([start, body]);
}

export interface Layout {
  readonly tag?: number;
  readonly channels?: number;
  readonly rate?: number;
  readonly bits?: number;
  readonly container?: number;
}

export const format = ({
  tag = 1,
  channels = 1,
  rate = 16_000,
  bits = 16,
  container = Math.ceil(bits / 8),
}: Layout = {}) => {
  const chunk = Buffer.alloc(16);
  chunk.writeUInt16LE(tag, 0);
  chunk.writeUInt16LE(channels, 2);
  chunk.writeUInt32LE(rate, 4);
  chunk.writeUInt32LE((rate * channels * container) % 2 ** 32, 8);
  chunk.writeUInt16LE((channels * container) % 2 ** 16, 12);
  chunk.writeUInt16LE(bits, 14);
  return chunk;
};

const depths = {
  '8': { tag: 1, bits: 8, write: Buffer.prototype.writeUInt8 },
  '16': { tag: 1, bits: 16, write: Buffer.prototype.writeInt16LE },
  '24': { tag: 1, bits: 24, write: writeInt24 },
  '32': { tag: 1, bits: 32, write: Buffer.prototype.writeInt32LE },
  '32f': { tag: 3, bits: 32, write: Buffer.prototype.writeFloatLE },
  '64': { tag: 3, bits: 64, write: Buffer.prototype.writeDoubleLE },
  '8a': { tag: 6, bits: 8, write: Buffer.prototype.writeUInt8 },
  '8m': { tag: 7, bits: 8, write: Buffer.prototype.writeUInt8 },
} as const;

function writeInt24(this: Buffer, value: number, offset: number): number {
  return this.writeIntLE(value, offset, 3);
}

/** A file of stored values, channel by channel. */
export function wav(depth: keyof typeof depths, channels: readonly ArrayLike<number>[], rate = 24_000): Uint8Array {
  const { tag, bits, write } = depths[depth];
  const values = Array.from(channels[0] ?? []).flatMap((_, frame) =>
    channels.map((channel) => channel[frame] as number),
  );
  const data = Buffer.alloc((values.length * bits) / 8);
  for (const [index, value] of values.entries()) write.call(data, value, (index * bits) / 8);
  return riff(['fmt ', format({ tag, channels: channels.length, rate, bits })], ['data', data]);
}
