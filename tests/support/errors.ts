import { expect } from '@jest/globals';

/** Matches an error of this code whose message is the string, or fits the pattern. */
export const errorOf = (code: string, message: string | RegExp): object =>
  expect.objectContaining({ code, message: typeof message === 'string' ? message : expect.stringMatching(message) });

/** Matches an error of this code whose message has this part. */
export const errorWith = (code: string, part: string): object =>
  expect.objectContaining({ code, message: expect.stringContaining(part) });

/** Expects a promise to be rejected so, with all of the message or a pattern of it. */
export const expectError = (promise: Promise<unknown>, code: string, message: string | RegExp): Promise<void> =>
  expect(promise).rejects.toEqual(errorOf(code, message));

/** Expects a promise to be rejected so, with a part of the message. */
export const expectErrorWith = (promise: Promise<unknown>, code: string, part: string): Promise<void> =>
  expect(promise).rejects.toEqual(errorWith(code, part));
