import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createFailureLog } from '../../src/broker/failure-log.ts';

afterEach(() => {
  jest.useRealTimers();
});

describe('createFailureLog', () => {
  it('tells each failure once, and again when it goes on', () => {
    jest.useFakeTimers();
    const warn = jest.fn();
    const tell = createFailureLog({ warn });
    for (let second = 0; second < 9; second += 1) {
      tell(new Error('connect ECONNREFUSED'));
      tell(new Error('read ECONNRESET'));
      jest.advanceTimersByTime(1_000);
    }
    expect(warn.mock.calls.map(([fields]) => fields)).toEqual([
      { reason: 'connect ECONNREFUSED' },
      { reason: 'read ECONNRESET' },
    ]);
    jest.advanceTimersByTime(2_000);
    tell(new Error('read ECONNRESET'));
    expect(warn).toHaveBeenCalledTimes(3);
  });
});
