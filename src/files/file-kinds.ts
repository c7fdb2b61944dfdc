/** What a file is by its bytes: a document that is read as a book, or one that has no text to speak, with the way to a text. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { isLfsPointer, lfsPointer } from '../lfs-pointer.ts';
import { decodeLeniently, encodingOf, unmarkedUtf16 } from './unicode-text.ts';
import { zipNames } from './zip-names.ts';

/** Bytes by which a file is known. */
export const telltaleBytes = 4096;

/** Documents that are read as books, as they are no text by themselves. */
export const documentKinds = [
  'epub',
  'docx',
  'odt',
  'fb2',
  'fbz',
  'pdf',
  'rtf',
  'mobi',
  'html',
  'srt',
  'vtt',
  'ass',
] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** The way out of a format that is refused. */
interface Refusal {
  /** Completes `"FILE" is …`. */
  readonly name: string;
  readonly remedy: string;
}

interface Kind extends Refusal {
  /** How svc reads it from a file. */
  readonly document?: DocumentKind;
  /** @param names of a ZIP archive, joined by line feeds; empty for other files */
  readonly fits: (start: string, names: string) => boolean;
}

const begins =
  (...signatures: readonly string[]) =>
  (start: string) =>
    signatures.some((signature) => start.startsWith(signature));
const holds =
  (at: number, ...signatures: readonly string[]) =>
  (start: string) =>
    signatures.some((signature) => start.startsWith(signature, at));
/** A ZIP archive with a file of this path. */
const archiveWith = (path: RegExp) => (start: string, names: string) =>
  start.startsWith('PK\x03\x04') && (path.test(names) || path.test(start));
const written = (pattern: RegExp) => (start: string) => pattern.test(start);

const pandoc = (format: string): string =>
  `save it as plain text or EPUB, or convert it, as with pandoc -f ${format} -t epub -o book.epub`;
const reads = (extension: string): string => `svc tts --text-file reads it, in a file that ends in ${extension}`;
const office = 'save it as plain text or DOCX, or convert it, as with soffice --convert-to docx';
const picture = 'recognize its text first, as with tesseract';
const recording = 'svc speaks text; transcribe it first';
const unpack = 'unpack it first';
const calibre = 'convert it to EPUB, as with ebook-convert of Calibre';

/** The first that fits; each character of `start` is a byte. */
const binaries: readonly Kind[] = [
  { ...lfsPointer, fits: isLfsPointer },
  { name: 'a PDF document', remedy: reads('.pdf'), document: 'pdf', fits: begins('%PDF-') },
  {
    name: 'an EPUB book',
    remedy: reads('.epub'),
    document: 'epub',
    fits: archiveWith(/mimetypeapplication\/epub\+zip|^META-INF\/container\.xml$/m),
  },
  { name: 'a Word document', remedy: reads('.docx'), document: 'docx', fits: archiveWith(/word\//) },
  { name: 'an Excel workbook', remedy: 'save the sheet as CSV or tab-separated text', fits: archiveWith(/xl\//) },
  {
    name: 'a PowerPoint presentation',
    remedy: 'save it as PDF or plain text',
    fits: archiveWith(/ppt\//),
  },
  {
    name: 'an OpenDocument file',
    remedy: reads('.odt'),
    document: 'odt',
    fits: archiveWith(/mimetypeapplication\/vnd\.oasis\.opendocument\.text/),
  },
  {
    name: 'an OpenDocument file that is no text',
    remedy: 'save it as an OpenDocument text (.odt), or a table as CSV',
    fits: archiveWith(/mimetypeapplication\/vnd\.oasis\.opendocument/),
  },
  {
    name: 'an OpenDocument file',
    remedy: reads('.odt'),
    document: 'odt',
    fits: (_, names) => /^content\.xml$/m.test(names),
  },
  {
    name: 'an Apple Pages document',
    remedy: 'export it from Pages as EPUB or Word',
    fits: archiveWith(/^(?:[^/\n]{1,200}\.pages\/)?(?:Index\/Document\.iwa|Index\.zip|index\.xml(?:\.gz)?)$/m),
  },
  { name: 'a FictionBook in the format FB3', remedy: calibre, fits: archiveWith(/^fb3\//m) },
  {
    name: 'an XPS document',
    remedy: 'save it as PDF',
    fits: archiveWith(/^(?:FixedDocSeq\.fdseq|FixedDocumentSequence\.fdseq)$/im),
  },
  // The types of all files come first in an archive of Microsoft Office, whatever it holds.
  { name: 'a document of Microsoft Office', remedy: office, fits: archiveWith(/\[Content_Types\]\.xml/) },
  { name: 'a zipped FictionBook', remedy: reads('.fb2.zip'), document: 'fbz', fits: archiveWith(/[^\n]\.fb2$/im) },
  {
    name: 'a ZIP archive',
    remedy: 'unpack it, or name a book in a file that ends in .epub with --text-file',
    fits: begins('PK\x03\x04'),
  },
  { name: 'an empty ZIP archive', remedy: 'name a file with text', fits: begins('PK\x05\x06') },
  { name: 'a gzip archive', remedy: unpack, fits: begins('\x1f\x8b') },
  { name: 'a 7z archive', remedy: unpack, fits: begins('7z\xbc\xaf\x27\x1c') },
  { name: 'a RAR archive', remedy: unpack, fits: begins('Rar!\x1a\x07') },
  { name: 'an xz archive', remedy: unpack, fits: begins('\xfd7zXZ\x00') },
  { name: 'a Zstandard archive', remedy: unpack, fits: begins('\x28\xb5\x2f\xfd') },
  { name: 'a bzip2 archive', remedy: unpack, fits: written(/^BZh[1-9]1AY&SY/) },
  { name: 'a tar archive', remedy: unpack, fits: holds(257, 'ustar') },
  // Word 97, Excel 97 and PowerPoint 97 share a container.
  { name: 'a document of an old Microsoft Office', remedy: office, fits: begins('\xd0\xcf\x11\xe0') },
  {
    name: 'an RTF document',
    remedy: reads('.rtf'),
    document: 'rtf',
    fits: written(/^(?:\xef\xbb\xbf)?\s{0,99}\{\\rtf/),
  },
  {
    name: 'a Mobipocket book',
    remedy: reads('.mobi'),
    document: 'mobi',
    fits: holds(60, 'BOOKMOBI', 'TEXtREAd'),
  },
  {
    name: 'a Kindle book in the format KFX',
    remedy: 'get it as EPUB, or as AZW3 without DRM',
    fits: begins('CONT\x02', '\xeaDRMION\xee'),
  },
  { name: 'a book of Microsoft Reader', remedy: calibre, fits: begins('ITOLITLS') },
  { name: 'a CHM file', remedy: calibre, fits: begins('ITSF') },
  { name: 'a book of eReader', remedy: calibre, fits: holds(60, 'PNRdPPrs', 'PDctPPrs') },
  { name: 'a book of Sony', remedy: calibre, fits: begins('L\0R\0F\0') },
  { name: 'a DjVu document', remedy: 'convert it, as with djvutxt', fits: begins('AT&TFORM') },
  { name: 'a PostScript file', remedy: 'convert it, as with ps2pdf', fits: begins('%!PS') },
  { name: 'a PNG picture', remedy: picture, fits: begins('\x89PNG\r\n\x1a\n') },
  { name: 'a JPEG picture', remedy: picture, fits: begins('\xff\xd8\xff') },
  { name: 'a GIF picture', remedy: picture, fits: written(/^GIF8[79]a/) },
  { name: 'a TIFF picture', remedy: picture, fits: begins('II*\0', 'MM\0*') },
  {
    name: 'a BMP picture',
    remedy: picture,
    fits: (start) => start.startsWith('BM') && start.startsWith('\0\0\0\0', 6),
  },
  { name: 'a WebP picture', remedy: picture, fits: (start) => start.startsWith('RIFF') && start.startsWith('WEBP', 8) },
  { name: 'a HEIC or AVIF picture', remedy: picture, fits: holds(4, 'ftypheic', 'ftypheix', 'ftypmif1', 'ftypavif') },
  {
    name: 'a WAV recording',
    remedy: recording,
    fits: (start) => start.startsWith('RIFF') && start.startsWith('WAVE', 8),
  },
  { name: 'an AVI video', remedy: recording, fits: (start) => start.startsWith('RIFF') && start.startsWith('AVI ', 8) },
  { name: 'an MP4 file', remedy: recording, fits: holds(4, 'ftyp') },
  {
    name: 'an MP3 recording',
    remedy: recording,
    fits: begins('ID3\x02', 'ID3\x03', 'ID3\x04', '\xff\xfb', '\xff\xf3', '\xff\xf2'),
  },
  { name: 'an AAC recording', remedy: recording, fits: written(/^\xff[\xf0\xf1\xf8\xf9][\x40-\xbf]/) },
  { name: 'a FLAC recording', remedy: recording, fits: begins('fLaC') },
  { name: 'an Ogg file', remedy: recording, fits: begins('OggS\0') },
  { name: 'a Matroska or WebM file', remedy: recording, fits: begins('\x1a\x45\xdf\xa3') },
  { name: 'an SQLite database', remedy: 'export its text', fits: begins('SQLite format 3\0') },
  { name: 'a program', remedy: 'name a file with text', fits: begins('\x7fELF', 'MZ\x90\0', '\xcf\xfa\xed\xfe') },
  { name: 'a GGUF model', remedy: 'name it with --model', fits: begins('GGUF') },
  { name: 'a font', remedy: 'name a file with text', fits: begins('wOFF', 'wOF2', 'OTTO\0', '\0\x01\0\0\0') },
];

/** What may come before the first element of a document. */
const prologue = String.raw`^\s{0,999}(?:(?:<\?[^>]{0,999}\?>|<!--(?:(?!-->)[\s\S]){0,999}-->)\s{0,999}){0,9}(?:<!DOCTYPE (?!html)[^>]{0,999}>\s{0,999})?`;
const root = (name: string): RegExp => new RegExp(`${prologue}<${name}(?=[\\s/>])`, 'i');
const html = root('(?:!doctype html|html)');
const times = String.raw`\d{1,4}:\d{1,2}(?::\d{1,2})?[.,:]\d{1,3}[ \t]{0,9}-{1,3}>`;
const subRip = new RegExp(String.raw`^\s{0,99}(?:\d{1,9}\s{0,99}\n\s{0,99})?${times}`);

/** Documents that are written as text. */
const texts: readonly Kind[] = [
  {
    name: 'an HTML page',
    remedy: `${pandoc('html')}; or speak its source with --input-format plain`,
    document: 'html',
    fits: written(html),
  },
  { name: 'a FictionBook', remedy: reads('.fb2'), document: 'fb2', fits: written(root('FictionBook')) },
  { name: 'captions in WebVTT', remedy: reads('.vtt'), document: 'vtt', fits: written(/^WEBVTT(?:[ \t\r\n]|$)/) },
  {
    name: 'subtitles in SubStation Alpha',
    remedy: reads('.ass'),
    document: 'ass',
    fits: written(
      /^\s{0,99}(?:[;!][^\n]{0,999}\n\s{0,99}){0,20}\[(?:Script Info|V4\+{0,2} Styles\+?|Events|Aegisub [\w ]{1,40})\]/i,
    ),
  },
  { name: 'captions in SubRip', remedy: reads('.srt'), document: 'srt', fits: written(subRip) },
];

const source = 'or speak its source with --input-format plain';

/** Text with mark-up that would be spoken. */
const markups: readonly (Refusal & { readonly extensions: readonly string[]; readonly fits: RegExp })[] = [
  {
    name: 'a LaTeX document',
    remedy: `convert it, as with pandoc -f latex -t epub -o book.epub; ${source}`,
    extensions: ['.tex', '.latex', '.ltx'],
    fits: /^(?:\s{0,99}%[^\n]{0,999}\n|\s{1,99}){0,40}\\(?:documentclass|documentstyle|NeedsTeXFormat)\b/,
  },
  {
    name: 'a reStructuredText document',
    remedy: `convert it, as with pandoc -f rst -t epub -o book.epub; ${source}`,
    extensions: ['.rst'],
    fits: /^(?:[^\n]{0,300}\n){0,40}\.\. (?:_[\w -]{1,60}:|[\w:-]{1,40}::)(?:\s|$)/,
  },
  {
    name: 'an AsciiDoc document',
    remedy: `convert it, as with asciidoctor -b docbook and pandoc -f docbook -t epub -o book.epub; ${source}`,
    extensions: ['.adoc', '.asciidoc'],
    fits: /^\s{0,99}(?:= \S[^\n]{0,300}\n)?(?:[^\n:=]{1,300}\n){0,2}:[a-z][\w-]{0,40}!?:(?: [^\n]{0,300})?\n/,
  },
  {
    name: 'an Org document',
    remedy: `convert it, as with pandoc -f org -t epub -o book.epub; ${source}`,
    extensions: ['.org'],
    fits: /^(?:\s{0,99}#[^\n]{0,999}\n){0,20}\s{0,99}#\+(?:TITLE|AUTHOR|OPTIONS|STARTUP):/i,
  },
  {
    name: 'an OPML outline',
    remedy: `convert it, as with pandoc -f opml -t epub -o book.epub; ${source}`,
    extensions: ['.opml'],
    fits: root('opml'),
  },
  {
    name: 'an SVG picture',
    remedy: `name a file with text; ${source}`,
    extensions: ['.svg'],
    fits: root('svg'),
  },
  {
    name: 'a JSON file',
    remedy: `svc batch speaks lists of texts; ${source}`,
    extensions: ['.json', '.jsonl', '.ndjson'],
    fits: /^\s{0,99}(?:(?:\[\s{0,99})?\{\s{0,99}"(?:[^"\\\n]|\\.){1,200}"\s{0,99}:|\[\s{0,99}"(?:[^"\\\n]|\\.){0,999}"\s{0,99}[,\]])/,
  },
  {
    name: 'a saved web page (MHTML)',
    remedy: `save it as HTML; ${source}`,
    extensions: ['.mht', '.mhtml'],
    fits: /^(?:[\w-]{1,60}:[^\n]{0,999}\n(?:[ \t][^\n]{0,999}\n){0,9}){0,30}Content-Type:\s{0,9}multipart\/related/i,
  },
  {
    name: 'an e-mail message',
    remedy: `save its text; ${source}`,
    extensions: ['.eml'],
    fits: /^(?:Return-Path|Received|Delivered-To|MIME-Version): [^\n]{1,999}\n(?:[\w-]{1,60}:|[ \t])/,
  },
  {
    name: 'captions in TTML',
    remedy: `convert them to SubRip, as with ffmpeg; ${source}`,
    extensions: ['.ttml', '.dfxp'],
    fits: root('tt'),
  },
  {
    name: 'captions in another format',
    remedy: `convert them to SubRip, as with ffmpeg -i captions output.srt; ${source}`,
    extensions: ['.sbv', '.lrc', '.smi', '.sami', '.sub', '.scc', '.mpl'],
    fits: /^\s{0,99}(?:Scenarist_SCC V1|\[\d{1,6}\]\[\d{1,6}\]|\{\d{1,9}\}\{\d{1,9}\}|\d{1,2}:\d\d:\d\d\.\d{3},\d{1,2}:\d\d:\d\d\.\d{3}\s|<SAMI>|(?:\[\w{2,8}:[^\]\n]{0,99}\]\s{0,9}){0,9}\[\d\d:\d\d\.\d\d\d?\])/i,
  },
  {
    name: 'a DocBook document',
    remedy: `convert it, as with pandoc -f docbook -t epub -o book.epub; ${source}`,
    extensions: ['.docbook', '.dbk'],
    fits: /^\s{0,999}<\?xml[^>]{0,999}\?>[\s\S]{0,2000}?(?:docbook\.org|DocBook XML)/,
  },
  {
    name: 'a document in mark-up of wikis',
    remedy: `convert it, as with pandoc -f mediawiki (or -f textile) -t epub -o book.epub; ${source}`,
    extensions: ['.wiki', '.mediawiki', '.textile'],
    fits: /(?!)/,
  },
  {
    name: 'an XML document of another kind',
    remedy: `convert it to EPUB or HTML; ${source}`,
    extensions: ['.xml', '.tei', '.dita', '.xsl', '.xslt', '.rss', '.atom'],
    // SSML is a script.
    fits: new RegExp(String.raw`^(?=\s{0,99}<\?xml\s)${prologue.slice(1)}<(?!speak[\s>])[A-Za-z]`),
  },
];

const describe = ({ name, remedy }: Refusal): string => `${name}; ${remedy}`;

const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const readable = (bytes: Uint8Array): string =>
  decodeLeniently(bytes.subarray(0, telltaleBytes)).replace(/^\uFEFF/, '');

/**
 * What bytes are that have no text to speak; undefined for any others.
 *
 * @param start at least `telltaleBytes` of them, or all
 * @param markup whether a page of HTML is text
 * @returns `a PDF document; convert it …`
 */
export function describeNoText(start: Uint8Array, markup: 'refused' | 'text'): string | undefined {
  const first = start.subarray(0, telltaleBytes);
  const text = latin(first);
  const kind =
    binaries.find(({ fits }) => fits(text, '')) ??
    (markup === 'refused' && html.test(readable(first)) ? texts[0] : undefined);
  if (kind !== undefined) return describe(kind);
  if (encodingOf(start) !== 'utf-8') return undefined;
  return unmarkedUtf16(start) !== undefined ? 'UTF-16 text without a byte order mark; save it as UTF-8' : undefined;
}

/** What a file is: a document to read as a book, something else that has no text, or undefined for a text. */
export type FileKind =
  | { readonly document: DocumentKind }
  /** `a PNG picture; recognize …` */
  | { readonly refused: string };

/** By bytes, else by its name: a damaged book is a book. */
const kindsByExtension: Readonly<Record<string, DocumentKind>> = {
  '.epub': 'epub',
  '.docx': 'docx',
  '.odt': 'odt',
  '.fb2': 'fb2',
  '.fbz': 'fbz',
  '.pdf': 'pdf',
  '.rtf': 'rtf',
  '.mobi': 'mobi',
  '.azw': 'mobi',
  '.azw3': 'mobi',
  '.prc': 'mobi',
  '.html': 'html',
  '.htm': 'html',
  '.xhtml': 'html',
  '.srt': 'srt',
  '.vtt': 'vtt',
  '.ass': 'ass',
  '.ssa': 'ass',
};

/** What the name of a file promises. */
export const kindByName = (path: string): DocumentKind | undefined =>
  /\.fb2\.zip$/i.test(path) ? 'fbz' : kindsByExtension[extname(path).toLowerCase()];

/** Reads the beginning of a file, and what a ZIP archive holds; a file that can't be read is what its name says. */
export function fileKind(path: string): FileKind | undefined {
  const named = kindByName(path);
  const promised: FileKind | undefined = named && { document: named };
  const start = startOf(path);
  if (start === undefined) return promised;
  const bytes = latin(start);
  const names = bytes.startsWith('PK\x03\x04') ? zipNames(path).join('\n') : '';
  const binary = binaries.find(({ fits }) => fits(bytes, names));
  if (binary !== undefined) {
    if (binary.document !== undefined) return { document: binary.document };
    // A damaged archive still is a book; its reader says what is wrong.
    return named !== undefined && names === '' && bytes.startsWith('PK') ? promised : { refused: describe(binary) };
  }
  const text = readable(start);
  const known = texts.find(({ fits }) => fits(text, ''));
  if (known?.document !== undefined) return { document: known.document };
  if (named !== undefined) return promised;
  const extension = extname(path).toLowerCase();
  // What is written in Markdown may begin with an example in another language.
  const isMarkdown = /^\.(?:md|markdown)$/.test(extension);
  const markup = markups.find(
    ({ extensions, fits }) => extensions.includes(extension) || (!isMarkdown && fits.test(text)),
  );
  return markup === undefined ? undefined : { refused: describe(markup) };
}

/** The document that a file is, if it is one. */
export function documentKind(path: string): DocumentKind | undefined {
  const kind = fileKind(path);
  return kind !== undefined && 'document' in kind ? kind.document : undefined;
}

/** Undefined for what is no ordinary file, or can't be read. */
function startOf(path: string): Uint8Array | undefined {
  let file: number | undefined;
  try {
    if (!statSync(path).isFile()) return undefined;
    file = openSync(path, 'r');
    const start = Buffer.alloc(telltaleBytes);
    return start.subarray(0, readSync(file, start, 0, telltaleBytes, 0));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
