import { describe, expect, it } from '@jest/globals';
import { assertSaneTables } from '../../../src/audio/decode/mp4-tables.ts';
import { errorWith } from '../../support/errors.ts';

const words = (...numbers: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [index, number] of numbers.entries()) bytes.writeUInt32BE(number, 4 * index);
  return bytes;
};
const box = (type: string, content: Buffer): Buffer =>
  Buffer.concat([words(8 + content.length), Buffer.from(type, 'latin1'), content]);
/** With its size in 64 bits. */
const longBox = (type: string, content: Buffer): Buffer =>
  Buffer.concat([words(1), Buffer.from(type, 'latin1'), words(0, 16 + content.length), content]);
const inTrack = (table: Buffer): Buffer =>
  ['stbl', 'minf', 'mdia', 'trak', 'moov'].reduce((content, type) => box(type, content), table);

/** Bytes of an entry in ISO/IEC 14496-12. */
const entryBytes = { stts: 8, ctts: 8, stsc: 12, stss: 4, stco: 4, co64: 8 };

describe.each(Object.entries(entryBytes))('a table %s of entries of %i bytes', (type, size) => {
  const content = Buffer.concat([words(0, 3), Buffer.alloc(3 * size)]);

  it.each([
    ['as usual', box],
    ['with a size in 64 bits', longBox],
  ])('may be full, and claims no more than it has (%s)', (_, make) => {
    expect(() => assertSaneTables(inTrack(make(type, content)))).not.toThrow();
    expect(() => assertSaneTables(inTrack(make(type, content.subarray(0, -1))))).toThrow(
      errorWith('UNSUPPORTED_AUDIO', type),
    );
  });
});

it('finds a table behind other boxes, and in the last box, which may state no size', () => {
  const short = Buffer.concat([words(0, 3), Buffer.alloc(11)]);
  const last = Buffer.concat([words(0), Buffer.from('stco', 'latin1'), short]);
  const track = (table: Buffer): Buffer => inTrack(Buffer.concat([longBox('free', Buffer.alloc(5)), table]));
  for (const table of [box('stco', short), last]) expect(() => assertSaneTables(track(table))).toThrow('stco');
});
