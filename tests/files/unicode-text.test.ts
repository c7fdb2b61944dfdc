import { describe, expect, it } from '@jest/globals';
import { decodeLeniently, decodeText } from '../../src/files/unicode-text.ts';

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
