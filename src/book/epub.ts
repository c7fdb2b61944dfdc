/** EPUB 2 and 3: title, author, cover and chapters in reading order. */
import { posix } from 'node:path';
import { type Segment, structurePauses } from '../engine/script/passage.ts';
import { SvcError } from '../errors.ts';
import { decodeLeniently } from '../files/unicode-text.ts';
import { sanitizeLine } from '../messages.ts';
import { type Archive, openArchive } from './archive.ts';
import { htmlSegments } from './html-segments.ts';
import { readMarkup } from './markup.ts';

/** Bytes of all pages, once unpacked. Long books have a few million. */
const mostPageBytes = 64 * 1024 * 1024;

export interface Chapter {
  readonly title: string;
  readonly segments: readonly Segment[];
}

export interface Cover {
  readonly bytes: Buffer;
  /** Such as `image/jpeg`. */
  readonly mimeType: string;
}

export interface Book {
  readonly title: string;
  readonly author: string | undefined;
  /** BCP 47 tag. */
  readonly language: string | undefined;
  readonly cover: Cover | undefined;
  readonly chapters: readonly Chapter[];
}

interface Item {
  readonly id: string;
  /** Path in the archive. */
  readonly path: string;
  readonly mediaType: string;
  readonly properties: readonly string[];
}

interface Package {
  readonly metadata: ReadonlyMap<string, string>;
  readonly coverId: string | undefined;
  readonly items: ReadonlyMap<string, Item>;
  /** Ids of the items in reading order, without those that are not linear. */
  readonly spine: readonly string[];
  /** Id of the table of contents of EPUB 2. */
  readonly ncxId: string | undefined;
}

interface Visitor {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly text?: (text: string) => void;
  readonly close?: (name: string) => void;
}

/** Names without their namespace prefix. */
function visitXml(xml: string, { open, text, close }: Visitor): void {
  const local = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase();
  readMarkup(
    xml,
    {
      onopentag: (name, attributes) => open?.(local(name), attributes),
      ontext: (content) => text?.(content),
      onclosetag: (name) => close?.(local(name)),
    },
    { xmlMode: true },
  );
}

/** @throws SvcError INVALID_REQUEST for what is no readable book, or is protected */
export async function readEpub(path: string): Promise<Book> {
  const archive = await openArchive(path);
  try {
    return await readBook(archive, path);
  } catch (error) {
    // Of mark-up that no real book has.
    if (error instanceof RangeError)
      throw new SvcError('INVALID_REQUEST', `${path}: ${error.message}`, { cause: error });
    throw error;
  }
}

async function readBook(archive: Archive, path: string): Promise<Book> {
  const broken = (problem: string): SvcError => new SvcError('INVALID_REQUEST', `${path}: ${problem}`);
  if (!archive.has('META-INF/container.xml'))
    throw broken('this is not an EPUB file (META-INF/container.xml is missing)');
  if (archive.has('META-INF/rights.xml') || (await isProtected(archive))) {
    throw broken('the book is protected by DRM and cannot be read');
  }
  const opf = rootFile(decodeLeniently(await archive.read('META-INF/container.xml')));
  if (opf === undefined) throw broken('META-INF/container.xml names no package document');
  const contents = readPackage(decodeLeniently(await archive.read(opf)), posix.dirname(opf));
  const entries = await readContents(archive, contents);
  const chapters: { title: string; segments: Segment[] }[] = [];
  const pages = pagesOf(contents);
  const bytes = pages.reduce((sum, item) => sum + archive.size(item.path), 0);
  if (bytes > mostPageBytes) throw broken('the pages of the book are larger than 64 MiB in total');
  for (const item of pages) {
    const page = decodeLeniently(await archive.read(item.path));
    const heading = headingOf(page);
    // Without a table of contents, each page with a heading is a chapter.
    const own = entries.size === 0 && heading !== undefined ? [{ title: heading, id: '', depth: 0 }] : [];
    const pieces = cutPage(page, [...(entries.get(item.path)?.values() ?? own)]);
    const otherwise = (pieces.length === 1 ? heading : undefined) ?? contents.metadata.get('title') ?? 'Beginning';
    for (const { title, segments } of pieces) {
      const last = chapters.at(-1);
      // What the table of contents doesn't list belongs to the chapter before it.
      if (title === undefined && last !== undefined) for (const segment of segments) last.segments.push(segment);
      else if (title !== undefined || segments.some(({ kind }) => kind === 'text'))
        chapters.push({ title: title ?? otherwise, segments: [...segments] });
    }
  }
  if (chapters.length === 0) throw broken('the book has no pages');
  return {
    title: contents.metadata.get('title') ?? sanitizeLine(posix.basename(path, '.epub')),
    author: contents.metadata.get('creator'),
    language: contents.metadata.get('language'),
    cover: await readCover(archive, contents),
    chapters,
  };
}

/** In reading order, in which a page has one place. */
function pagesOf({ spine, items }: Package): readonly Item[] {
  const pages = new Map<string, Item>();
  for (const id of spine) {
    const item = items.get(id);
    if (item === undefined || item.properties.includes('nav') || !/html/.test(item.mediaType)) continue;
    if (!pages.has(item.path)) pages.set(item.path, item);
  }
  return [...pages.values()];
}

/** An entry of the table of contents. */
interface ContentsEntry {
  readonly title: string;
  /** Id of an element of its page; empty for the beginning of the page. */
  readonly id: string;
  /** Level of nesting. */
  readonly depth: number;
}

/** By path and id. */
type Entries = ReadonlyMap<string, ReadonlyMap<string, ContentsEntry>>;
type OpenEntries = Map<string, Map<string, ContentsEntry>>;

interface PageSection {
  /** Of the chapter that it begins. */
  readonly title: string | undefined;
  readonly segments: readonly Segment[];
}

/** Cuts a page where its entries begin; those that are nested below the first one are places within a chapter. */
function cutPage(page: string, entries: readonly ContentsEntry[]): readonly PageSection[] {
  const [first] = entries;
  const places = entries.filter(({ depth }) => depth <= (first?.depth ?? 0));
  const titles = new Map(places.map(({ id, title }) => [id, title]));
  const all = htmlSegments(page, new Set(titles.keys()));
  const found = new Set(all.flatMap((segment) => (segment.kind === 'mark' ? [segment.name] : [])));
  // An entry whose place is missing begins with its page, if it is the first.
  const start = first !== undefined && !found.has(first.id) ? first.title : undefined;
  const pieces: { title: string | undefined; segments: Segment[] }[] = [{ title: start, segments: [] }];
  for (const segment of all) {
    if (segment.kind === 'mark') pieces.push({ title: titles.get(segment.name), segments: [] });
    else pieces.at(-1)?.segments.push(segment);
  }
  pieces.at(-1)?.segments.push({ kind: 'pause', seconds: structurePauses.paragraph, from: 'structure' });
  return pieces;
}

/** Of EPUB and of Adobe. Such fonts hide no text. */
const fontObfuscation = /idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc/;

async function isProtected(archive: Archive): Promise<boolean> {
  if (!archive.has('META-INF/encryption.xml')) return false;
  let found = false;
  visitXml(decodeLeniently(await archive.read('META-INF/encryption.xml')), {
    open: (name, { Algorithm = '' }) => {
      if (name === 'encryptionmethod' && !fontObfuscation.test(Algorithm)) found = true;
    },
  });
  return found;
}

function rootFile(xml: string): string | undefined {
  let path: string | undefined;
  visitXml(xml, {
    open: (name, attributes) => {
      if (name === 'rootfile') path ??= attributes['full-path'];
    },
  });
  return path;
}

/** A reference in a document of `folder` as a path in the archive, without its fragment. */
const resolve = (folder: string, reference: string): string => {
  const [path = ''] = reference.split('#');
  return posix.normalize(posix.join(folder, decode(path)));
};

const fragmentOf = (reference: string): string => decode(reference.split('#')[1] ?? '');

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function readPackage(xml: string, folder: string): Package {
  const metadata = new Map<string, string>();
  const items = new Map<string, Item>();
  const spine: string[] = [];
  let coverId: string | undefined;
  let ncxId: string | undefined;
  let content = '';
  visitXml(xml, {
    open(name, attributes) {
      content = '';
      if (name === 'item' && attributes.id !== undefined && attributes.href !== undefined) {
        items.set(attributes.id, {
          id: attributes.id,
          path: resolve(folder, attributes.href),
          mediaType: attributes['media-type'] ?? '',
          properties: (attributes.properties ?? '').split(/\s+/),
        });
      } else if (name === 'itemref' && attributes.idref !== undefined && attributes.linear !== 'no') {
        spine.push(attributes.idref);
      } else if (name === 'spine') {
        ncxId = attributes.toc;
      } else if (name === 'meta' && attributes.name === 'cover') {
        coverId = attributes.content;
      }
    },
    text(text) {
      content += text;
    },
    close(name) {
      if (!['title', 'creator', 'language'].includes(name) || metadata.has(name)) return;
      const value = sanitizeLine(content);
      content = '';
      if (value !== '') metadata.set(name, value);
    },
  });
  return { metadata, coverId, items, spine, ncxId };
}

/** The table of contents by the paths of the pages: EPUB 3's navigation, else EPUB 2's. */
async function readContents(archive: Archive, { items, ncxId }: Package): Promise<Entries> {
  const all = [...items.values()];
  const navigation = all.find(({ properties }) => properties.includes('nav'));
  const ncx = items.get(ncxId ?? '') ?? all.find(({ mediaType }) => mediaType === 'application/x-dtbncx+xml');
  const read = async (item: Item | undefined): Promise<string> =>
    item !== undefined && archive.has(item.path) ? decodeLeniently(await archive.read(item.path)) : '';
  const entries = navigationEntries(await read(navigation), posix.dirname(navigation?.path ?? ''));
  return entries.size > 0 ? entries : ncxEntries(await read(ncx), posix.dirname(ncx?.path ?? ''));
}

/** The first entry of a place is its title. */
function addEntry(entries: OpenEntries, path: string, { title, id, depth }: ContentsEntry): void {
  const places = entries.get(path) ?? new Map<string, ContentsEntry>();
  const shown = sanitizeLine(title);
  if (shown === '' || places.has(id)) return;
  entries.set(path, places.set(id, { title: shown, id, depth }));
}

function navigationEntries(xml: string, folder: string): Entries {
  const entries: OpenEntries = new Map();
  let depth = 0;
  let isContents = false;
  let target: string | undefined;
  let label = '';
  visitXml(xml, {
    open(name, attributes) {
      // A document may hold lists of pages and landmarks too.
      if (name === 'nav') isContents = /\btoc\b/.test(attributes['epub:type'] ?? attributes.role ?? 'toc');
      if (name === 'ol') depth += 1;
      if (name !== 'a' || !isContents) return;
      target = attributes.href;
      label = '';
    },
    text(text) {
      label += text;
    },
    close(name) {
      if (name === 'ol') depth -= 1;
      if (name !== 'a' || target === undefined) return;
      addEntry(entries, resolve(folder, target), { title: label, id: fragmentOf(target), depth });
      target = undefined;
    },
  });
  return entries;
}

function ncxEntries(xml: string, folder: string): Entries {
  const entries: OpenEntries = new Map();
  let depth = 0;
  let label = '';
  visitXml(xml, {
    open(name, attributes) {
      if (name === 'navpoint') depth += 1;
      if (name === 'navlabel') label = '';
      if (name !== 'content' || attributes.src === undefined) return;
      addEntry(entries, resolve(folder, attributes.src), { title: label, id: fragmentOf(attributes.src), depth });
    },
    text(text) {
      label += text;
    },
    close(name) {
      if (name === 'navpoint') depth -= 1;
    },
  });
  return entries;
}

function headingOf(page: string): string | undefined {
  let heading: string | undefined;
  let content = '';
  visitXml(page, {
    open: (name) => {
      if (/^h[1-3]$/.test(name)) content = '';
    },
    text: (text) => {
      content += text;
    },
    close: (name) => {
      if (!/^h[1-3]$/.test(name)) return;
      heading ??= sanitizeLine(content) || undefined;
      content = '';
    },
  });
  return heading;
}

async function readCover(archive: Archive, { items, coverId }: Package): Promise<Cover | undefined> {
  const item =
    [...items.values()].find(({ properties }) => properties.includes('cover-image')) ?? items.get(coverId ?? '');
  if (item === undefined || !/^image\/(?:jpeg|png)$/.test(item.mediaType) || !archive.has(item.path)) return undefined;
  return { bytes: await archive.read(item.path), mimeType: item.mediaType };
}
