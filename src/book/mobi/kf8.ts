/** Kindle's later format (KF8, AZW3): pages that are cut into skeletons and the fragments that belong in them. */
import { decodeBytes } from '../../files/decode-bytes.ts';
import { type IndexTable, readIndex } from './index-records.ts';
import type { MobiHeader } from './mobi-header.ts';
import type { PalmDatabase } from './palm-database.ts';
import { type MobiText, withLinks } from './places.ts';

interface Fragment {
  /** Where it belongs, in the text of the assembled pages. */
  readonly at: number;
  readonly length: number;
}

/** @param text of all flows: the pages, then style sheets and pictures in SVG */
export function readKf8(database: PalmDatabase, header: MobiHeader, text: Buffer): MobiText {
  const { encoding } = header;
  const table = (index: number | undefined): IndexTable => readIndex(database, header, index);
  const [pages, ...others] = flowsOf(database, header, text);
  const fragments = table(header.fragments).entries.map(({ name, values }) => ({
    at: Number(name) || 0,
    length: values.get(6)?.[1] ?? 0,
  }));
  const source = assembled((pages ?? text).toString('latin1'), table(header.skeletons), fragments);
  const placeOf = (fragment = 0, offset = 0): number => (fragments[fragment]?.at ?? 0) + offset;
  const { marked, contents } = withLinks(source, table(header.ncx), {
    offsetOfEntry(values) {
      const position = values.get(6);
      return position && placeOf(position[0], position[1]);
    },
    reference: /kindle:pos:fid:([0-9A-V]{1,10}):off:([0-9A-V]{1,10})/gi,
    offsetOf: (fragment, offset) => placeOf(Number.parseInt(fragment, 32), Number.parseInt(offset, 32)),
    linkTo: (id) => `#${id}`,
  });
  const decode = (bytes: Buffer): string => decodeBytes(bytes, encoding);
  const sheets = others.map(decode).filter((flow) => !flow.trimStart().startsWith('<'));
  return { html: decode(Buffer.from(marked, 'latin1')), sheets, contents };
}

const mostFlows = 10_000;

function flowsOf({ record }: PalmDatabase, { text: { first }, flows }: MobiHeader, text: Buffer): readonly Buffer[] {
  const table = flows === undefined ? undefined : record(first + flows);
  if (table === undefined || table.toString('latin1', 0, 4) !== 'FDST') return [text];
  const start = table.readUInt32BE(4);
  const count = Math.min(mostFlows, table.readUInt32BE(8));
  const found: Buffer[] = [];
  for (let index = 0; index < count && start + index * 8 + 8 <= table.length; index += 1) {
    const at = start + index * 8;
    found.push(text.subarray(table.readUInt32BE(at), table.readUInt32BE(at + 4)));
  }
  return found.length === 0 ? [text] : found;
}

/** The pages in their order, with each fragment in its place. */
function assembled(source: string, skeletons: IndexTable, fragments: readonly Fragment[]): string {
  if (skeletons.entries.length === 0) return source;
  const pages: string[] = [];
  let next = 0;
  let end = 0;
  for (const { values } of skeletons.entries) {
    const [start = end, length = 0] = values.get(6) ?? [];
    const skeleton = source.slice(start, start + length);
    end = start + length;
    // Each is put where the ones before have made room.
    const parts: string[] = [];
    let written = 0;
    let given = 0;
    for (let left = values.get(1)?.[0] ?? 0; left > 0 && next < fragments.length; left -= 1, next += 1) {
      const fragment = fragments[next] as Fragment;
      const at = Math.min(skeleton.length, Math.max(written, fragment.at - start - given));
      parts.push(skeleton.slice(written, at), source.slice(end, end + fragment.length));
      written = at;
      given += fragment.length;
      end += fragment.length;
    }
    pages.push(parts.join(''), skeleton.slice(written));
  }
  // The rest, which no table names, is text all the same.
  return pages.join('') + source.slice(end);
}
