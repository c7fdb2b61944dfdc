import { describe, expect, it } from '@jest/globals';
import { messageOf, plainError, SvcError, toSvcError } from '../src/errors.ts';

describe('SvcError', () => {
  it.each([
    ['INVALID_REQUEST', 2, 400],
    ['VOICE_NOT_FOUND', 3, 404],
    ['CONSENT_NOT_FOUND', 3, 404],
    ['MODEL_INVALID', 4, 500],
    ['UNSUPPORTED_PARAMETER', 2, 400],
    ['BACKEND_UNAVAILABLE', 5, 503],
    ['OUT_OF_MEMORY', 6, 503],
    ['NETWORK', 7, 502],
    ['CANCELLED', 130, 499],
    ['INTERNAL', 1, 500],
  ] as const)('%s: exit code %i, status %i', (code, exitCode, status) => {
    expect(new SvcError(code, 'expected')).toMatchObject({ name: 'SvcError', code, exitCode, status });
  });
});

describe('a remedy', () => {
  it('follows the problem in the message, also from another thread', () => {
    const error = new SvcError('IO', 'no room', { remedy: 'free some' });
    expect(error).toMatchObject({ message: 'no room; free some', problem: 'no room', remedy: 'free some' });
    const sent = structuredClone(plainError(error));
    expect(toSvcError(sent)).toMatchObject({ message: 'no room; free some', problem: 'no room', remedy: 'free some' });
    expect(toSvcError(structuredClone(plainError(new SvcError('IO', 'none'))))).toMatchObject({
      message: 'none',
      remedy: undefined,
    });
  });
});

describe('toSvcError', () => {
  it('returns an SvcError unchanged', () => {
    const error = new SvcError('CONFLICT', 'taken');
    expect(toSvcError(error)).toBe(error);
  });

  it.each([
    ['of native code', Object.assign(new Error('no room'), { code: 'OUT_OF_MEMORY' }), 'OUT_OF_MEMORY', 'no room'],
    ['of a signal', new DOMException('This operation was aborted', 'AbortError'), 'CANCELLED', 'canceled'],
    ['of a file', Object.assign(new Error('EACCES: no'), { code: 'EACCES' }), 'IO', 'EACCES: no'],
    ['with a code of Node', Object.assign(new Error('bad'), { code: 'ERR_INVALID_ARG_TYPE' }), 'INTERNAL', 'bad'],
    ['with the name of a method as code', Object.assign(new Error('odd'), { code: 'toString' }), 'INTERNAL', 'odd'],
    ['of another realm', { message: 'from elsewhere', code: 'NETWORK' }, 'NETWORK', 'from elsewhere'],
  ] as const)('keeps the meaning of an error %s', (_, thrown, code, message) => {
    const error = toSvcError(thrown);
    expect([error.code, error.message, error.cause]).toEqual([code, message, thrown]);
  });

  it.each([['a text'], [undefined], [null], [7]])('accepts %j, which is not an error', (thrown) => {
    expect(toSvcError(thrown)).toMatchObject({ code: 'INTERNAL', message: String(thrown) });
    expect(messageOf(thrown)).toBe(String(thrown));
  });
});
