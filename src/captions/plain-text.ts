/** The words of a caption in SubRip or ASS, without the mark-up that players follow. */

const names = 'a|b|big|br|c|center|div|em|font|i|p|rt|ruby|s|small|span|strike|strong|sub|sup|u|v';
const tags = new RegExp(String.raw`<\/?(?:${names})(?=[\s/>.])[^<>]{0,500}>|<\d{1,4}:[\d:.]{1,20}>`, 'gi');
const lineBreak = /<br\s{0,9}\/?>|\\N/gi;
/** Of ASS, and of MicroDVD. */
const overrides = /\{(?:\\[^{}]{0,5000}|[yYcCfFsSpPoOhH]:[^{}]{0,200})\}/g;
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  lrm: '',
  rlm: '',
  shy: '',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
};

/** Shapes between `{\\p1}` and `{\\p0}`, which are no words. */
const drawing = /\{[^{}]{0,5000}\\p[1-9][^{}]{0,5000}\}[^{]{0,65536}(?:\{[^{}]{0,5000}\\p0[^{}]{0,5000}\}|$)/g;
/** How the word before is read. */
const reading = /<rt(?:\s[^<>]{0,200})?>[^<>]{0,500}(?:<\/rt>|(?=<\/ruby>))|<rp>[^<>]{0,9}<\/rp>/gi;

/** Lines are apart by line feeds. */
export const plainText = (text: string): string =>
  text
    .replace(drawing, '')
    .replace(reading, '')
    .replace(overrides, '')
    .replace(lineBreak, '\n')
    .replace(tags, '')
    .replace(/\\h/g, ' ')
    .replace(/&(#x?[\da-f]{1,6}|[a-z]{1,8});/gi, (written, name: string) => {
      const code = /^#x/i.test(name)
        ? Number.parseInt(name.slice(2), 16)
        : name.startsWith('#')
          ? Number(name.slice(1))
          : undefined;
      if (code !== undefined) return code > 0 && code < 0x110000 ? String.fromCodePoint(code) : written;
      return entities[name.toLowerCase()] ?? written;
    });
