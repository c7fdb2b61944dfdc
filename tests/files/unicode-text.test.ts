import { describe, expect, it } from '@jest/globals';
import { decodeAny } from '../../src/files/any-encoding.ts';
import { decodeBytes } from '../../src/files/decode-bytes.ts';
import { decodeLeniently, decodeText } from '../../src/files/unicode-text.ts';
import { encodeWide } from '../book/write-documents.ts';

const little = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, 'utf16le');
const big = (text: string): Buffer => little(text).swap16();

describe('text of files', () => {
  it.each([
    ['UTF-8', Buffer.from('Grüße, 世界 😀')],
    ['UTF-8 with a byte order mark', Buffer.from('\uFEFFGrüße, 世界 😀')],
    ['UTF-16, little end first', little('Grüße, 世界 😀')],
    ['UTF-16, big end first', big('Grüße, 世界 😀')],
  ])('is read from %s', (_, bytes) => {
    expect([decodeText(bytes), decodeLeniently(bytes)]).toEqual(['Grüße, 世界 😀', 'Grüße, 世界 😀']);
  });

  it.each([
    ['UTF-8', Buffer.from([0x61, 0xff])],
    ['UTF-16 of half a character', little('a').subarray(0, 3)],
    ['UTF-16 of half a pair', Buffer.from([0xff, 0xfe, 0x00, 0xd8])],
  ])('is refused if it is no %s', (_, bytes) => {
    expect(() => decodeText(bytes)).toThrow(expect.objectContaining({ name: 'TypeError' }));
    expect(decodeLeniently(bytes)).toContain('\uFFFD');
  });
});

it.each<readonly [encoding: string, text: string, bytes: Buffer]>([
  ['windows-1251', 'Привет, мир. Это тест.', Buffer.from('cff0e8e2e5f22c20ece8f02e20ddf2ee20f2e5f1f22e', 'hex')],
  ['gb18030', '这是一个测试文本，我们写几句话。', encodeWide('这是一个测试文本，我们写几句话。', 'gbk')],
  ['shift_jis', 'これはテストの文章です。', encodeWide('これはテストの文章です。', 'shift_jis')],
  ['utf-16le', 'Hello there, world.', Buffer.from('Hello there, world.', 'utf16le')],
  ['utf-16be', 'Hello there, world.', Buffer.from('Hello there, world.', 'utf16le').swap16()],
  ['utf-16le', 'Привет, мир.\nЭто тест.\n', Buffer.from('Привет, мир.\nЭто тест.\n', 'utf16le')],
  ['utf-16be', '你好，世界。\n再见。\n', Buffer.from('你好，世界。\n再见。\n', 'utf16le').swap16()],
  [
    'windows-1252',
    'Ça va très bien à Noël, où êtes-vous allé ?',
    Buffer.from('Ça va très bien à Noël, où êtes-vous allé ?', 'latin1'),
  ],
  ['windows-1252', 'Hyvää päivää, äiti ja isä.', Buffer.from('Hyvää päivää, äiti ja isä.', 'latin1')],
  ['windows-1254', 'Şimdi gidiyoruz, çok güzel.', Buffer.from('Þimdi gidiyoruz, çok güzel.', 'latin1')],
  ['windows-1257', 'Ačiū, šiandien graži.', Buffer.from('Aèiû, ðiandien graþi.', 'latin1')],
])('%s is found by its bytes', (guessed, text, bytes) => {
  expect(decodeAny(bytes, 'a.txt')).toEqual({ text, guessed });
});

it.each(['windows-1252', 'iso-8859-1', 'latin1'])('%s has its quotation marks and dashes', (label) => {
  const bytes = Buffer.from('don\x92t \x96 \x93a\x94 \x80\xe9', 'latin1');
  expect(decodeBytes(bytes, label)).toBe('don’t – “a” €é');
});

it('bytes of no encoding are refused', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  expect(() => decodeAny(bytes, 'a.txt')).toThrow('a.txt is not text in a known encoding; save it as UTF-8');
});
