/** Small files of `torch.save` whose pickles cost a careless reader much time, memory or stack. */
import { legacyStart } from '../../src/formats/torch-checkpoint.ts';
import { pick, type Random } from './random.ts';

/** Pickles that grow with a number. */
const bombs: Readonly<Record<string, (size: number) => string>> = {
  'a long name': (size) => `ctorch\nint${'1'.repeat(size)}!\n.`,
  'a long name of a module': (size) => `ctorch${'.cuda'.repeat(size)}\nFloatStorage\n.`,
  'nested tuples': (size) => `N${'\x85'.repeat(size)}.`,
  'nested lists': (size) => `${']'.repeat(size)}${'a'.repeat(size - 1)}.`,
  'shared tuples': (size) => `)${'q\x00h\x00\x86'.repeat(size)}.`,
  dicts: (size) => `${'}'.repeat(size)}.`,
  marks: (size) => `${'('.repeat(size)}.`,
  'memo entries': (size) => `N${'\x94'.repeat(size)}.`,
};

/** Such a file in the format before torch 1.6; the pickle is in the place of the version or of the object. */
export function pickleBomb(random: Random): { readonly bytes: Buffer; readonly change: string } {
  const name = pick(random, Object.keys(bombs));
  const size = 2 ** (1 + random(22));
  const place = pick(random, ['version', 'object']);
  const before = place === 'version' ? '' : 'M\xe9\x03.}X\x0d\x00\x00\x00little_endian\x88s.';
  const pickle = bombs[name]?.(size) ?? '';
  return {
    bytes: Buffer.concat([legacyStart, Buffer.from(before + pickle, 'latin1')]),
    change: `${size} × ${name} as ${place}`,
  };
}
