/** Lists of texts as CSV and TSV. */
import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { openInput } from '../../../src/cli/batch/input.ts';
import { type Row, readTable } from '../../../src/cli/batch/table.ts';
import { expectErrorWith } from '../../support/errors.ts';
import { heldBytes } from '../../support/held-bytes.ts';
import { readRows } from '../../support/rows.ts';
import { freshFolder } from '../../support/test-folder.ts';
import { endedWith, invoke, jsonOf, manifestIn, type Outcome } from '../invoke.ts';
import { smallModel } from '../small-model.ts';

const model = smallModel();
const folder = freshFolder();
let output: string;
beforeEach(() => {
  output = folder.join('out');
});

function write(name: string, content: string | Uint8Array): string {
  const path = folder.join(name);
  writeFileSync(path, content);
  return path;
}

const batch = (input: string, ...more: string[]): Promise<Outcome> =>
  invoke(['batch', '--input', input, '--output-dir', output, ...model, ...more]);

const io = {
  stdin: process.stdin,
  stderr: new PassThrough(),
  environment: {},
  signal: new AbortController().signal,
} as unknown as Parameters<typeof openInput>[1];

async function rows(content: string | Uint8Array, name = 'lines.csv'): Promise<readonly Row[]> {
  await using input = await openInput(write(name, content), io);
  const found: Row[] = [];
  for await (const row of readTable(input, name.endsWith('.tsv') ? 'tsv' : 'csv')) found.push(row);
  return found;
}

const audioFiles = (): readonly string[] =>
  readdirSync(output)
    .filter((name) => name !== 'manifest.jsonl')
    .sort();

describe('a table', () => {
  /** Fields or the problem of each row, by its line. */
  const expectRows = async (content: string | Uint8Array, expected: object): Promise<void> => {
    const found = (await rows(content)).map(({ number, fields, problem }) => [number, fields ?? problem]);
    expect(Object.fromEntries(found)).toEqual(expected);
  };

  it.each(readRows<'what' | 'content' | 'expected'>('tests/cli/batch/tables.tsv'))(
    'may have $what',
    ({ content, expected }) => expectRows(content, JSON.parse(expected)),
  );

  it.each<readonly [what: string, content: Uint8Array, expected: object]>([
    [
      'a row that is damaged',
      Buffer.from([...Buffer.from('text\né\n'), 0xc3, 0x28, 0x0a, ...Buffer.from('b')]),
      { 2: { text: 'é' }, 3: 'the row is not UTF-8 text', 4: { text: 'b' } },
    ],
    ['UTF-16 without a byte order mark', Buffer.from('text\nGrüße.\n', 'utf16le'), { 2: { text: 'Grüße.' } }],
    // Latin-1, but for a dash and quotation marks.
    ['windows-1252', Buffer.from('text\nGrüße \x96 \x93Müller\x94.\n', 'latin1'), { 2: { text: 'Grüße – “Müller”.' } }],
    [
      'GBK',
      Buffer.from('dGV4dArBqs2oCrTzvNK6w6Osu7bTrcC0tb3O0sPHtcS92sS/oaMKvfHM7M7Sw8fAtL2y0ru49rnKysKhowo=', 'base64'),
      { 2: { text: '联通' }, 3: { text: '大家好，欢迎来到我们的节目。' }, 4: { text: '今天我们来讲一个故事。' } },
    ],
  ])('may have %s', (_what, content, expected) => expectRows(content, expected));

  it('may have tabs', async () => {
    expect(await rows('id\ttext\r\na\t"One\ttwo"\r\nb\tThree, four; five', 'lines.tsv')).toEqual([
      { number: 2, fields: { id: 'a', text: 'One\ttwo' } },
      { number: 3, fields: { id: 'b', text: 'Three, four; five' } },
    ]);
  });

  it.each([
    ['an unknown column', 'text,speeed\na,2', 'line 1: unknown column "speeed"; did you mean "speed"?'],
    ['a column twice', 'text,readCode,read_code\n', 'line 1: columns "readCode" and "read_code" are the same field'],
    ['no text', '\n\nid,seed\na,2', 'line 3: the header has no column "text"'],
    ['an open quote', 'text\na\n"b\nc\n', 'a quote is never closed'],
  ])('is refused with %s', async (_what, content, message) => {
    await expectErrorWith(rows(content), 'INVALID_REQUEST', message);
  });

  it('may be in UTF-16', async () => {
    const content = Buffer.from('\ufefftext,seed\nGrüße,7\n', 'utf16le');
    expect(await rows(content)).toMatchObject([{ fields: { text: 'Grüße', seed: 7 } }]);
  });

  it('is read in constant memory, and no further than its consumer needs', async () => {
    const path = write('big.csv', 'text,seed\n');
    const rows = `"${'One, two. '.repeat(100)}",7\n`.repeat(1000);
    for (let written = 0; written < 4_000; written += 1000) appendFileSync(path, rows);
    await using input = await openInput(path, io);
    const before = heldBytes();
    let most = 0;
    let count = 0;
    for await (const { fields } of readTable(input, 'csv')) {
      if (fields?.seed === 7) count += 1;
      if (count % 1_000 === 0) most = Math.max(most, heldBytes() - before);
    }
    expect(count).toBe(4_000);
    // The file has 4 MB.
    expect(most).toBeLessThan(2e6);
    for await (const { number } of readTable(input, 'csv')) {
      expect(number).toBe(2);
      break;
    }
  });
});

describe('svc batch with a table', () => {
  it('speaks its rows, and resumes', async () => {
    const table = (text: string): string => `id;text;seed;format\r\na;"One\r\n${text}";7;\r\nb;Three;;flac\r\n`;
    const first = await batch(write('lines.csv', `\ufeff${table('two')}`), '--json', '--max-batch', '1');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(audioFiles()).toEqual(['a.wav', 'b.flac']);
    const again = await batch(write('lines.csv', table('three')), '--json');
    expect(jsonOf(again)).toMatchObject({ utterances: 2, done: 1, skipped: 1, failed: 0 });
    const expected = [
      { id: 'a', line: 2, seed: 7 },
      { id: 'b', line: 4 },
      { id: 'a', line: 2 },
    ];
    expect(manifestIn(output)).toMatchObject(expected);
  });

  it('names the lines of rows that fail', async () => {
    const { code, stderr } = await batch(write('t.tsv', 'text\tseed\nOne\t1\nTwo\tx\n\n"Th\nree"\t-1\nFour\n'));
    expect([code, stderr.split('\n')]).toEqual([
      2,
      [
        'svc: warning: 3 of 4 lines are invalid; they are listed at the end',
        'svc: error: line 3: seed must be an integer from 0 to 4294967295, got "x"',
        'svc: error: line 5: seed must be an integer from 0 to 4294967295, got -1',
        'svc: error: line 7: the row has 1 cells, but the header has 2',
        `svc: error: 3 of 4 lines failed; see ${join(output, 'manifest.jsonl')}`,
        '',
      ],
    ]);
    expect(audioFiles()).toEqual(['output_001.wav']);
  });

  it('reads standard input with --input-format', async () => {
    const argv = ['batch', '--input', '-', '--input-format', 'csv', '--output-dir', output, ...model];
    const { code } = await invoke(argv, { stdin: 'text\nOne\n' });
    expect([code, audioFiles()]).toEqual([0, ['output_001.wav']]);
  });

  it.each([
    ['no rows', 'text\n', 'lines.csv has no line with a text'],
    ['a broken row', 'text\nOne\n"Two', 'lines.csv, line 3: a quote is never closed'],
    ['a repeated id', 'id,text\na,One\nA,Two', '"A" in lines 2 and 3'],
  ])('speaks nothing of one with %s', async (_what, content, message) => {
    expect(await batch(write('lines.csv', content))).toMatchObject({ ...endedWith(2, message), opened: [] });
  });
});
