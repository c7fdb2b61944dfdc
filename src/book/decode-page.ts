/** The text of a page or document: in the encoding that it states, with the entities that it declares. */
import { attempt } from '../errors.ts';
import { decodeAny } from '../files/any-encoding.ts';
import { decodeBytes } from '../files/decode-bytes.ts';
import { decodeLeniently, encodingOf } from '../files/unicode-text.ts';

/** Bytes in which a page states its encoding. */
const statement = 1024;
const declared =
  /^\s{0,100}<\?xml[^>]{1,200}?encoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})|<meta[^>]{1,200}?charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w.:-]{1,40})/i;

/** @returns text without a byte order mark; what is not valid becomes U+FFFD */
export const decodePage = (bytes: Uint8Array): string => withEntities(decode(bytes));

function decode(bytes: Uint8Array): string {
  if (encodingOf(bytes) !== 'utf-8') return decodeLeniently(bytes);
  const [first, second] = bytes;
  // UTF-16 without a mark: a page begins with "<".
  if (first === 0x3c && second === 0) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0 && second === 0x3c) return new TextDecoder('utf-16be').decode(bytes);
  const start = Buffer.from(bytes.subarray(0, statement)).toString('latin1');
  const [, xml, meta] = declared.exec(start) ?? [];
  const label = (xml ?? meta ?? 'utf-8').toLowerCase();
  // A statement that can be read as ASCII is not in UTF-16.
  const asStated = /^utf-?(?:8|16)/.test(label) ? undefined : attempt(() => decodeBytes(bytes, label));
  const decoded = asStated ?? attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  if (decoded !== undefined) return decoded;
  const text = decodeLeniently(bytes);
  let [wrong, right] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) wrong += 1;
    else if (code >= 0x80 && code < 0xfffd) right += 1;
  }
  // One bad byte in a page of UTF-8, or a page of another encoding that doesn't say so.
  return right > wrong ? text : (attempt(() => decodeAny(bytes, '').text) ?? decodeBytes(bytes, 'windows-1252'));
}

/** More than books have. */
const mostEntities = 500;
const longestValue = 1_000;
/** Characters that entities may add to a page. */
const mostAdded = 4 * 1024 * 1024;
const longestSubset = 100_000;

const subset = /^([^<]{0,1000}(?:<\?[^>]{0,1000}\?>[^<]{0,1000}){0,9}<!DOCTYPE[^<>[\]]{0,1000})\[/i;
const entity = /<!ENTITY\s{1,9}([A-Za-z_][\w.-]{0,63})\s{1,9}(?:"([^"]{0,1000})"|'([^']{0,1000})')\s{0,9}>/g;

/** Puts the entities of an internal DTD in their places; those that others contain stay, and files are never read. */
function withEntities(page: string): string {
  const [start = '', before = ''] = subset.exec(page.slice(0, longestSubset)) ?? [];
  if (start === '') return page;
  const end = page.slice(0, longestSubset).search(/\]\s{0,100}>/);
  if (end === -1) return page;
  const values = new Map<string, string>();
  for (const [, name = '', double, single] of page.slice(start.length, end).matchAll(entity)) {
    const value = double ?? single ?? '';
    // The first declaration counts, and the five of XML stay what they are.
    if (values.size < mostEntities && value.length <= longestValue && !values.has(name) && !standard.test(name))
      values.set(name, value);
  }
  const body = before + page.slice(page.indexOf('>', end));
  let added = 0;
  return body.replace(/&([A-Za-z_][\w.-]{0,63});/g, (written, name: string) => {
    const value = values.get(name);
    if (value === undefined || added + value.length > mostAdded) return written;
    added += value.length;
    return value;
  });
}

const standard = /^(?:amp|lt|gt|quot|apos)$/;
