/** The groups, control words and text of a Rich Text Format file (RTF 1.9.1), in time of its length. */

export type RtfToken =
  | { readonly kind: 'open' }
  | { readonly kind: 'close' }
  | { readonly kind: 'control'; readonly word: string; readonly value: number | undefined }
  /** Each character is a byte of the character set of the font. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'byte'; readonly byte: number };

const pattern = /\\([a-zA-Z]{1,40})(-?\d{1,10})? ?|\\'([\da-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}\r\n]+)|[\r\n\\]/gs;

/** @param rtf in which each character is a byte */
export function* rtfTokens(rtf: string): Generator<RtfToken, void, undefined> {
  pattern.lastIndex = 0;
  let at = 0;
  while (at < rtf.length) {
    pattern.lastIndex = at;
    const found = pattern.exec(rtf);
    if (found === null) return;
    at = pattern.lastIndex;
    const [, word, value, hex, symbol, brace, text] = found;
    if (brace !== undefined) yield { kind: brace === '{' ? 'open' : 'close' };
    else if (text !== undefined) yield { kind: 'text', text };
    else if (hex !== undefined) yield { kind: 'byte', byte: Number.parseInt(hex, 16) };
    else if (symbol !== undefined) yield { kind: 'control', word: symbol, value: undefined };
    else if (word !== undefined) {
      const number = value === undefined ? undefined : Number(value);
      // Bytes of a picture follow.
      if (word === 'bin') at += Math.max(0, number ?? 0);
      else yield { kind: 'control', word, value: number };
    }
  }
}
