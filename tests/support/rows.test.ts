import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { rowsOf } from './rows.ts';
import { sharedFolder } from './test-folder.ts';

const folder = sharedFolder();

it.each([
  ['cells with quotation marks, escapes and nothing', 'a "b"\\n\\\\\t\\u00a0x\t', [['a "b"\n\\', '\u00a0x', '']]],
  ['a line with too few cells', 'a\tb', /table\.tsv:2 must have the columns what, text, spoken$/],
  ['an escape that is none', 'a\t\\d\tb', /table\.tsv:2 has an escape that is none of JSON$/],
] as const)('reads %s', (_what, line, expected) => {
  writeFileSync(join(folder, 'table.tsv'), `what\ttext\tspoken\n${line}\n`);
  const read = () => rowsOf(folder, 'table.tsv');
  if (expected instanceof RegExp) expect(read).toThrow(expected);
  else expect(read()).toEqual(expected);
});
