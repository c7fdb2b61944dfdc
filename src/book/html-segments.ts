/** Converts a book page (HTML or XHTML) to speakable text. Tolerates the mark-up that books really have. */
import { type Segment, structurePauses } from '../engine/script/passage.ts';
import { silentTags } from '../engine/text/html-tags.ts';
import { readMarkup } from './markup.ts';

/** Nothing inside is spoken. */
const silent = new Set([...silentTags, 'rt', 'rp', 'nav']);
/** Marks of notes, and the notes themselves, by `epub:type` or `role`. */
const notes =
  /\b(?:noteref|footnotes?|endnotes?|rearnotes?|pagebreak|doc-noteref|doc-footnote|doc-endnotes?|doc-pagebreak)\b/;

const blockPauses = new Map<string, keyof typeof structurePauses>([
  ['h1', 'heading'],
  ['h2', 'heading'],
  ['h3', 'heading'],
  ['h4', 'heading'],
  ['h5', 'heading'],
  ['h6', 'heading'],
  ['li', 'item'],
  ['dt', 'item'],
  ['dd', 'item'],
  ['tr', 'item'],
  ['figcaption', 'item'],
  ['hr', 'rule'],
  ['br', 'line'],
]);
const blocks =
  /^(?:p|div|section|article|header|footer|main|aside|blockquote|pre|figure|ul|ol|dl|table|caption|address)$/;

/**
 * @param anchors ids of elements whose beginning is a mark of this name
 * @throws RangeError for elements that are nested too deeply
 */
export function htmlSegments(html: string, anchors: ReadonlySet<string> = new Set()): readonly Segment[] {
  const segments: Segment[] = [];
  /** How deep inside an element that is not spoken. */
  let hidden = 0;
  /** For each open element whether it hides what is inside. */
  const hides: boolean[] = [];
  let cells = 0;

  const pause = (name: string): void => {
    const kind = blockPauses.get(name) ?? (blocks.test(name) ? 'paragraph' : undefined);
    if (kind !== undefined) segments.push({ kind: 'pause', seconds: structurePauses[kind], from: 'structure' });
  };

  readMarkup(
    html,
    {
      onopentag(name, attributes) {
        const type = `${attributes['epub:type'] ?? ''} ${attributes.role ?? ''}`;
        const hide =
          silent.has(name) ||
          notes.test(type) ||
          attributes.hidden !== undefined ||
          attributes['aria-hidden'] === 'true';
        hides.push(hide);
        // `name` is the `id` of older documents.
        const anchor = [attributes.id, name === 'a' ? attributes.name : undefined].find((id) => id && anchors.has(id));
        if (anchor !== undefined) segments.push({ kind: 'mark', name: anchor });
        if (hide) hidden += 1;
        if (hidden > 0) return;
        if (name === 'tr') cells = 0;
        if ((name === 'td' || name === 'th') && cells++ > 0) segments.push({ kind: 'text', text: ', ' });
        if (name === 'img' && attributes.alt) segments.push({ kind: 'text', text: attributes.alt });
        // What comes before a block is one of its own.
        pause(/^h[1-6]$/.test(name) ? 'p' : name);
      },
      ontext(text) {
        if (hidden === 0) segments.push({ kind: 'text', text: text.replace(/\s+/gu, ' ') });
      },
      onclosetag(name) {
        if (hides.pop() === true) hidden -= 1;
        else if (hidden === 0 && name !== 'br' && name !== 'hr') pause(name);
      },
    },
    { lowerCaseTags: true, recognizeSelfClosing: true },
  );
  return segments;
}
