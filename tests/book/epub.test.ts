/** Books of both versions of EPUB, written here with the faults that real ones have. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { htmlSegments } from '../../src/book/html-segments.ts';
import { readDocument as readEpub } from '../../src/book/read-document.ts';
import { passagesOf } from '../../src/engine/script/passage.ts';
import { readRows } from '../support/rows.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { countedCopy, growthOf } from '../support/work.ts';
import { cases, chapterLines, chaptersOf } from './chapters-of.ts';
import { zip } from './write-documents.ts';

const counted = await countedCopy<
  typeof import('../../src/book/epub/read-epub.ts') & typeof import('../../src/book/html-segments.ts')
>('src/book/epub/read-epub.ts', 'src/book/html-segments.ts');

const folder = sharedFolder();

const epub = (name: string, files: Readonly<Record<string, string | Buffer>>): Promise<string> =>
  zip(join(folder, name), files);

const utf16 = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, 'utf16le');

it('reads pages in UTF-16, as EPUB allows', async () => {
  const files = {
    'META-INF/container.xml': container('book.opf'),
    'book.opf': utf16(
      '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Größe</dc:title></metadata><manifest><item id="one" href="one.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="one"/></spine></package>',
    ),
    'one.xhtml': utf16(page('<p>Süße Äpfel.</p>')),
  };
  const { title, chapters } = await readEpub(await epub('utf16.epub', files));
  expect([title, JSON.stringify(chapters)]).toEqual(['Größe', expect.stringContaining('Süße Äpfel.')]);
});

const container = (opf: string): string =>
  `<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="${opf}" media-type="application/oebps-package+xml"/></rootfiles></container>`;
const page = (body: string): string =>
  `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>${body}</body></html>`;

const third = {
  mimetype: 'application/epub+zip',
  'META-INF/container.xml': container('OEBPS/book.opf'),
  'OEBPS/book.opf': `<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
    <dc:title>The  Book &amp; more</dc:title><dc:title>Second</dc:title><dc:creator>A. Writer</dc:creator><dc:language>en-GB</dc:language></metadata>
    <manifest>
      <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
      <item id="c" href="img/cover.jpg" media-type="image/jpeg" properties="cover-image"/>
      <item id="t" href="title.xhtml" media-type="application/xhtml+xml"/>
      <item id="one" href="text/one%20a.xhtml" media-type="application/xhtml+xml"/>
      <item id="more" href="text/more.xhtml" media-type="application/xhtml+xml"/>
      <item id="two" href="text/two.xhtml" media-type="application/xhtml+xml"/>
      <item id="notes" href="text/notes.xhtml" media-type="application/xhtml+xml"/>
    </manifest>
    <spine><itemref idref="nav"/><itemref idref="t"/><itemref idref="one"/><itemref idref="more"/><itemref idref="two"/><itemref idref="notes" linear="no"/></spine></package>`,
  'OEBPS/nav.xhtml': page(
    '<nav epub:type="toc"><ol><li><a href="text/one%20a.xhtml">1. One</a><ol><li><a href="text/one%20a.xhtml#s">1.1</a></li></ol></li><li><a href="text/two.xhtml"> 2.\n Two</a></li></ol></nav><nav epub:type="landmarks"><a href="title.xhtml">Cover</a></nav>',
  ),
  'OEBPS/img/cover.jpg': 'jpeg',
  'OEBPS/title.xhtml': page('<h1>Title page</h1>'),
  'OEBPS/text/one a.xhtml': page('<h1>One</h1><p>First.</p>'),
  'OEBPS/text/more.xhtml': page('<p>More of one.</p>'),
  'OEBPS/text/two.xhtml': page('<h1>Two</h1><p>Second.</p>'),
  'OEBPS/text/notes.xhtml': page('<p>Notes</p>'),
};

/** A book whose pages are `a.html`, `b.html` and so on. */
const withPages = (contents: string, ...pages: readonly string[]): Readonly<Record<string, string>> => {
  const names = pages.map((_, index) => String.fromCharCode(97 + index));
  return {
    'META-INF/container.xml': container('book.opf'),
    'book.opf': `<package version="3.0"><metadata/><manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
      ${names.map((name) => `<item id="${name}" href="${name}.html" media-type="application/xhtml+xml"/>`).join('')}</manifest>
      <spine>${names.map((name) => `<itemref idref="${name}"/>`).join('')}</spine></package>`,
    'nav.xhtml': page(`<nav epub:type="toc"><ol>${contents}</ol></nav>`),
    ...Object.fromEntries(pages.map((body, index) => [`${names[index]}.html`, page(body)])),
  };
};

const entry = (href: string, title: string, below = ''): string => `<li><a href="${href}">${title}</a>${below}</li>`;

describe('a book', () => {
  it.each(cases('EPUB chapters'))('has chapters $case', async ({ case: name, given, expected }) => {
    const [contents = '', ...pages] = given.split(' / ');
    const book = await readEpub(await epub(`${name}.epub`, withPages(contents, ...pages)));
    expect(chapterLines(book).join(' | ')).toBe(expected);
  });

  it('of EPUB 3 has its chapters in order, with pages that continue', async () => {
    const book = await readEpub(await epub('third.epub', third));
    expect(book).toMatchObject({ title: 'The Book & more', author: 'A. Writer', language: 'en-GB' });
    expect(book.cover).toEqual({ bytes: Buffer.from('jpeg'), mimeType: 'image/jpeg' });
    expect(chapterLines(book)).toEqual([
      'Title page: Title page',
      '1. One: One First. More of one.',
      '2. Two: Two Second.',
    ]);
  });

  it('of EPUB 2 has the titles of its NCX, and the cover that its metadata names', async () => {
    const book = await readEpub(
      await epub('second.epub', {
        'META-INF/container.xml': container('book.opf'),
        'book.opf': `<opf:package xmlns:opf="http://www.idpf.org/2007/opf" version="2.0"><opf:metadata><meta name="cover" content="c"/></opf:metadata>
          <opf:manifest><opf:item id="c" href="c.png" media-type="image/png"/><opf:item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
          <opf:item id="a" href="a.html" media-type="application/xhtml+xml"/><opf:item id="b" href="b.html" media-type="application/xhtml+xml"/></opf:manifest>
          <opf:spine toc="ncx"><opf:itemref idref="a"/><opf:itemref idref="b"/><opf:itemref idref="gone"/></opf:spine></opf:package>`,
        'toc.ncx':
          '<ncx><navMap><navPoint><navLabel><text>Alpha</text></navLabel><content src="a.html"/></navPoint><navPoint><navLabel><text>Beta</text></navLabel><content src="b.html#x"/></navPoint></navMap></ncx>',
        'a.html': page('<p>a</p>'),
        'b.html': page('<p>b</p>'),
        'c.png': 'png',
      }),
    );
    expect(book.title).toBe('second');
    expect(book.cover?.mimeType).toBe('image/png');
    expect(book.chapters.map(({ title }) => title)).toEqual(['Alpha', 'Beta']);
  });

  const parts = [
    'META-INF/container.xml',
    'META-INF/encryption.xml',
    'OEBPS/book.opf',
    'OEBPS/nav.xhtml',
    'OEBPS/text/two.xhtml',
  ];
  const encryption =
    '<encryption><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></encryption>';
  it.each([
    ['without a container', {}, 'this is not an EPUB file (META-INF/container.xml is missing)'],
    ['without a package document', { 'META-INF/container.xml': '<container/>' }, 'names no package document'],
    ['whose package document is missing', { 'META-INF/container.xml': container('x.opf') }, '"x.opf" is missing'],
    ['without pages', { 'META-INF/container.xml': container('x.opf'), 'x.opf': '<package/>' }, 'the book has no pages'],
    ...parts.map((file) => {
      const files = { ...third, [file]: '<a>'.repeat(50_000) };
      return [`with nested elements in ${file}`, files, 'bad.epub: elements are nested too deeply'] as const;
    }),
    ['with encrypted pages', { ...third, 'META-INF/encryption.xml': encryption }, 'the book is protected by DRM'],
  ])('%s is refused', async (_, files, message) => {
    const path = await epub('bad.epub', files);
    await expect(readEpub(path)).rejects.toThrow(message);
  });

  it('has each page once, whatever its reading order says', async () => {
    const opf = third['OEBPS/book.opf']
      .replace(
        '</manifest>',
        '<item id="copy" href="text/../text/two.xhtml" media-type="application/xhtml+xml"/></manifest>',
      )
      .replace('</spine>', `${'<itemref idref="two"/>'.repeat(1000)}<itemref idref="copy"/></spine>`);
    const path = await epub('repeated.epub', { ...third, 'OEBPS/book.opf': opf });
    expect(chaptersOf(await readEpub(path))).toEqual(chaptersOf(await readEpub(await epub('once.epub', third))));
  });

  it('may not have more than 64 MiB of pages', async () => {
    const names = Array.from({ length: 3 }, (_, index) => `p${index}.html`);
    const items = names.map((name) => `<item id="${name}" href="${name}" media-type="text/html"/>`);
    const path = await epub('large.epub', {
      'META-INF/container.xml': container('x.opf'),
      'x.opf': `<package>${items.join('')}${names.map((name) => `<itemref idref="${name}"/>`).join('')}</package>`,
      ...Object.fromEntries(names.map((name) => [name, ' '.repeat(22 * 1024 * 1024)])),
    });
    await expect(readEpub(path)).rejects.toThrow('the pages of the book are larger than 64 MiB in total');
  });

  it('has one page of many texts', async () => {
    const path = await epub('many.epub', { ...third, 'OEBPS/text/more.xhtml': page('a<b/>'.repeat(150_000)) });
    expect((await readEpub(path)).chapters[1]?.segments.length).toBeGreaterThan(150_000);
  });

  it('has thousands of entries for a page in its table of contents', async () => {
    const read = async (count: number): Promise<void> => {
      const links = Array.from({ length: count }, (_, index) => `<a href="text/two.xhtml#${index}">a</a>`);
      const path = await epub('links.epub', { ...third, 'OEBPS/nav.xhtml': `<nav>${links.join('')}</nav>` });
      await counted.readEpub({ path, bytes: await readFile(path) });
    };
    expect(await growthOf(read, 1_000, 4_000)).toBeLessThan(4.3);
  });

  it('cannot control a terminal or reverse a line with its titles', async () => {
    const hostile = (text: string): string => `${text}&#27;[31m&#10;x&#0;\u009b\u202eb\u2066`;
    const path = await epub('hostile.epub', {
      ...third,
      'OEBPS/book.opf': third['OEBPS/book.opf']
        .replace('The  Book', hostile('The'))
        .replace('A. Writer', hostile('A.')),
      'OEBPS/nav.xhtml': third['OEBPS/nav.xhtml'].replace('1. One', hostile('1.')),
      'OEBPS/title.xhtml': page(`<h1>${hostile('0.')}</h1>`),
    });
    const { title, author, chapters } = await readEpub(path);
    const shown = [title, author, ...chapters.map((chapter) => chapter.title)].join('|');
    expect(shown).toMatch(/^The \[31m x/);
    expect(shown).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });

  it('that is no archive is refused', async () => {
    const path = join(folder, 'text.epub');
    await writeFile(path, 'Hello');
    await expect(readEpub(path)).rejects.toThrow(`${path} is not a readable EPUB file`);
  });

  it('with obfuscated fonts is read', async () => {
    const path = await epub('fonts.epub', {
      ...third,
      'META-INF/encryption.xml':
        '<encryption><EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/><EncryptionMethod Algorithm="http://ns.adobe.com/pdf/enc#RC"/></encryption>',
    });
    await expect(readEpub(path)).resolves.toMatchObject({ author: 'A. Writer' });
  });
});

const said = (body: string): string =>
  passagesOf(htmlSegments(page(body)))
    .map(({ text, pauseSeconds }) => (pauseSeconds === undefined ? text : `${text}|${pauseSeconds}|`))
    .join(' ');

it('reports pages outside of the reading order that have words, and reads them where they are kept', async () => {
  const { 'book.opf': opf = '', ...files } = withPages(
    entry('a.html', 'One'),
    '<p>a</p>',
    '<p>Beside.</p>',
    '<img src="x"/>',
  );
  const book = opf.replace('idref="b"', 'idref="b" linear="no"').replace('idref="c"', 'idref="c" linear="no"');
  const path = await epub('beside.epub', { ...files, 'book.opf': book });
  const { chapters, leftOut, firstLeftOut } = await readEpub(path);
  expect([chapters.length, leftOut, firstLeftOut]).toEqual([1, { surroundings: 1 }, { surroundings: '"Beside."' }]);
  const kept = await readEpub(path, { keep: ['surroundings'] });
  expect([chaptersOf(kept)[0]?.[1], kept.leftOut]).toEqual(['a Beside.', {}]);
});

describe('what real books have', () => {
  const ncxBook = (ncx: string, ...pages: readonly string[]): Readonly<Record<string, string | Buffer>> => {
    const { 'nav.xhtml': _, ...files } = withPages('', ...pages);
    const opf = (files['book.opf'] as string).replace(
      /<item id="nav"[^>]*>/,
      '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>',
    );
    return { ...files, 'book.opf': opf, 'toc.ncx': `<ncx>${ncx}</ncx>` };
  };
  const point = (src: string, label: string, below = ''): string =>
    `<navPoint><navLabel><text>${label}</text></navLabel><content src="${src}"/>${below}</navPoint>`;

  it('are pages and lists beside the contents of an NCX, which are no chapters', async () => {
    const page = (place: string): string =>
      `<pageTarget><navLabel><text>[Pg 1]</text></navLabel><content src="${place}"/></pageTarget>`;
    const list =
      '<navList><navTarget><navLabel><text>A map</text></navLabel><content src="b.html#m"/></navTarget></navList>';
    const map = `<navMap>${point('a.html', 'One')}${point('b.html', 'Two')}</navMap>`;
    const files = ncxBook(
      `<pageList>${page('a.html')}${page('a.html#p')}</pageList>${list}${map}`,
      '<p>First.</p><p id="p">More.</p>',
      '<p>Second.</p><p id="m">Map.</p>',
    );
    expect(chapterLines(await readEpub(await epub('lists.epub', files)))).toEqual([
      'One: First. More.',
      'Two: Second. Map.',
    ]);
  });

  const nested = (parts: string): Readonly<Record<string, string>> =>
    withPages(entry('a.html#p', 'Part', `<ol>${entry('a.html#one', 'One')}${entry('a.html#two', 'Two')}</ol>`), parts);

  it.each([
    [
      'long',
      `<p id="p">Preface.</p><p id="one">${'Word. '.repeat(5_001)}</p><p id="two">b</p>`,
      ['Part', 'One', 'Two'],
    ],
    ['with only its heading', '<h1 id="p">Part</h1><p id="one">a</p><p id="two">b</p>', ['Part', 'One', 'Two']],
    ['short', '<p id="p">Preface.</p><p id="one">a</p><p id="two">b</p>', ['Part']],
  ])('are entries below one that is %s', async (name, parts, expected) => {
    const { chapters } = await readEpub(await epub(`${name}.epub`, nested(parts)));
    expect(chapters.map(({ title }) => title)).toEqual(expected);
  });

  it.each([
    [1, ['Part']],
    [2, ['Part', 'One', 'Two']],
  ])('are cut at level %i', async (chapterDepth, expected) => {
    const path = await epub('depth.epub', nested('<p id="p">Preface.</p><p id="one">a</p><p id="two">b</p>'));
    const { chapters } = await readEpub(path, { chapterDepth });
    expect(chapters.map(({ title }) => title)).toEqual(expected);
  });

  it('are titles of several lines', async () => {
    const files = withPages(entry('a.html', 'Chapter<br/>One'), '<p>a</p>');
    const own = withPages('', '<h1>Chapter<br/>One</h1><p>a</p>');
    for (const book of [files, own])
      expect((await readEpub(await epub('lines.epub', book))).chapters[0]?.title).toBe('Chapter One');
  });

  const unread = withPages(
    entry('a.html', 'One') + entry('b.html', 'Inhaltsverzeichnis') + entry('c.html', 'Index') + entry('d.html', '奥付'),
    '<p>a<sup>[1]</sup></p>',
    '<p>Contents.</p>',
    '<p>Names.</p>',
    '<p>Made.</p>',
    '<p>Not listed.</p>',
  );

  it('are contents, an index and an imprint, which are left out and counted', async () => {
    const book = await readEpub(await epub('unread.epub', unread));
    expect(chapterLines(book)).toEqual(['One: a', 'Beginning: Not listed.']);
    expect(book.leftOut).toEqual({ notes: 1, contents: 1, index: 1, copyright: 1 });
    expect(book.warnings).toContain('the chapter "Index" is left out; --keep index reads it');
  });

  it('are read where they are to be kept', async () => {
    const keep = ['notes', 'contents', 'index', 'copyright'] as const;
    const book = await readEpub(await epub('kept.epub', unread), { keep });
    expect(chaptersOf(book).map(([title]) => title)).toEqual(['One', 'Inhaltsverzeichnis', 'Index', '奥付']);
    expect([chaptersOf(book)[0]?.[1], book.leftOut]).toEqual(['a[1]', {}]);
  });

  it('are pages that are missing, damaged or written in another case, with a warning', async () => {
    const {
      'a.html': first,
      'b.html': _,
      ...files
    } = withPages(entry('a.html', 'One') + entry('c.html', 'Three'), '<p>a</p>', '<p>b</p>', '<p>c</p>');
    const { chapters, warnings } = await readEpub(await epub('missing.epub', { ...files, 'A.HTML': first as string }));
    expect(chapters.map(({ title }) => title)).toEqual(['One', 'Three']);
    expect(warnings).toEqual(['the page "b.html" is left out: it is missing']);
  });

  it.each([
    ['windows-1252', Buffer.from('<?xml version="1.0" encoding="windows-1252"?><p>Gr\u00f6\u00dfe</p>', 'latin1')],
    ['Windows that is not stated', Buffer.from('<html><p>Gr\u00f6\u00dfe</p></html>', 'latin1')],
    ['UTF-16 without a mark', Buffer.from('<html><p>Größe</p></html>', 'utf16le')],
    ['UTF-8 with a charset', Buffer.from('<html><meta charset="utf-8"/><p>Größe</p></html>')],
  ])('are pages in %s', async (_, bytes) => {
    const path = await epub('encoded.epub', { ...withPages('', '<p>a</p>'), 'a.html': bytes });
    expect(chaptersOf(await readEpub(path))[0]?.[1]).toBe('Größe');
  });

  it('are entities of their own, as often as a page needs them', async () => {
    const dtd = (entities: string, body: string): string =>
      `<?xml version="1.0"?><!DOCTYPE html [${entities}]><html><body><p>${body}</p></body></html>`;
    const files = (page: string) => ({ ...withPages('', '<p>a</p>'), 'a.html': page });
    const own = files(dtd('<!ENTITY O "“"> <!ENTITY C \'”\'>', '&O;Yes&C;'));
    expect(chaptersOf(await readEpub(await epub('dtd.epub', own)))[0]?.[1]).toBe('“Yes”');
    const bomb = files(dtd(`<!ENTITY a "${'x'.repeat(1_000)}">`, '&a;'.repeat(20_000)));
    const [chapter] = chaptersOf(await readEpub(await epub('bomb.epub', bomb)));
    expect(chapter?.[1]?.length).toBeLessThan(5_000_000);
  });

  it('are formulas without words, with a warning', async () => {
    const math = '<math><msup><mi>x</mi><mn>2</mn></msup></math>';
    const { warnings } = await readEpub(await epub('math.epub', withPages('', `<p>a ${math} ${math}</p>`)));
    expect(warnings).toEqual(['formulas that have no words are left out (2 in the book)']);
  });

  const dc = (opf: string, metadata: string, more = ''): Readonly<Record<string, string>> => {
    const files = withPages('', '<p>a</p>');
    return {
      ...files,
      'book.opf': (files['book.opf'] as string)
        .replace('<metadata/>', `<metadata>${metadata}</metadata>`)
        .replace('</manifest>', `${more}</manifest>${opf}`),
      'img/c.jpg': 'jpeg',
      'cover.html': page('<img src="img/c.jpg"/>'),
    };
  };

  it('are several titles and people', async () => {
    const refine = (id: string, property: string, value: string): string =>
      `<meta refines="#${id}" property="${property}">${value}</meta>`;
    const metadata = `<dc:title id="s">Subtitle</dc:title><dc:title id="t">Title</dc:title>${refine('t', 'title-type', 'main')}
      <dc:creator id="i">Ill</dc:creator>${refine('i', 'role', 'ill')}<dc:creator id="a">Ann</dc:creator>${refine('a', 'role', 'aut')}
      <dc:creator opf:role="aut">Ben</dc:creator><dc:contributor opf:role="nrt">Nora</dc:contributor>
      <dc:publisher>House</dc:publisher><dc:date>1865</dc:date><dc:description>&lt;p&gt;About it.&lt;/p&gt;</dc:description>`;
    expect(await readEpub(await epub('people.epub', dc('', metadata)))).toMatchObject({
      ...{ title: 'Title', author: 'Ann, Ben', narrator: 'Nora', publisher: 'House', date: '1865' },
      description: 'About it.',
    });
  });

  it.each([
    ['a path', '', '<meta name="cover" content="img/c.jpg"/>', ''],
    ['an id', '', '<meta name="cover" content="c"/>', '<item id="c" href="img/c.jpg" media-type="image/jpg"/>'],
    ['its property', '', '', '<item id="c" href="img/c.jpg" media-type="image/jpeg" properties="cover-image"/>'],
    ['a page of the guide', '<guide><reference type="cover" href="cover.html"/></guide>', '', ''],
  ])('are covers by %s', async (_, guide, metadata, item) => {
    const { cover } = await readEpub(await epub('cover.epub', dc(guide, metadata, item)));
    expect(cover).toEqual({ bytes: Buffer.from('jpeg'), mimeType: 'image/jpeg' });
  });

  it('are rights that protect nothing', async () => {
    const path = await epub('rights.epub', { ...third, 'META-INF/rights.xml': '<rights/>' });
    await expect(readEpub(path)).resolves.toMatchObject({ author: 'A. Writer' });
  });

  it('are pages of the type of EPUB 1', async () => {
    const files = withPages('', '<p>a</p>');
    const opf = (files['book.opf'] as string).replace(
      'href="a.html" media-type="application/xhtml+xml"',
      'href="a.html" media-type="text/x-oeb1-document"',
    );
    expect((await readEpub(await epub('oeb.epub', { ...files, 'book.opf': opf }))).chapters).toHaveLength(1);
  });
});

describe('a page', () => {
  it.each(readRows<'name' | 'page' | 'spoken'>('tests/book/pages.tsv'))('reads $name: $page', (row) =>
    expect(said(row.page)).toBe(row.spoken),
  );

  it.each(['<b>', '<div>', '<i></x>'])('may not nest a hundred thousand elements: %s', async (tags) => {
    const refuse = (count: number): void =>
      expect(() => counted.htmlSegments(tags.repeat(count))).toThrow('elements are nested too deeply');
    expect(await growthOf(refuse, 25_000, 100_000)).toBeLessThan(4.3);
  });

  it('may have thousands of paragraphs that are not closed', () => {
    expect(passagesOf(htmlSegments('<p>a'.repeat(20_000)))).toHaveLength(20_000);
  });
});

describe('style sheets', () => {
  const styled = (name: string, css: string, body: string, head = '') =>
    epub(name, {
      'META-INF/container.xml': container('OEBPS/book.opf'),
      'OEBPS/book.opf': `<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest>
        <item id="a" href="text/a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>`,
      'OEBPS/text/a.xhtml': `<html><head><link rel="stylesheet" href="../css/a.css"/>${head}</head><body>${body}</body></html>`,
      'OEBPS/css/a.css': css,
    });

  it.each(cases('style sheet'))('hide what $case says', async ({ case: css, given, expected }) => {
    const path = await styled('styled.epub', css, given);
    const [, text] = chaptersOf(await readEpub(path))[0] as readonly string[];
    expect(text?.replaceAll(' ', '')).toBe(expected.replaceAll(' ', ''));
  });

  it('are counted, may be in the page, and --keep hidden reads what they hide', async () => {
    const path = await styled('own.epub', '', '<p class="x">a</p><p>b</p>', '<style>.x{display:none}</style>');
    const book = await readEpub(path);
    expect([chaptersOf(book)[0]?.[1], book.leftOut]).toEqual(['b', { hidden: 1 }]);
    expect(chaptersOf(await readEpub(path, { keep: ['hidden'] }))[0]?.[1]).toBe('a b');
  });

  it.each(['{', '.a:not(', '/*', '"', '@media x{', 'a:b ', 'a{', '.x{display:none}'])(
    'of a hostile book are read: %s',
    async (piece) => {
      const css = `.y{display:none}${piece.repeat(20_000)}`;
      const path = await styled('hostile.epub', css, `<p class="x">a</p>${'<p class="y">a</p>'.repeat(100)}<p>b</p>`);
      expect(chaptersOf(await readEpub(path))[0]?.[1]).toMatch(/b$/);
    },
  );
});
