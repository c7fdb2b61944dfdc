/** Character sets of Rich Text Format by their numbers, as labels of the encoding standard. */

const charsets: Readonly<Record<number, string>> = {
  77: 'macintosh',
  128: 'shift_jis',
  129: 'euc-kr',
  130: 'euc-kr',
  134: 'gbk',
  136: 'big5',
  161: 'windows-1253',
  162: 'windows-1254',
  163: 'windows-1258',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
};
/** Its characters are pictures. */
export const symbolCharset = 2;

const pages: Readonly<Record<number, string>> = {
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  10007: 'x-mac-cyrillic',
  20866: 'koi8-r',
  21866: 'koi8-u',
  54936: 'gb18030',
  65001: 'utf-8',
};

/** Undefined for the character set of the document. */
export const labelOfCharset = (charset: number): string | undefined => charsets[charset];

export const labelOfPage = (page: number): string =>
  pages[page] ?? (page >= 1250 && page <= 1258 ? `windows-${page}` : 'windows-1252');
