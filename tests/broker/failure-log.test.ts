import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createFailureLog } from '../../src/broker/failure-log.ts';

afterEach(() => {
  jest.useRealTimers();
});

describe('createFailureLog', () => {
  it('logs each error once, and again if it persists', () => {
    jest.useFakeTimers();
    const warn = jest.fn();
    const report = createFailureLog({ warn });
    for (let second = 0; second < 9; second += 1) {
      report(new Error('connect ECONNREFUSED'));
      report(new Error('read ECONNRESET'));
      jest.advanceTimersByTime(1_000);
    }
    expect(warn.mock.calls.map(([fields]) => fields)).toEqual([
      { reason: 'connect ECONNREFUSED' },
      { reason: 'read ECONNRESET' },
    ]);
    jest.advanceTimersByTime(2_000);
    report(new Error('read ECONNRESET'));
    expect(warn).toHaveBeenCalledTimes(3);
  });
});
