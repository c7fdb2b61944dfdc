import { expect, it } from '@jest/globals';
import { createByteLru } from '../../src/content-cache/byte-lru.ts';

const create = () => createByteLru<string>(10, ({ length }) => length);

it('keeps the values that were used last, within its bytes', () => {
  const values = create();
  values.set('a', '1234');
  values.set('b', '5678');
  expect(values.get('a')).toBe('1234');
  values.set('c', '90');
  expect(values.bytes()).toBe(10);
  values.set('d', '!');
  expect(['a', 'b', 'c', 'd'].map(values.get)).toEqual(['1234', undefined, '90', '!']);
  expect(values.bytes()).toBe(7);
});

it('replaces a value', () => {
  const values = create();
  values.set('a', '1234');
  values.set('a', '56');
  expect(values.get('a')).toBe('56');
  expect(values.bytes()).toBe(2);
});

it('does not keep a value that is too large', () => {
  const values = create();
  values.set('a', '12345678901');
  expect(values.get('a')).toBeUndefined();
  expect(values.bytes()).toBe(0);
});
