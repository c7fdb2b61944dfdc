import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { createProgress, createRemaining } from '../../../src/cli/output/progress.ts';
import { readAll } from '../../support/read-all.ts';

const terminal = (isTTY: boolean) => Object.assign(new PassThrough(), { isTTY, columns: 80 });
const written = (stream: PassThrough): string => String(readAll(stream));

describe('createProgress', () => {
  it('draws a bar on a terminal, clears it, and brings it back', () => {
    const stream = terminal(true);
    const progress = createProgress(stream);
    progress.update('speaking', 0.302, '3 of 10 lines');
    progress.stop();
    const first = written(stream);
    expect(first).toContain('speaking [');
    expect(first).toContain('] 30 %, 3 of 10 lines');
    // The last that is written is the clearing of the line.
    expect(first.slice(first.lastIndexOf('30 %'))).toContain('\u001b[');
    progress.update('writing', 0.5);
    progress.stop();
    expect(written(stream)).toContain('] 50 %');
  });

  it('ends full, whatever was estimated', () => {
    const stream = terminal(true);
    const progress = createProgress(stream);
    progress.update('speaking', 0.6);
    progress.complete();
    progress.stop();
    expect(written(stream)).toMatch(/\[=+\] 100 %/);
  });

  it('writes nothing anywhere else, nor when there was nothing to show', () => {
    const file = terminal(false);
    const progress = createProgress(file);
    progress.update('speaking', 0.3);
    progress.complete();
    progress.stop();
    expect(written(file)).toBe('');
    const idle = terminal(true);
    createProgress(idle).complete();
    createProgress(idle).stop();
    expect(written(idle)).toBe('');
  });
});

describe('createRemaining', () => {
  it('estimates from the speed so far, of a resumed run from what it has done itself', () => {
    const remaining = createRemaining();
    expect(remaining(0.5, 0)).toBeUndefined();
    expect(remaining(0.501, 100)).toBeUndefined();
    expect(remaining(0.6, 600)).toBe('40 min left');
    expect(remaining(0.51, 700)).toBeUndefined();
    expect(remaining(0.52, 1_000)).toBe('4 h 0 min left');
    expect(remaining(0.99, 1_100)).toBeUndefined();
  });
});
