/** The second compression of Mobipocket, for tests: codes of eight and nine bits for words, and phrases made of them. */

export interface HuffmanText {
  readonly records: readonly Buffer[];
  /** HUFF, then CDIC. */
  readonly tables: readonly Buffer[];
}

/** Codes of eight bits; the others have nine. */
const shortCodes = 8;
const phrasesInRecord = 128;

/** @param pieces with at most 255 words and signs */
export function compressHuffman(pieces: readonly Buffer[]): HuffmanText {
  const tokensOf = (piece: Buffer): readonly string[] =>
    piece.toString('latin1').match(/[\w\x80-\xff]+|[^\w\x80-\xff]/g) ?? [];
  const words = [...new Set(pieces.flatMap(tokensOf))];
  const [one = '', other = ''] = words;
  // A phrase of two words, in codes.
  const phrases = [...words, one + other];
  if (phrases.length > 256) throw new RangeError('too many words');
  const smallest = 256 - shortCodes;
  const codeOf = (index: number): string =>
    index < shortCodes
      ? (255 - index).toString(2).padStart(8, '0')
      : (smallest * 2 - 1 - (index - shortCodes)).toString(2).padStart(9, '0');
  // Zeros behind the end are no code, as none has so few bits.
  const packed = (indexes: readonly number[]): Buffer => {
    const bits = indexes.map(codeOf).join('');
    return Buffer.from(bits.match(/.{1,8}/g)?.map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)) ?? []);
  };
  const huff = Buffer.alloc(24 + 256 * 4 + 64 * 4);
  huff.write('HUFF', 0, 'latin1');
  huff.writeUInt32BE(24, 4);
  huff.writeUInt32BE(24, 8);
  huff.writeUInt32BE(24 + 256 * 4, 12);
  for (let byte = 0; byte < 256; byte += 1)
    huff.writeUInt32BE(byte >= smallest ? (255 << 8) | 0x80 | 8 : 9, 24 + byte * 4);
  const long = 24 + 256 * 4;
  huff.writeUInt32BE(smallest, long + 7 * 8);
  huff.writeUInt32BE(255, long + 7 * 8 + 4);
  huff.writeUInt32BE(smallest * 2 - 1 + shortCodes, long + 8 * 8 + 4);
  const tables = [huff];
  for (let from = 0; from < phrases.length; from += phrasesInRecord) {
    const own = phrases.slice(from, from + phrasesInRecord).map((phrase, index) => {
      const isWhole = from + index < words.length;
      const bytes = isWhole ? Buffer.from(phrase, 'latin1') : packed([0, 1]);
      const head = Buffer.alloc(2);
      head.writeUInt16BE(bytes.length | (isWhole ? 0x8000 : 0));
      return Buffer.concat([head, bytes]);
    });
    const head = Buffer.alloc(16 + own.length * 2);
    head.write('CDIC', 0, 'latin1');
    head.writeUInt32BE(16, 4);
    head.writeUInt32BE(phrases.length, 8);
    head.writeUInt32BE(7, 12);
    let at = own.length * 2;
    for (const [index, bytes] of own.entries()) {
      head.writeUInt16BE(at, 16 + index * 2);
      at += bytes.length;
    }
    tables.push(Buffer.concat([head, ...own]));
  }
  return {
    tables,
    // The first two words of the text are the phrase.
    records: pieces.map((piece) => {
      const indexes = tokensOf(piece).map((token) => words.indexOf(token));
      return packed(indexes[0] === 0 && indexes[1] === 1 ? [words.length, ...indexes.slice(2)] : indexes);
    }),
  };
}
