/** The package document of an EPUB: metadata, files and reading order. */
import { posix } from 'node:path';
import { attempt } from '../../errors.ts';
import { sanitizeLine } from '../../messages.ts';
import { visitXml } from '../markup.ts';

export interface Item {
  readonly id: string;
  /** Path in the archive. */
  readonly path: string;
  readonly mediaType: string;
  readonly properties: readonly string[];
}

export type Package = ReturnType<typeof readPackage>;

/** One of the elements of Dublin Core, with what EPUB 2 says in attributes and EPUB 3 in refinements. */
interface Statement {
  readonly name: string;
  readonly value: string;
  readonly id: string | undefined;
  readonly role: string | undefined;
}

type Refinements = ReadonlyMap<string, ReadonlyMap<string, string>>;

const stated = new Set('title creator contributor language publisher description date'.split(' '));

/** A reference in a document of `folder` as a path in the archive, without its fragment. */
export const resolvePath = (folder: string, reference: string): string => {
  const [path = ''] = reference.split('#');
  return posix.normalize(posix.join(folder, decode(path)));
};

export const fragmentOf = (reference: string): string => decode(reference.split('#')[1] ?? '');

const decode = (path: string): string => attempt(() => decodeURIComponent(path)) ?? path;

export function readPackage(xml: string, folder: string) {
  const statements: Statement[] = [];
  const items = new Map<string, Item>();
  /** Ids of the items in reading order. */
  const spine: string[] = [];
  /** Those of them that readers pass over, unless a link leads to them. */
  const beside = new Set<string>();
  const refinements = new Map<string, Map<string, string>>();
  /** `content` of `<meta name="cover">`: an id, or a path. */
  const coverNames: string[] = [];
  const guideCovers: string[] = [];
  /** Id of the table of contents of EPUB 2. */
  let ncxId: string | undefined;
  let attributes: Readonly<Record<string, string>> = {};
  visitXml(xml, {
    open(name, given) {
      attributes = given;
      if (name === 'item' && given.id !== undefined && given.href !== undefined) {
        items.set(given.id, {
          id: given.id,
          path: resolvePath(folder, given.href),
          mediaType: (given['media-type'] ?? '').toLowerCase(),
          properties: (given.properties ?? '').split(/\s+/),
        });
      } else if (name === 'itemref' && given.idref !== undefined) {
        spine.push(given.idref);
        if (given.linear === 'no') beside.add(given.idref);
      } else if (name === 'spine') {
        ncxId = given.toc;
      } else if (name === 'meta' && given.name === 'cover' && given.content) {
        coverNames.push(given.content);
      } else if (name === 'reference' && given.type === 'cover' && given.href) {
        guideCovers.push(resolvePath(folder, given.href));
      }
    },
    close(name, content) {
      const value = sanitizeLine(content);
      if (value === '') return;
      if (stated.has(name)) {
        const role = attributes['opf:role'] ?? attributes.role;
        statements.push({ name, value, id: attributes.id, role });
      } else if (name === 'meta' && attributes.refines?.startsWith('#') && attributes.property !== undefined) {
        const id = attributes.refines.slice(1);
        refinements.set(id, (refinements.get(id) ?? new Map<string, string>()).set(attributes.property, value));
      }
    },
  });
  const marked = [...items.values()].filter(({ properties }) => properties.includes('cover-image'));
  const named = coverNames.map((name) => items.get(name)?.path ?? resolvePath(folder, name));
  /** Paths of the picture of the cover, or of a page with it, the best first. */
  const covers = [...marked.map(({ path }) => path), ...named, ...guideCovers];
  return { metadata: metadataOf(statements, refinements), covers, items, spine, beside, ncxId };
}

function metadataOf(statements: readonly Statement[], refinements: Refinements) {
  const refined = ({ id }: Statement, property: string): string | undefined => refinements.get(id ?? '')?.get(property);
  const all = (name: string): readonly Statement[] => statements.filter((statement) => statement.name === name);
  const first = (name: string): string | undefined => all(name)[0]?.value;
  const roleOf = (person: Statement): string => (refined(person, 'role') ?? person.role ?? '').toLowerCase();
  const creators = all('creator');
  const byRole = creators.filter((person) => roleOf(person) === 'aut');
  const unstated = creators.filter((person) => roleOf(person) === '');
  const authors = [byRole, unstated, creators].find(({ length }) => length > 0) ?? [];
  const narrators = [...creators, ...all('contributor')].filter((person) => roleOf(person) === 'nrt');
  const names = (people: readonly Statement[]): string | undefined =>
    [...new Set(people.map(({ value }) => value))].join(', ') || undefined;
  return {
    title: all('title').find((title) => refined(title, 'title-type') === 'main')?.value ?? first('title'),
    author: names(authors.filter((person) => roleOf(person) !== 'nrt')),
    narrator: names(narrators),
    publisher: first('publisher'),
    // It may have mark-up.
    description:
      first('description')
        ?.replace(/<[^<>]{1,200}>/g, ' ')
        .replace(/\s+/gu, ' ')
        .trim() || undefined,
    date: first('date'),
    language: first('language'),
  };
}

/** The path of the package document, as `META-INF/container.xml` states it. */
export function rootFile(xml: string): string | undefined {
  let path: string | undefined;
  visitXml(xml, {
    open: (name, attributes) => {
      if (name === 'rootfile') path ??= attributes['full-path'];
    },
  });
  return path;
}
