import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { createProgress } from '../../../src/cli/output/progress.ts';

const terminal = (isTTY: boolean) => Object.assign(new PassThrough(), { isTTY, columns: 80 });
const written = (stream: PassThrough): string => String(stream.read() ?? '');

describe('createProgress', () => {
  it('draws a bar on a terminal, clears it, and brings it back', () => {
    const stream = terminal(true);
    const progress = createProgress(stream);
    progress.update('speaking', 3, 10);
    progress.stop();
    const first = written(stream);
    expect(first).toContain('speaking [');
    expect(first).toContain('] 3/10');
    // The last that is written is the clearing of the line.
    expect(first.slice(first.lastIndexOf('3/10'))).toContain('\u001b[');
    progress.update('writing', 1, 2);
    progress.stop();
    expect(written(stream)).toContain('] 1/2');
  });

  it('writes nothing anywhere else, nor when there was nothing to show', () => {
    const file = terminal(false);
    const progress = createProgress(file);
    progress.update('speaking', 3, 10);
    progress.stop();
    expect(written(file)).toBe('');
    const quiet = terminal(true);
    createProgress(quiet).stop();
    expect(written(quiet)).toBe('');
  });
});
