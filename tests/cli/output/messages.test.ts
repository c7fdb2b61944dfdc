import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { hasColor, printError, printNote, printWarning } from '../../../src/cli/output/messages.ts';
import { readAll } from '../../support/read-all.ts';

const terminal = { isTTY: true };

describe('hasColor', () => {
  it.each([
    [true, { TERM: 'xterm-256color' }, true],
    [false, { TERM: 'xterm-256color' }, false],
    [true, { TERM: 'dumb' }, false],
    [true, { TERM: 'xterm-256color', NO_COLOR: '1' }, false],
    // no-color.org: an empty value does not count.
    [true, { TERM: 'xterm-256color', NO_COLOR: '' }, true],
    [false, { FORCE_COLOR: '1' }, true],
    [true, { TERM: 'xterm-256color', FORCE_COLOR: '0' }, false],
    [false, { FORCE_COLOR: '1', NO_COLOR: '1', TERM: 'dumb' }, true],
  ])('terminal: %j, %j: %j', (isTTY, environment, expected) => {
    expect(hasColor({ isTTY }, environment)).toBe(expected);
  });
});

describe('messages', () => {
  const printed = (print: typeof printError, message: string, environment: Record<string, string>): string => {
    const stderr = Object.assign(new PassThrough(), terminal);
    print(message, { stderr, environment });
    return String(readAll(stderr));
  };

  it('have a colored label on a terminal', () => {
    const environment = { TERM: 'xterm-256color' };
    expect(printed(printError, 'no file', environment)).toBe('svc: \u001b[31merror:\u001b[39m no file\n');
    expect(printed(printWarning, 'slow', environment)).toBe('svc: \u001b[33mwarning:\u001b[39m slow\n');
    expect(printed(printNote, 'done', environment)).toBe('svc: done\n');
  });

  it('are one line each', () => {
    expect(printed(printError, ' a\n  b\r\nc ', {})).toBe('svc: error: a b c\n');
  });
});
