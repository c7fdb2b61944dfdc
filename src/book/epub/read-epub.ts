/** EPUB 2 and 3: metadata, cover and chapters in reading order. */
import { extname, posix } from 'node:path';
import { type Segment, structurePauses } from '../../engine/script/passage.ts';
import type { SvcError } from '../../errors.ts';
import { quote, sanitizeLine } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import { type Book, bookOf, type Chapter, type Cover, type ReadBookOptions } from '../book.ts';
import { cutAtEntries, joinPieces, type Piece } from '../chapter-pieces.ts';
import { decodePage } from '../decode-page.ts';
import type { DocumentFile } from '../document-file.ts';
import { chaptersByHeadings } from '../heading-chapters.ts';
import { type Display, htmlSegments, type NoteTargets } from '../html-segments.ts';
import { countLeftOut, type LeftOutCounter } from '../left-out.ts';
import { visitXml } from '../markup.ts';
import { leaveByTitle } from '../matter.ts';
import { headingMark } from '../page-elements.ts';
import { type Archive, openArchive } from './archive.ts';
import { type Entries, type Entry, headingsOf, navigationEntries, ncxEntries, spacedAs } from './contents.ts';
import { fragmentOf, type Item, type Package, readPackage, resolvePath, rootFile } from './package-document.ts';
import { createStyleReader } from './style-sheets.ts';

/** Bytes of all pages, once unpacked. Long books have a few million. */
const mostPageBytes = 64 * 1024 * 1024;

/** @throws SvcError INVALID_REQUEST for what is no readable book, or is protected */
export async function readEpub(file: DocumentFile, options: ReadBookOptions = {}): Promise<Book> {
  const { path } = file;
  const archive = await openArchive(file);
  const broken = (problem: string): SvcError => requestError(`${path}: ${problem}`);
  if (!archive.has('META-INF/container.xml'))
    throw broken('this is not an EPUB file (META-INF/container.xml is missing)');
  if (await isProtected(archive)) throw broken('the book is protected by DRM and cannot be read');
  const opf = rootFile(decodePage(await archive.read('META-INF/container.xml')));
  if (opf === undefined) throw broken('META-INF/container.xml names no package document');
  const contents = readPackage(decodePage(await archive.read(archive.find(opf) ?? opf)), posix.dirname(opf));
  const { metadata } = contents;
  const warnings: string[] = [];
  const leftOut = countLeftOut(options.keep);
  const reading: Reading = {
    entries: await readContents(archive, contents),
    bookTitle: metadata.title,
    chapterDepth: options.chapterDepth,
    leftOut,
    notes: new Map(),
    warn: (warning) => warnings.push(warning),
  };
  const items = pagesOf(contents, archive, leftOut);
  const bytes = items.reduce((sum, item) => sum + archive.size(item.path), 0);
  if (bytes > mostPageBytes) throw broken('the pages of the book are larger than 64 MiB in total');
  const chapters: OpenChapter[] = [];
  const displayIn = createStyleReader(archive);
  let pages = 0;
  for (const { path: name, isBeside } of items) {
    let page: string;
    try {
      page = decodePage(await archive.read(name));
    } catch (error) {
      const problem = archive.has(name) ? (error as Error).message.replace(/^.*?: /, '') : 'it is missing';
      warnings.push(`the page ${quote(name)} is left out: ${problem}`);
      continue;
    }
    pages += 1;
    if (isBeside) {
      countBeside(page, name, reading);
      continue;
    }
    addPage(chapters, page, name, { ...reading, display: await displayIn(page, posix.dirname(name)) });
  }
  if (pages === 0) throw broken('the book has no pages');
  const { title = sanitizeLine(posix.basename(path, '.epub')), ...others } = metadata;
  const found =
    reading.entries.size > 0
      ? { chapters, warnings: [] }
      : withoutContents(chapters, metadata.title ?? 'Beginning', options, leftOut);
  const about = { ...others, title, cover: await readCover(archive, contents) };
  const read = found.chapters.filter((chapter) => !('isLeftOut' in chapter && chapter.isLeftOut));
  return bookOf(about, read, leftOut, [...warnings, ...found.warnings]);
}

/** The place in the book that a reference of a page leads to. */
const placeFrom = (path: string) => (reference: string) =>
  `${reference.startsWith('#') ? path : resolvePath(posix.dirname(path), reference)}#${fragmentOf(reference)}`;

/** Counts a page outside of the reading order, unless all of it are notes or a picture. */
function countBeside(page: string, path: string, { leftOut, notes }: Reading): void {
  const segments = htmlSegments(page, { notes: new Map(notes), place: placeFrom(path), pages: 'alone' });
  const words = segments.flatMap((segment) => (segment.kind === 'text' ? [segment.text] : [])).join('');
  if (words.trim() !== '') leftOut.count('surroundings', words.trim());
}

interface Reading {
  readonly entries: Entries;
  readonly bookTitle: string | undefined;
  readonly chapterDepth: number | undefined;
  readonly leftOut: LeftOutCounter;
  readonly notes: NoteTargets;
  readonly display?: Display | undefined;
  readonly warn: (warning: string) => void;
}

interface OpenChapter {
  readonly title: string;
  readonly segments: Segment[];
  /** Nothing follows such a chapter but the next one. */
  readonly isLeftOut: boolean;
}

/** The chapters of a book without a table of contents: its pages, or if they are one, its headings. */
function withoutContents(
  pages: readonly OpenChapter[],
  title: string,
  { chapterDepth }: ReadBookOptions,
  leftOut: LeftOutCounter,
): { readonly chapters: readonly (Chapter | OpenChapter)[]; readonly warnings: readonly string[] } {
  const [only, ...others] = pages.filter(({ isLeftOut }) => !isLeftOut);
  if (only !== undefined && others.length === 0)
    return chaptersByHeadings(only.segments, title, { chapterDepth, leftOut });
  const isHeading = (segment: Segment): boolean => segment.kind === 'mark' && segment.name.startsWith(headingMark);
  const chapters = pages.map((page) => ({ ...page, segments: page.segments.filter((segment) => !isHeading(segment)) }));
  return { chapters, warnings: [] };
}

/** Adds the chapters of a page, or its text to the last one. */
function addPage(chapters: OpenChapter[], page: string, path: string, reading: Reading): void {
  const { entries, bookTitle, chapterDepth, leftOut, warn } = reading;
  const headings = headingsOf(page, reading.display);
  const [heading] = headings;
  const spaced = spacedAs(headings);
  // Without a table of contents, each page with a heading is a chapter.
  const own = entries.size === 0 && heading !== undefined ? [{ title: heading, id: '', depth: 1 }] : [];
  const pieces = joinPieces(cutPage(page, path, [...(entries.get(path)?.values() ?? own)], reading), chapterDepth);
  const named = pieces.length === 1 ? heading : undefined;
  for (const { title: listed, segments } of pieces) {
    const title = listed && spaced(listed);
    const shown = title ?? named ?? '';
    const warning = leaveByTitle(shown, leftOut);
    if (warning !== undefined) {
      warn(warning);
      chapters.push({ title: shown, segments: [], isLeftOut: true });
      continue;
    }
    const last = chapters.at(-1);
    // A page that the table of contents doesn't list belongs to the chapter before it.
    if (title === undefined && last !== undefined && !last.isLeftOut)
      for (const segment of segments) last.segments.push(segment);
    else if (title !== undefined || segments.some(({ kind }) => kind === 'text'))
      chapters.push({ title: title ?? named ?? bookTitle ?? 'Beginning', segments: [...segments], isLeftOut: false });
  }
}

function cutPage(page: string, path: string, entries: readonly Entry[], reading: Reading): readonly Piece[] {
  const [first] = entries;
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const all = htmlSegments(page, {
    anchors: new Set(byId.keys()),
    leftOut: reading.leftOut,
    notes: reading.notes,
    place: placeFrom(path),
    display: reading.display,
    pages: 'alone',
    headings: reading.entries.size === 0 ? 'marked' : undefined,
  });
  const found = new Set(all.flatMap((segment) => (segment.kind === 'mark' ? [segment.name] : [])));
  // An entry whose place is missing begins with its page, if it is the first.
  const start = first !== undefined && !found.has(first.id) ? first : undefined;
  const pieces = cutAtEntries(all, byId, start);
  pieces.at(-1)?.segments.push({ kind: 'pause', seconds: structurePauses.paragraph, from: 'structure' });
  return pieces;
}

const isPage = ({ mediaType, path }: Item): boolean =>
  /html|oeb1-document/.test(mediaType) || (!/^image\/|svg/.test(mediaType) && /\.x?html?$/i.test(path));

interface Page extends Item {
  /** Whether it is outside of the reading order. */
  readonly isBeside: boolean;
}

/** In reading order, in which a page has one place. */
function pagesOf({ spine, beside, items }: Package, archive: Archive, leftOut: LeftOutCounter): readonly Page[] {
  const pages = new Map<string, Page>();
  for (const id of spine) {
    const item = items.get(id);
    if (item === undefined) continue;
    const kind = !isPage(item) ? 'embedded' : item.properties.includes('nav') ? 'contents' : undefined;
    if (kind !== undefined && leftOut.leaves(kind)) {
      leftOut.count(kind, item.path);
      continue;
    }
    const path = archive.find(item.path) ?? item.path;
    const isBeside = beside.has(id) && leftOut.leaves('surroundings');
    if (!pages.has(path)) pages.set(path, { ...item, path, isBeside });
  }
  return [...pages.values()];
}

/** Obfuscation of fonts by EPUB and by Adobe, which hides no text. */
const fontObfuscation = /idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc/;

/** Whether content is encrypted: rights alone protect nothing. */
async function isProtected(archive: Archive): Promise<boolean> {
  if (!archive.has('META-INF/encryption.xml')) return false;
  let found = false;
  visitXml(decodePage(await archive.read('META-INF/encryption.xml')), {
    open: (name, { Algorithm = '' }) => {
      if (name === 'encryptionmethod' && !fontObfuscation.test(Algorithm)) found = true;
    },
  });
  return found;
}

/** The table of contents by the paths of the pages: EPUB 3's navigation, else EPUB 2's. */
async function readContents(archive: Archive, { items, ncxId }: Package): Promise<Entries> {
  const all = [...items.values()];
  const navigation = all.find(({ properties }) => properties.includes('nav'));
  const ncx = items.get(ncxId ?? '') ?? all.find(({ mediaType }) => mediaType === 'application/x-dtbncx+xml');
  const read = async (item: Item | undefined): Promise<string> => {
    const path = item && archive.find(item.path);
    return path === undefined ? '' : decodePage(await archive.read(path));
  };
  const found = navigationEntries(await read(navigation), posix.dirname(navigation?.path ?? ''));
  const entries = found.size > 0 ? found : ncxEntries(await read(ncx), posix.dirname(ncx?.path ?? ''));
  return new Map([...entries].map(([path, places]) => [archive.find(path) ?? path, places]));
}

const pictureTypes: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
};

const mostCovers = 20;

async function readCover(archive: Archive, { covers, items }: Package): Promise<Cover | undefined> {
  const types = new Map([...items.values()].map(({ path, mediaType }) => [path, mediaType]));
  for (const path of covers.slice(0, mostCovers)) {
    const picture = /\.x?html?$/i.test(path) ? await pictureOf(archive, path) : path;
    const name = picture === undefined ? undefined : archive.find(picture);
    if (picture === undefined || name === undefined) continue;
    const stated = types.get(picture)?.replace('image/jpg', 'image/jpeg');
    const mimeType = /^image\/(?:jpeg|png)$/.test(stated ?? '') ? stated : pictureTypes[extname(name).toLowerCase()];
    const bytes = mimeType && (await archive.read(name).catch(() => undefined));
    if (mimeType && bytes) return { bytes, mimeType };
  }
  return undefined;
}

async function pictureOf(archive: Archive, path: string): Promise<string | undefined> {
  const name = archive.find(path);
  if (name === undefined) return undefined;
  let reference: string | undefined;
  visitXml(decodePage(await archive.read(name).catch(() => Buffer.alloc(0))), {
    open: (element, attributes) => {
      if (element === 'img') reference ??= attributes.src;
      if (element === 'image') reference ??= attributes['xlink:href'] ?? attributes.href;
    },
  });
  return reference === undefined ? undefined : resolvePath(posix.dirname(name), reference);
}
