/** The destinations of RTF 1.9.1: where the text of a group goes. */
import { meaningOf } from '../../word-lists.ts';
import type { LeftOutKind } from '../left-out.ts';

/** Places whose text is collected until they end. */
export const collecting = ['styles', 'title', 'author', 'formulas', 'entry', 'class', 'property', 'value'] as const;
export type Collecting = (typeof collecting)[number];

/** Into the document, to what listeners would skip, to what is known about the document, or nowhere. */
export type Place = 'document' | LeftOutKind | 'nothing' | 'fonts' | 'instruction' | Collecting;

export const isCollecting = (place: Place): place is Collecting => collecting.some((own) => own === place);

/** Places by the control word that begins the group. */
export const places: ReadonlyMap<string, Place> = meaningOf({
  fonts: 'fonttbl',
  styles: 'stylesheet',
  title: 'title',
  author: 'author',
  instruction: 'fldinst',
  entry: 'ffl',
  class: 'objclass',
  property: 'sn',
  value: 'sv',
  notes: 'footnote',
  comments: 'annotation',
  document: 'shptxt dptxbxtext fldrslt result ud',
  'page-numbers': 'header headerl headerr headerf footer footerl footerr footerf',
  nothing: `colortbl info pict shppict nonshppict themedata colorschememapping latentstyles datastore listtable listoverridetable
    rsidtbl revtbl generator xmlnstbl bkmkstart bkmkend filetbl listtext pntext pn pnseclvl shpinst do shprslt objdata objname
    objalias objsect atnid atnauthor atntime atnicn atnref atrfstart atrfend xe tc tcn txe rxe upr aftnsep aftnsepc ftnsep ftnsepc
    aftncn ftncn template private1 protusertbl userprops docvar wgrffmtfilter mmathPr formfield datafield hl background
    factoidname picprop blipuid panose falt fname subject operator manager company category keywords comment doccomm hlinkbase
    creatim revtim printim buptim passwordhash htmltag mhtmltag pgdsctbl pgptbl list listoverride listlevel leveltext levelnumbers
    listname fontemb fontfile sp ebcstart ebcend cchs oldcprops oldpprops oldtprops oldsprops nexctfile password nonesttables
    NeXTGraphic`,
});

/** Destinations that are also read within groups whose own text goes nowhere. */
export const readAnywhere: ReadonlySet<Place> = new Set(['title', 'author', 'class', 'entry', 'property', 'value']);

/** Older pictures of what is in the document already. */
export const duplicates: ReadonlySet<string> = new Set(['nonshppict', 'shprslt']);

export const leftOutPlaces: ReadonlySet<Place> = new Set<Place>([
  'notes',
  'comments',
  'page-numbers',
  'contents',
  'index',
  'hidden',
]);

/** Control words that are characters. */
export const characters: ReadonlyMap<string, string> = new Map([
  ...Object.entries({
    emdash: '—',
    endash: '–',
    bullet: '•',
    lquote: '‘',
    rquote: '’',
    ldblquote: '“',
    rdblquote: '”',
  }),
  ...['emspace', 'enspace', 'qmspace', 'tab'].map((word) => [word, ' '] as const),
  ...Object.entries({ zwj: '\u200d', zwnj: '\u200c', '~': '\u00a0', _: '\u2011', '\\': '\\', '{': '{', '}': '}' }),
]);
