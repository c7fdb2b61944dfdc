/** Text of bytes in any encoding of the Encoding Standard. */

/** Characters of windows-1252 from 0x80 to 0x9F; several versions of Node.js decode them as control characters of Latin-1. */
const western = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

type Decoder = InstanceType<typeof TextDecoder>;

/** Of the few labels that there are. */
const decoders = new Map<string, Decoder>();

function decoderOf(label: string, fatal: boolean): Decoder {
  const key = `${label} ${fatal}`;
  const decoder = decoders.get(key) ?? new TextDecoder(label, { fatal });
  decoders.set(key, decoder);
  return decoder;
}

/**
 * @param label such as `windows-1251`
 * @param invalid what becomes of bytes that the encoding doesn't have
 * @throws RangeError for an unknown label; TypeError for bytes that are refused
 */
export function decodeBytes(bytes: Uint8Array, label: string, invalid: 'refused' | 'replaced' = 'replaced'): string {
  const decoder = decoderOf(label, invalid === 'refused');
  return withWesternSigns(decoder.decode(bytes), decoder.encoding);
}

/** Text that a decoder of Node.js gave, whose encoding is stated. */
export const withWesternSigns = (text: string, encoding: string): string =>
  encoding === 'windows-1252'
    ? text.replace(/[\u0080-\u009f]/g, (sign) => western[sign.charCodeAt(0) - 0x80] ?? sign)
    : text;
