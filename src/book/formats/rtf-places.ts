/** The destinations of RTF 1.9.1: where the text of a group goes. */
import type { LeftOutKind } from '../left-out.ts';

/** Into the document, to what listeners would skip, to what is known about the document, or nowhere. */
export type Place =
  | 'document'
  | LeftOutKind
  | 'nothing'
  | 'fonts'
  | 'styles'
  | 'title'
  | 'author'
  | 'instruction'
  | 'entry'
  | 'class'
  | 'property'
  | 'value';

/** By the control word that begins the group. */
export const places: Readonly<Record<string, Place>> = {
  fonttbl: 'fonts',
  stylesheet: 'styles',
  title: 'title',
  author: 'author',
  fldinst: 'instruction',
  ffl: 'entry',
  objclass: 'class',
  sn: 'property',
  sv: 'value',
  footnote: 'notes',
  annotation: 'comments',
  shptxt: 'document',
  dptxbxtext: 'document',
  fldrslt: 'document',
  result: 'document',
  ud: 'document',
  ...Object.fromEntries(
    ['header', 'headerl', 'headerr', 'headerf', 'footer', 'footerl', 'footerr', 'footerf'].map(
      (name) => [name, 'page-numbers'] as const,
    ),
  ),
  ...Object.fromEntries(
    `colortbl info pict shppict nonshppict themedata colorschememapping latentstyles datastore listtable listoverridetable rsidtbl
    revtbl generator xmlnstbl bkmkstart bkmkend filetbl listtext pntext pn pnseclvl shpinst do shprslt objdata objname objalias
    objsect atnid atnauthor atntime atnicn atnref atrfstart atrfend xe tc tcn txe rxe upr aftnsep aftnsepc ftnsep ftnsepc aftncn
    ftncn template private1 protusertbl userprops docvar wgrffmtfilter mmathPr formfield datafield hl background factoidname
    picprop blipuid panose falt fname subject operator manager company category keywords comment doccomm hlinkbase creatim revtim
    printim buptim passwordhash htmltag mhtmltag pgdsctbl pgptbl list listoverride listlevel leveltext levelnumbers listname
    fontemb fontfile sp ebcstart ebcend cchs oldcprops oldpprops oldtprops oldsprops nexctfile password nonesttables NeXTGraphic`
      .split(/\s+/)
      .map((name) => [name, 'nothing'] as const),
  ),
};

/** Destinations that are also read within groups whose own text goes nowhere. */
export const readAnywhere: ReadonlySet<Place> = new Set(['title', 'author', 'class', 'entry', 'property', 'value']);

/** Older pictures of what is in the document already. */
export const duplicates: ReadonlySet<string> = new Set(['nonshppict', 'shprslt']);

export const leftOutPlaces: ReadonlySet<Place> = new Set([
  'notes',
  'comments',
  'page-numbers',
  'contents',
  'index',
  'hidden',
]);

/** Control words that are characters. */
export const characters: Readonly<Record<string, string>> = {
  emdash: '—',
  endash: '–',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
  tab: ' ',
  zwj: '\u200d',
  zwnj: '\u200c',
  '~': '\u00a0',
  _: '\u2011',
  '\\': '\\',
  '{': '{',
  '}': '}',
};
