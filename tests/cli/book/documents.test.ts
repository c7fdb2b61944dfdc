/** `svc tts` on documents of other formats than EPUB, with a fake backend. */
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseFile } from 'music-metadata';
import { decodeWav } from '../../../src/audio/decode/wav.ts';
import {
  encodeWide,
  writeDocx,
  writeFb2,
  writeFolder,
  writeHtml,
  writeOdt,
  writePdf,
} from '../../book/write-documents.ts';
import { writeEpub } from '../../book/write-epub.ts';
import { audible, failingAt } from '../../engine/fake-backend.ts';
import { freshFolder } from '../../support/test-folder.ts';
import { expectEnd, invoke } from '../invoke.ts';
import { smallModel } from '../small-model.ts';

const model = smallModel();
const folder = freshFolder();
const at = (name: string): string => folder.join(name);
const speak = (file: string, output: string, settings: readonly string[] = [], backend = audible) =>
  invoke(['tts', '--text-file', file, '-o', at(output), '--seed', '7', '--quiet', ...model, ...settings], { backend });

/** The cheapest of the formats of books. */
const flac = ['--response-format', 'flac'];

async function written(name: string, content: string | Buffer): Promise<string> {
  await writeFile(at(name), content);
  return at(name);
}

const kinds: readonly (readonly [string, () => Promise<string>])[] = [
  ['DOCX', () => writeDocx(at('a.docx'))],
  ['ODT', () => writeOdt(at('a.odt'))],
  ['FB2', () => writeFb2(at('a.fb2'))],
  ['HTML', () => writeHtml(at('a.html'))],
  [
    'PDF',
    () => writePdf(at('a.pdf'), [[['One', 20], ['First words of a page.'], ['Two', 20], ['Second words of it.']]]),
  ],
  [
    'text in GBK',
    () => written('a.txt', encodeWide('第一章\n\n这是一个测试文本。\n\n第二章\n\n我们写几句话。\n', 'gbk')),
  ],
  ['Markdown', () => written('a.md', '# One\n\nFirst.\n\n# Two\n\nSecond.\n')],
  [
    'an mdBook',
    () => writeFolder(at('book'), { 'SUMMARY.md': '- [One](1.md)\n- [Two](2.md)\n', '1.md': 'A.', '2.md': 'B.' }),
  ],
];

describe('a book', () => {
  it.each(kinds)('of %s has a file for each of its two chapters', async (_, write) => {
    expectEnd(await speak(await write(), 'out/', ['--response-format', 'wav']), 0, '');
    expect(await readdir(at('out'))).toEqual([
      expect.stringMatching(/^01 - .+\.wav$/),
      expect.stringMatching(/^02 - /),
    ]);
  });

  it('of plain text becomes an M4B with two chapters', async () => {
    const file = await written('a.txt', 'Chapter 1\n\nHello.\n\nChapter 2\n\nThere.\n');
    expect((await speak(file, 'out.m4b')).code).toBe(0);
    const { format } = await parseFile(at('out.m4b'), { includeChapters: true });
    expect(format.chapters).toHaveLength(2);
  });

  it('resumes, with the same bytes as without an interruption', async () => {
    const file = await writeDocx(at('a.docx'));
    expect((await speak(file, 'out.flac', [], failingAt(22))).stderr).toContain('run the same command again to resume');
    expect((await speak(file, 'out.flac')).code).toBe(0);
    await speak(file, 'whole.flac');
    expect((await readFile(at('out.flac'))).equals(await readFile(at('whole.flac')))).toBe(true);
  });

  it('is listed, also one of plain text', async () => {
    const file = await written('a.txt', 'Chapter 1\n\nHello.\n\nChapter 2\n\nThere.\n');
    const { stdout } = await invoke(['tts', '--text-file', file, '--list', '--json', '--quiet']);
    expect(JSON.parse(stdout.toString()).chapters.map(({ title }: { title: string }) => title)).toEqual([
      'Chapter 1',
      'Chapter 2',
    ]);
  });

  it('is spoken as one text to a format without chapters', async () => {
    const { code, stderr, backend } = await speak(await writeDocx(at('a.docx')), 'out.wav');
    expect([code, stderr]).toEqual([0, '']);
    expect(decodeWav(await readFile(at('out.wav'))).samples.length).toBeGreaterThan(1_600);
    expect(backend.opened.length).toBeGreaterThan(1);
  });

  it('has files of any name that a file system holds, with captions', async () => {
    const titles = ['春'.repeat(77), 'ที่'.repeat(26), '👩‍👩‍👧‍👦'.repeat(20)];
    const chapters = titles.map((title) => [title, '<p>Some words.</p>'] as const);
    const file = await writeEpub(at('a.epub'), { title: titles[0] as string, chapters });
    expectEnd(await speak(file, 'out/', [...flac, '--captions', 'vtt']), 0, '');
    expect((await readdir(at('out'))).map((name) => extname(name))).toEqual(
      Array.from({ length: 3 }, () => ['.flac', '.vtt']).flat(),
    );
    for (const name of [`${'x'.repeat(233)}.flac`, `${'春'.repeat(83)}.flac`, `${'y'.repeat(250)}.flac`]) {
      const { code, stderr } = await speak(file, name);
      expect([code, stderr, (await readdir(at('.'))).includes(name)]).toEqual([0, '', true]);
    }
  });

  it('keeps the mode of a file that it replaces', async () => {
    const file = await writeDocx(at('a.docx'));
    for (const name of ['out.flac', 'out.wav', 'out.vtt']) {
      await writeFile(at(name), '');
      await chmod(at(name), 0o664);
    }
    await speak(file, 'out.flac');
    await speak(file, 'out.wav', ['--captions', at('out.vtt')]);
    for (const name of ['out.flac', 'out.wav', 'out.vtt'])
      expect([name, (await stat(at(name))).mode & 0o777]).toEqual([name, 0o664]);
  });

  it('is spoken as one text with what is kept', async () => {
    const captions = await written('a.srt', '1\n00:00:01,000 --> 00:00:02,000\n[door slams]\nWho is there?\n');
    const silent = await invoke(['tts', '--text-file', captions, '-o', at('out.wav')], { backend: audible });
    expect([silent.backend.texts, silent.stderr]).toEqual([
      ['Who is there?'],
      expect.stringContaining('left out: sounds (1, first "[door slams]"); --keep sounds reads them'),
    ]);
    const spoken = await speak(captions, 'out.wav', ['--keep', 'sounds']);
    expect([spoken.code, spoken.backend.texts.join(' ')]).toEqual([0, 'door slams Who is there?']);
  });

  it('that can not be read is refused in one line', async () => {
    for (const output of ['out.wav', 'out.flac']) {
      const outcome = await speak(await written('a.docx', 'Hello.'), output);
      expectEnd(outcome, 2, /^svc: error: .*a\.docx is not a readable DOCX file: .*\n$/);
    }
  });
});
