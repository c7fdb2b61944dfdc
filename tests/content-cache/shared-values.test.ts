import { expect, it, jest } from '@jest/globals';
import { createSharedValues } from '../../src/content-cache/shared-values.ts';

const deferred = <Value>() => {
  let settle: { resolve: (value: Value) => void; reject: (error: Error) => void } | undefined;
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...(settle as NonNullable<typeof settle>) };
};
const create = () => createSharedValues<string>(8, (value) => value.length);

it('makes a value once for all who ask while it is made, and keeps it', async () => {
  const values = create();
  const making = deferred<string>();
  const make = jest.fn(() => making.promise);
  const waiting = [1, 2, 3].map(() => values.get('key', make));
  making.resolve('value');
  expect(await Promise.all(waiting)).toEqual(['value', 'value', 'value']);
  expect([await values.get('key', make), values.bytes()]).toEqual(['value', 5]);
  expect(make).toHaveBeenCalledTimes(1);
  await values.get('other', async () => 'another');
  expect(await values.get('key', async () => 'anew')).toBe('anew');
});

it('fails for all who wait, and is made again later', async () => {
  const values = create();
  const make = jest.fn(() => Promise.reject(new Error('no')));
  const failed = await Promise.allSettled([1, 2].map(() => values.get('key', make)));
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(make).toHaveBeenCalledTimes(1);
  expect(await values.get('key', async () => 'value')).toBe('value');
});

it('is made by another who waits when the first one is canceled', async () => {
  const values = create();
  const first = new AbortController();
  const making = deferred<string>();
  const canceled = values.get('key', () => making.promise, first.signal).catch((error: Error) => error.message);
  const make = jest.fn(async () => 'value');
  const waiting = [1, 2, 3].map(() => values.get('key', make, new AbortController().signal));
  first.abort();
  making.reject(new Error('canceled'));
  expect(await canceled).toBe('canceled');
  expect(await Promise.all(waiting)).toEqual(['value', 'value', 'value']);
  expect(make).toHaveBeenCalledTimes(1);
});

it('is not waited for by one who is canceled', async () => {
  const values = create();
  const making = deferred<string>();
  const first = values.get('key', () => making.promise);
  const second = new AbortController();
  const waiting = values.get('key', async () => 'other', second.signal).catch(() => 'canceled');
  second.abort();
  expect(await waiting).toBe('canceled');
  making.resolve('value');
  expect(await first).toBe('value');
});
