/** The words of a caption in SubRip or ASS, without the mark-up that players follow. */
import { decodeHTML } from 'entities';

const names = 'a|b|big|br|c|center|div|em|font|i|p|rt|ruby|s|small|span|strike|strong|sub|sup|u|v';
const quoted = String.raw`=(?:"[^"<\n]{0,500}"|'[^'<\n]{0,500}')(?=[\s/>])`;
/** Attributes of a tag, whose values may have angle brackets in quotes. */
const attributes = `(?:${quoted}|=(?!${quoted.slice(1)})|[^<>=]){0,500}`;
const tags = new RegExp(
  String.raw`<\s?\/?\s{0,2}(?:${names})(?=[\s/>.])${attributes}>|<\/\s{0,2}[a-z]{1,20}\s{0,2}>|<\d{1,4}:[\d:.]{1,20}>`,
  'gi',
);
const lineBreak = /<br\s{0,9}\/?>|\\N/gi;
/** Overrides of ASS and MicroDVD, and tags such as `{i}` and `[i]`. */
const overrides = /\{(?:\\[^{}]{0,5000}|[yYcCfFsSpPoOhH]:[^{}]{0,200}|\/?[bBiIuUsS])\}|\[\/?[bius]\]/g;
/** With their semicolon: `AT&T` and `?a=1&lt=2` are text. */
const reference = /&(?:#(?:x[\da-f]{1,6}|\d{1,7})|[a-z][a-z\d]{1,31});/gi;

const withAttributes = new RegExp(String.raw`<([a-z]{1,20})(?=\s)${attributes}>`, 'gi');
/** Tags without attributes that a parser would end within. */
export const withoutQuotedBrackets = (text: string): string =>
  text.replace(withAttributes, (tag, name) => (tag.indexOf('>') < tag.length - 1 ? `<${name}>` : tag));

/** Characters of a comment. */
const longestComment = 2_000;

/** Without the comments of HTML; a line of times ends none. */
export function withoutComments(text: string): string {
  if (!text.includes('<!--')) return text;
  const parts: string[] = [];
  let from = 0;
  for (let end = text.indexOf('-->'); end !== -1; end = text.indexOf('-->', end + 3)) {
    const before = text.slice(Math.max(from, end - longestComment), end);
    const start = before.lastIndexOf('<!--');
    const comment = before.slice(start);
    if (start === -1 || /\n[ \t]*\r?\n|\d:\d\d\S{0,9}\s{0,9}$/.test(comment)) continue;
    // Lines stay, as messages have their numbers.
    parts.push(text.slice(from, end - comment.length), comment.replace(/[^\r\n]+/g, ''));
    from = end + 3;
  }
  return parts.join('') + text.slice(from);
}

/** Brackets around a letter between blanks, as in `a < b > c`. */
const compared = /^<\s(\w{1,6})\s>$/;
const ends = /<\s?\/\s{0,2}(\w{1,20})/g;

/** Without tags; `< b >` that nothing ends is text, as programs that put blanks into tags keep their ends. */
function withoutTags(text: string): string {
  const ended = new Set([...text.matchAll(ends)].map(([, name]) => name));
  return text.replace(tags, (tag) => {
    const [, name] = compared.exec(tag) ?? [];
    return name === undefined || ended.has(name) ? '' : tag;
  });
}

const block = /(\{[^{}]{0,5000}\})/;
/** How the word before is read. */
const reading = /<rt(?:\s[^<>]{0,200})?>([^<>]{0,500})(?:<\/rt>|(?=<\/ruby>))|<rp>[^<>]{0,9}<\/rp>/gi;

/** Characters that mark-up refers to, as in `&amp;`; those without a glyph are nothing, and a hard space is one. */
export const withoutReferences = (text: string): string =>
  text.replace(reference, (written) =>
    decodeHTML(written)
      .replace(/[\u00ad\u200e\u200f]/g, '')
      .replace(/\u00a0/g, ' '),
  );

/** Without the shapes from `{\\p1}` to `{\\p0}`, whatever overrides are between them: they are no words. */
function withoutDrawings(text: string): string {
  if (!/\\p\d/.test(text)) return text;
  let draws = false;
  const parts = text.split(block).map((part, index) => {
    if (index % 2 === 0) return draws ? '' : part;
    const scale = [...part.matchAll(/\\p(\d)/g)].at(-1)?.[1];
    if (scale !== undefined) draws = scale !== '0';
    return part;
  });
  return parts.join('');
}

/**
 * Lines are apart by line feeds.
 *
 * @param leaveReading gets what ruby says about its characters, and gives what stays of it
 */
export const plainText = (text: string, leaveReading: (reading: string) => string = () => ''): string =>
  withoutReferences(
    withoutTags(
      withoutDrawings(text)
        .replace(reading, (_, words: string | undefined) => (words?.trim() ? leaveReading(words) : ''))
        .replace(overrides, '')
        .replace(lineBreak, '\n'),
    ).replace(/\\h/g, ' '),
  );
