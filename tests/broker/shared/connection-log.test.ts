import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { createConnectionLog } from '../../../src/broker/shared/connection.ts';

afterEach(() => {
  jest.useRealTimers();
});

const [info, warn] = [jest.fn(), jest.fn()];
beforeEach(() => {
  for (const log of [info, warn]) log.mockClear();
});

it('logs each error once, and again if it persists', () => {
  jest.useFakeTimers();
  const { failed } = createConnectionLog({ info, warn });
  for (let second = 0; second < 9; second += 1) {
    failed(new Error('connect ECONNREFUSED'));
    failed(new Error('read ECONNRESET'));
    jest.advanceTimersByTime(1_000);
  }
  expect(warn.mock.calls.map(([fields]) => fields)).toEqual([
    { reason: 'connect ECONNREFUSED' },
    { reason: 'read ECONNRESET' },
  ]);
  jest.advanceTimersByTime(2_000);
  failed(new Error('read ECONNRESET'));
  expect(warn).toHaveBeenCalledTimes(3);
});

it('logs the end of an outage once, and errors of commands as such', () => {
  const { failed, restored } = createConnectionLog({ info, warn });
  restored();
  failed(new Error('could not renew lock for job 1'));
  restored();
  expect([info.mock.calls, warn.mock.calls]).toEqual([
    [],
    [[{ reason: 'could not renew lock for job 1' }, 'broker command failed']],
  ]);
  failed(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));
  for (let connection = 0; connection < 3; connection += 1) restored();
  expect(warn).toHaveBeenLastCalledWith({ reason: 'connect' }, 'broker connection failed');
  expect(info.mock.calls).toEqual([[{}, 'broker connection restored']]);
});
