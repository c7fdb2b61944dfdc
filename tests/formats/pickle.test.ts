import { describe, expect, it } from '@jest/globals';
import { unpickle } from '../../src/formats/pickle.ts';
import { raw, unicode } from '../export/build-files.ts';
import { errorWith } from '../support/errors.ts';
import { countedCopy, growthOf } from '../support/work.ts';

const counted = await countedCopy<typeof import('../../src/formats/pickle.ts')>('src/formats/pickle.ts');

const load = (...parts: readonly Uint8Array[]) => unpickle(Buffer.concat(parts), 'model.pth');
const refusal = (message: string) => errorWith('MODEL_INVALID', message);

/** Expects `bytes` to fail; returns the error. */
function refused(bytes: Uint8Array): unknown {
  try {
    load(bytes);
  } catch (error) {
    return error;
  }
  throw new Error('was not refused');
}

describe('unpickle', () => {
  it('builds plain values', () => {
    const numbers = '(NK\x01M\x00\x01J\xff\xff\xff\xff\x88\x89\x8a\x02\xff\x7fG?\xf0\x00\x00\x00\x00\x00\x00';
    const values = [null, 1, 256, -1, true, false, 32767, 1, 'é'];
    expect(load(raw(`\x80\x02${numbers}`), unicode('é'), raw('t.'))).toEqual(values);
    const dictionary = load(raw('\x80\x02}q\x00(X\x01\x00\x00\x00aK\x01X\x01\x00\x00\x00b]q\x01(K\x02K\x03eu.'));
    expect(dictionary).toEqual(new Map<string, unknown>(Object.entries({ a: 1, b: [2, 3] })));
    const pair = [1, 2];
    expect(load(raw('\x80\x02K\x01K\x02\x86q\x05h\x05\x86.'))).toEqual([pair, pair]);
  });

  it.each([
    ['os.system', raw('\x80\x02cos\nsystem\n(X\x02\x00\x00\x00idtR.'), 'global "os.system"'],
    ['a builtin by protocol 4', raw('\x80\x04\x8c\x08builtins\x8c\x04eval\x93.'), 'global "builtins.eval"'],
    ['a method of the prototype', raw('\x80\x02cconstructor\nconstructor\n.'), 'global "constructor.constructor"'],
    ['a global with a line break', raw('\x80\x04\x8c\x03a\nb\x8c\x01c\x93.'), 'global "a\\nb.c"'],
    ['NEWOBJ of a storage', raw('\x80\x02ctorch\nFloatStorage\n)\x81.'), 'invalid arguments of torch.FloatStorage'],
    ['a builtin of Python 2', raw('\x80\x02c__builtin__\neval\n.'), 'global "__builtin__.eval"'],
    ['a name that starts like an allowed one', raw('\x80\x02ctorch\ndevice.mro\n.'), 'global "torch.device.mro"'],
    ['a function of torch', raw('\x80\x02ctorch\nload\n.'), 'global "torch.load"'],
    ['INST', raw('(ios\nsystem\n.'), 'unknown opcode 0x'],
    ['a called storage type', raw('\x80\x02ctorch\nFloatStorage\n)R.'), 'invalid arguments of torch.FloatStorage'],
    ['a persistent id that is no storage', raw('\x80\x02K\x01Q.'), 'a persistent id must be a torch storage'],
    [
      'a tensor without a storage',
      raw('\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(NK\x00))\x89NtR.'),
      'invalid arguments of torch._utils._rebuild_tensor_v2',
    ],
    ['pairs', raw('\x80\x02ccollections\nOrderedDict\n]\x85R.'), 'invalid arguments of collections.OrderedDict'],
    ['state of a list', raw('\x80\x02]Nb.'), 'cannot set the state of '],
    ['a string longer than the file', raw('X\xff\xff\xff\xffabc.'), 'it is truncated'],
    ['a 64-bit length', raw('\x8d\xff\xff\xff\xff\xff\xff\xff\xffabc.'), 'it is truncated'],
    ['an unknown memo entry', raw('j\xff\xff\xff\x7f.'), 'memo entry 2147483647 is missing'],
    ['an empty stack', raw('.'), 'the stack has no value'],
    ['a mark as value', raw('(.'), 'the stack has no value'],
    ['no mark', raw('NNt.'), 'the stack has no mark'],
    ['items for no dict', raw('N(K\x01K\x02u.'), 'cannot set items of '],
    ['a key without a value', raw('}(K\x01u.'), 'a dict has an odd number of keys and values'],
    ['a dict as key', raw('}}Ns.'), 'keys must be strings or numbers'],
    ['a long of 200 bytes', raw(`\x8a\xc8${'\xff'.repeat(200)}.`), 'an integer has 200 bytes, more than 8'],
    ['text that is not UTF-8', raw('X\x01\x00\x00\x00\xff.'), 'a string is not valid UTF-8'],
    ['no end', raw('N'), 'it is truncated'],
    ['nothing', raw(''), 'it is truncated'],
  ])('refuses %s', (_name, bytes, message) => {
    expect(refused(bytes)).toEqual(refusal(message));
  });

  it.each([
    ['nested tuples', '\x85', ''],
    ['marks', '(', ''],
    ['values that it names', 'q\x00h\x00\x86', 'N'],
    ['dicts', '}', ''],
  ])('takes linear time for %s', async (_, piece, start) => {
    const attempt = (count: number) => {
      try {
        counted.unpickle(raw(`${start}${piece.repeat(count)}.`), 'model.pth');
      } catch (error) {
        expect(error).toMatchObject({ code: 'MODEL_INVALID' });
      }
    };
    expect(await growthOf(attempt, 1_000, 4_000)).toBeLessThan(4.3);
  });

  it('does not recurse into nested values', () => {
    const depth = 30_000;
    expect(refused(raw(`${'\x85'.repeat(depth)}.`))).toEqual(refusal('the stack has no value'));
    expect(load(raw(`N${'\x85'.repeat(depth)}.`))).toHaveLength(1);
    expect(refused(raw(`${'('.repeat(depth)}.`))).toEqual(refusal('the stack has no value'));
  });

  it('does not expand a memo bomb', () => {
    // Each level contains the previous one twice: 2^1000 leaves if expanded.
    const doubling = Array.from({ length: 1000 }, () => 'q\x00h\x00\x86').join('');
    expect(load(raw(`N${doubling}.`))).toHaveLength(2);
    expect(refused(raw(`N${doubling}ctorch\nSize\nh\x00Nc`))).toEqual(refusal('it is truncated'));
  });

  it.each(['torch\nint', 'torch\ncomplex', 'torch.cuda\nA'])('refuses a long name of a global: %j…', async (stem) => {
    for (const last of ['!', '']) {
      const refuse = (length: number): void => {
        const pickle = raw(`\x80\x02c${stem}${'1'.repeat(length)}${last}\n.`);
        expect(() => counted.unpickle(pickle, 'model.pth')).toThrow('is not allowed');
      };
      expect(await growthOf(refuse, 4_000, 16_000)).toBeLessThan(4.3);
    }
  });

  it('does not search an allowed name in every way', () => {
    expect(load(raw('\x80\x02ctorch\nquint4x2\n.'))).toMatchObject({ name: 'torch.quint4x2' });
    expect(load(raw('\x80\x02ctorch\nfloat8_e4m3fn\n.'))).toMatchObject({ name: 'torch.float8_e4m3fn' });
    expect(() => load(raw('\x80\x02ctorch\nint_a\n.'))).toThrow('global "torch.int_a" is not allowed');
  });

  it('builds no more objects than a large model has', () => {
    expect(load(raw(`${'}'.repeat(900_000)}.`))).toEqual(new Map());
    expect(refused(raw(`${'}'.repeat(1_000_001)}.`))).toEqual(refusal('it has more than 1000000 opcodes'));
  });

  it('accepts a list that contains itself', () => {
    expect(load(raw(']q\x00h\x00a.'))).toHaveLength(1);
  });
});
