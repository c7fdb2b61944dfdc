import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { createIdleTimer } from '../../../src/server/live/socket-session.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const create = (isBusy = (): boolean => false) => {
  const expire = jest.fn();
  return { expire, timer: createIdleTimer({ start: 10, idle: 100, isBusy, expire }) };
};

it('expires after its start, or after the last touch', () => {
  const never = create();
  jest.advanceTimersByTime(9);
  expect(never.expire).not.toHaveBeenCalled();
  jest.advanceTimersByTime(1);
  expect(never.expire).toHaveBeenCalledTimes(1);

  const { expire, timer } = create();
  timer.touch();
  jest.advanceTimersByTime(99);
  timer.touch();
  jest.advanceTimersByTime(99);
  expect(expire).not.toHaveBeenCalled();
  jest.advanceTimersByTime(1);
  expect(expire).toHaveBeenCalledTimes(1);
});

it('waits on while it is busy', () => {
  let isBusy = true;
  const { expire } = create(() => isBusy);
  jest.advanceTimersByTime(10 + 100);
  expect(expire).not.toHaveBeenCalled();
  isBusy = false;
  jest.advanceTimersByTime(100);
  expect(expire).toHaveBeenCalledTimes(1);
});

it('never expires after it was stopped, not even when touched', () => {
  const { expire, timer } = create();
  timer.stop();
  timer.touch();
  jest.advanceTimersByTime(1_000);
  expect(expire).not.toHaveBeenCalled();
});
