/** Files of text in other encodings, and files that are no text. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ZipFile } from 'yazl';
import { freshFolder } from '../support/test-folder.ts';
import { expectEnd, invoke } from './invoke.ts';
import { smallModel } from './small-model.ts';

const model = smallModel();
const folder = freshFolder();
let out: string;
beforeEach(() => {
  out = folder.join('out.wav');
});

async function write(name: string, content: string | Uint8Array): Promise<string> {
  await writeFile(folder.join(name), content);
  return folder.join(name);
}

it('is read in an encoding that a text file does not state, and named', async () => {
  const file = await write('a.txt', Buffer.from('Hello there, world.', 'utf16le'));
  const { code, stderr, backend } = await invoke(['tts', '--text-file', file, '--output', out]);
  expect([code, backend.texts]).toEqual([0, ['Hello there, world.']]);
  expect(stderr).toBe(`svc: warning: "${file}" is read as utf-16le; save it as UTF-8 if its letters are wrong\n`);
});

const little = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, 'utf16le');
const encodings = [
  ['UTF-8 with a byte order mark', (text: string): Buffer => Buffer.from(`\uFEFF${text}`)],
  ['UTF-16, little end first', little],
  ['UTF-16, big end first', (text: string): Buffer => little(text).swap16()],
] as const;

async function zip(...files: readonly (readonly [name: string, content: string])[]): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [name, content] of files) archive.addBuffer(Buffer.from(content), name, { compress: false });
  archive.end();
  return buffer(archive.outputStream);
}

describe.each(encodings)('%s', (_, encode) => {
  it('is read from a text file', async () => {
    const file = await write('a.txt', encode('Hello there.\r\n'));
    const { code, stderr, backend } = await invoke(['tts', '--text-file', file, '--output', out]);
    expect([code, stderr, backend.texts]).toEqual([0, '', ['Hello there.']]);
  });

  it('is read from standard input', async () => {
    const { code, stderr, backend } = await invoke(['tts', '--output', out], { stdin: encode('One.\n') });
    expect([code, stderr, backend.texts]).toEqual([0, '', ['One.']]);
  });

  it('is read while it is written', async () => {
    const { code, stderr, backend } = await invoke(['tts', '--live', '--output', out], { stdin: encode('One.\n') });
    expect([code, stderr, backend.texts]).toEqual([0, '', ['One.']]);
  });

  it('is read from a lexicon', async () => {
    const words = await write('words.txt', encode('gif = jif\r\n'));
    const { code, stderr, backend } = await invoke(['tts', 'A gif.', '--lexicon', words, '--output', out]);
    expect([code, stderr, backend.texts]).toEqual([0, '', ['A jif.']]);
  });

  it.each([
    ['lines.txt', 'One.\r\nTwo.\r\n'],
    ['lines.csv', 'text,seed\r\nOne.,1\r\nTwo.,2\r\n'],
    ['lines.tsv', 'text\tseed\r\nOne.\t1\r\nTwo.\t2\r\n'],
    ['lines.jsonl', '{"text": "One."}\n{"text": "Two."}\n'],
  ])('is read from the list %s', async (name, content) => {
    const input = await write(name, encode(content));
    const temporary = folder.join('temporary');
    await mkdir(temporary);
    const { TMPDIR } = process.env;
    process.env.TMPDIR = temporary;
    try {
      const list = ['batch', '--input', input, '--output-dir', folder.join('out'), ...model];
      const { code, stderr, backend } = await invoke(list);
      expect([code, stderr, [...backend.texts].sort()]).toEqual([0, '', ['One.', 'Two.']]);
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    }
    // Neither is the copy as UTF-8 left.
    expect(await readdir(temporary)).toEqual([]);
  });

  it('is read from a list on standard input', async () => {
    const settings = ['batch', '--input', '-', '--input-format', 'text', '--output-dir', folder.join('out'), ...model];
    const { code, stderr, backend } = await invoke(settings, { stdin: encode('One.\n') });
    expect([code, stderr, backend.texts]).toEqual([0, '', ['One.']]);
  });
});

const broken = Buffer.concat([little('Hello.'), Buffer.from([0x00, 0xd8])]);

const types = '[Content_Types].xml';

describe('a file that is no text', () => {
  const reads = 'svc tts --text-file reads it';
  const cases: readonly (readonly [string, () => string | Uint8Array | Promise<Buffer>, string])[] = [
    ['PDF', () => '%PDF-1.7\n%âãÏÓ\n1 0 obj', `is a PDF document; ${reads}, in a file that ends in .pdf`],
    [
      'Word',
      () => zip([types, '<Types/>'], ['word/document.xml', '<x/>']),
      `is a Word document; ${reads}, in a file that ends in .docx`,
    ],
    [
      'Excel',
      () => zip([types, '<Types/>'], ['xl/workbook.xml', '<x/>']),
      'is an Excel workbook; save the sheet as CSV',
    ],
    [
      'OpenDocument',
      () => zip(['mimetype', 'application/vnd.oasis.opendocument.text'], ['content.xml', '<x/>']),
      `is an OpenDocument file; ${reads}, in a file that ends in .odt`,
    ],
    [
      'EPUB',
      () => zip(['mimetype', 'application/epub+zip']),
      `is an EPUB book; ${reads}, in a file that ends in .epub`,
    ],
    ['another archive', () => zip(['a.txt', 'Hello.']), 'is a ZIP archive; unpack it'],
    ['gzip', () => Buffer.from([0x1f, 0x8b, 8, 0, 0]), 'is a gzip archive; unpack it first'],
    [
      'Word 97',
      () => Buffer.from('d0cf11e0a1b1', 'hex'),
      'is a document of an old Microsoft Office; save it as plain text',
    ],
    ['RTF', () => '{\\rtf1\\ansi Hello.}', `is an RTF document; ${reads}`],
    ['HTML', () => '<!DOCTYPE html>\n<html><p>Hello.', 'is an HTML page; save it as plain text or EPUB'],
    ['XHTML', () => '\uFEFF<?xml version="1.0"?>\n<!-- a -->\n<HTML lang="en"><p>Hello.', 'is an HTML page; save it'],
    [
      'UTF-16 without a byte order mark',
      () => Buffer.from('Hello there, world.', 'utf16le'),
      'is UTF-16 text without a byte order mark; save it as UTF-8',
    ],
    ['UTF-16 that is broken', () => broken, 'is not UTF-16 text'],
  ];

  it.each(cases)('is named and refused: %s', async (_, make, message) => {
    const content = await make();
    const file = await write('file', content);
    const bytes = Buffer.from(content);
    const runs: readonly (readonly [argv: readonly string[], source: string, stdin?: Uint8Array])[] = [
      [['tts', '--text-file', file, '--output', out], `"${file}"`],
      [['tts', '--output', out], 'standard input', bytes],
      [['tts', '--live', '--output', out], 'standard input', bytes],
      [['tts', 'Hello.', '--lexicon', file, '--output', out], `"${file}"`],
      [['batch', '--input', file, '--input-format', 'text', '--output-dir', folder.join('out')], file],
    ];
    // A document is read from a file, whatever its name; the encoding of a list is guessed (see batch/table).
    const first = /reads it|HTML page|without a byte order mark/.test(message) ? 1 : 0;
    for (const [argv, source, stdin] of runs.slice(first, message.includes('UTF-16') ? -1 : undefined)) {
      const { code, stderr } = await invoke(argv, stdin === undefined ? {} : { stdin });
      expect([argv, code, stderr]).toEqual([argv, 2, expect.stringContaining(`svc: error: ${source} ${message}`)]);
      expect(stderr.trimEnd()).not.toContain('\n');
    }
    expect(await readdir(folder.path)).not.toContain('out.wav');
  });

  it('is refused as a list too, by name and in one line', async () => {
    const settings = ['batch', '--input', await write('list', broken), '--input-format', 'text'];
    const outcome = await invoke([...settings, '--output-dir', folder.join('out')]);
    expectEnd(outcome, 2, `svc: error: ${folder.join('list')} is not text in a known encoding; save it as UTF-8\n`);
  });

  it('but HTML is text where its format is stated', async () => {
    const file = await write('page.txt', '<html> is a tag.');
    const { code, backend } = await invoke(['tts', '--text-file', file, '--input-format', 'plain', '--output', out]);
    expect([code, backend.texts.length]).toEqual([0, 1]);
  });

  it.each(['<speak>Hello.</speak>', 'Of PDF and %PDF-1.7.', 'PK', '{ rtf }', '<html5> is no page.', 'a'])(
    'is none of these: %s',
    async (content) => {
      const { code, stderr } = await invoke(['tts', '--text-file', await write('a.txt', content), '--output', out]);
      expect([code, stderr.includes('error')]).toEqual([0, false]);
    },
  );
});
