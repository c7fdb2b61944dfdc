import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { clearStatus, openStatusLine, writeAbove } from '../../../src/cli/output/status-line.ts';
import { readAll } from '../../support/read-all.ts';
import { screenOf } from '../../support/screen.ts';

function open(columns = 80) {
  const terminal = Object.assign(new PassThrough(), { isTTY: true, columns });
  let all = '';
  const screen = (): readonly string[] => {
    all += String(readAll(terminal));
    return screenOf(all);
  };
  return { terminal, screen };
}

describe('the status line', () => {
  it('stays below all messages, and leaves nothing', () => {
    const { terminal, screen } = open();
    const line = openStatusLine(terminal);
    writeAbove(terminal, 'svc: before\n');
    line.show('a long state of the work');
    writeAbove(terminal, 'svc: note\n');
    expect(screen()).toEqual(['svc: before', 'svc: note', 'a long state of the work']);
    line.show('short');
    writeAbove(terminal, 'svc: one\nsvc: two\n');
    expect(screen()).toEqual(['svc: before', 'svc: note', 'svc: one', 'svc: two', 'short']);
    line.clear();
    writeAbove(terminal, 'svc: end\n');
    expect(screen()).toEqual(['svc: before', 'svc: note', 'svc: one', 'svc: two', 'svc: end', '']);
  });

  it('belongs to the last of several, such as a download within a batch', () => {
    const { terminal, screen } = open();
    const [batch, download] = [openStatusLine(terminal), openStatusLine(terminal)];
    batch.show('batch');
    download.show('download');
    batch.show('batch, further');
    expect(screen()).toEqual(['download']);
    download.clear();
    expect(screen()).toEqual(['batch, further']);
    download.show('download');
    clearStatus(terminal);
    expect(screen()).toEqual(['']);
    expect(terminal.readableLength).toBe(0);
    clearStatus(terminal);
    expect(readAll(terminal)).toHaveLength(0);
  });

  it('never wraps to a second line, which could not be erased', () => {
    const { terminal, screen } = open(10);
    openStatusLine(terminal).show('0123456789abc');
    expect(screen()).toEqual(['012345678']);
    const wide = open(10);
    openStatusLine(wide.terminal).show('第一章第二章');
    // Autowrap (DECAWM) is off while they are written.
    expect(String(readAll(wide.terminal))).toBe('\r\u001b[K\u001b[?7l第一章第二章\u001b[?7h');
  });
});
