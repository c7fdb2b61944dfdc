/** `@jest/globals` for test files that run in Node.js itself. */
import { jestExpect } from '@jest/expect';
import { ModernFakeTimers } from '@jest/fake-timers';
import * as circus from 'jest-circus';
import { ModuleMocker } from 'jest-mock';

export const { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } = circus;
export const expect = jestExpect;

/** Equal numbers at once: Jest compares them one by one, which takes longer than most of what makes them. */
jestExpect.addEqualityTesters([
  (one, other) => {
    if (!ArrayBuffer.isView(one) || one.constructor !== other?.constructor) return undefined;
    const bytes = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    return Buffer.compare(bytes(one), bytes(other)) === 0 ? true : undefined;
  },
]);

const mocker = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({ config: { fakeTimers: {} }, global: globalThis });

/** jest-circus reads the limit of a file's tests from there. */
const timeout = Symbol.for('TEST_TIMEOUT_SYMBOL');

export const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  mocked: (value) => value,
  restoreAllMocks: () => mocker.restoreAllMocks(),
  useFakeTimers: (options) => timers.useFakeTimers(options),
  useRealTimers: () => timers.useRealTimers(),
  advanceTimersByTime: (milliseconds) => timers.advanceTimersByTime(milliseconds),
  advanceTimersByTimeAsync: (milliseconds) => timers.advanceTimersByTimeAsync(milliseconds),
  setTimeout: (milliseconds) => {
    globalThis[timeout] = milliseconds;
  },
};

/** Undoes what a test file may have left behind. */
export function restoreGlobals() {
  mocker.restoreAllMocks();
  timers.useRealTimers();
  delete globalThis[timeout];
}
