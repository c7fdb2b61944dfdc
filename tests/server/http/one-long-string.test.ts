import { expect, it } from '@jest/globals';
import { createLongBesideOneString, isLongBesideOneString } from '../../../src/server/http/one-long-string.ts';

const long = 'A'.repeat(1000);

it.each([
  ['nothing', '', false],
  ['a short text', '{"a":1}', false],
  ['a long string', `{"a":"${long}","b":1}`, false],
  ['a long string with escaped slashes', `{"a":"${'A\\/'.repeat(500)}"}`, false],
  ['a long string without an end', `{"a":"${long}`, false],
  ['two long strings', `{"a":"${long}","b":"${long}"}`, true],
  ['a long rest before', `{"b":[${'1,'.repeat(60)}1],"a":"${long}"}`, true],
  ['a long rest after', `{"a":"${long}","b":[${'1,'.repeat(60)}1]}`, true],
  ['a long rest between strings', `{"a":"b"${',1'.repeat(500)},"c":"d"}`, true],
  ['a long string with escaped quotes', `{"a":"${'\\"'.repeat(500)}"}`, true],
  ['two long strings, one without an end', `{"a":"${long}","b":"${long}`, true],
  ['no strings', '1'.repeat(101), true],
])('%s', (_what, text, expected) => {
  expect(isLongBesideOneString(text, 100)).toBe(expected);
  for (const size of [1, 2, 7]) {
    const counted = createLongBesideOneString(100);
    const pieces = text.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
    expect(pieces.some(counted.push) || counted.end()).toBe(expected);
  }
});

it.each([['"'], ['\\"'], ['{},'], ['"a",'], ['\\\\"'], ['\\']])('reads little of a text of %j', (unit) => {
  let read = 0;
  const text = `"${unit.repeat(20_000)}`;
  const counted = {
    length: text.length,
    charCodeAt(at: number) {
      read += 1;
      return text.charCodeAt(at);
    },
    indexOf(sought: string, from: number) {
      const found = text.indexOf(sought, from);
      read += (found < 0 ? text.length : found) - from + 1;
      return found;
    },
  } as unknown as string;
  isLongBesideOneString(counted, 100);
  expect(read).toBeLessThanOrEqual(2 * text.length + 10);
});
