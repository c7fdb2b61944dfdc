/** Words of headings and of entries of a table of contents that only tags keep apart, as in `<b>V</b><i>Night</i>`. */

/** Elements between which words are apart. */
const blocks = /^(?:br|p|div|li|tr|td|th|dt|dd|h[1-6]|section|header|hgroup|center|figure|blockquote)$/;
/** Raised and lowered letters belong to the word before. */
const attached = /^(?:su[bp]|wbr|a|img)$/;
const shownAsBlock =
  /display\s{0,9}:\s{0,9}(?:block|flex|grid|list-item|table|inline-block|inline-flex|inline-table)|float\s{0,9}:\s{0,9}right/i;

/** Whether an element's own style shows it in a line of its own. */
export const isStyledAsBlock = (style: string | undefined): boolean => style !== undefined && shownAsBlock.test(style);

const numbered = /(?:\d|(?<![\p{L}\p{M}\d])[IVXLC]{1,7}|[章回节節卷部話장화])[.:]?$/u;
/** No ending of an ordinal, as in `19<sup>th</sup>`. */
const wordsBehind = /^(?:\p{Ll}{1,20}\s(?<!^(?:st|nd|rd|th|er|re|e|de|te|ste)\s)|\p{Ll}{4})/u;
const oneLetter = /(?<![\p{L}\p{M}])\p{L}$/u;
/** Prefixes of names, as in `<small>Mc</small>Donald`. */
const prefix = /(?<![\p{L}\p{M}])(?:Mc|Mac|[ODdL]['’])$/u;

/** Where an element ends, another begins, or both. */
type Boundary = 'none' | 'one' | 'both';

/** Whether words on both sides of tags are apart. */
function areApart(left: string, right: string, boundary: Boundary): boolean {
  if (boundary === 'none' || !/[\p{L}\p{M}\p{N}.:]$/u.test(left) || !/^[\p{L}\p{N}]/u.test(right)) return false;
  if (prefix.test(left)) return false;
  // A letter in another style, and the rest of its word.
  if (oneLetter.test(left) && /^(?:\p{Ll}|\p{Lu}{2})/u.test(right)) return false;
  if (numbered.test(left))
    return boundary === 'both' && wordsBehind.test(right)
      ? true
      : /^\p{Lu}|^\p{Lo}/u.test(right) && !/^\p{Lu}(?![\p{L}\p{M}])/u.test(right);
  return boundary === 'both' && /[\p{Ll}\p{M}.:]$|\p{Lu}{2}$/u.test(left) && /^(?:\p{Lu}|\p{N})/u.test(right);
}

/** Follows the tags of a heading. */
export class HeadingWords {
  #boundary: Boundary = 'none';
  #isClosed = false;
  #isBlock = false;
  readonly #ends: boolean[] = [];

  open(name: string, style?: string): void {
    const block = blocks.test(name) || isStyledAsBlock(style);
    this.#ends.push(block);
    this.#isBlock ||= block;
    this.#boundary = attached.test(name) ? 'none' : this.#isClosed ? 'both' : 'one';
  }

  close(name: string): void {
    this.#isBlock ||= this.#ends.pop() === true;
    this.#isClosed = !attached.test(name);
    if (this.#isClosed) this.#boundary = 'one';
  }

  /** @returns a space if one belongs between the words so far and these */
  before(left: string, right: string): '' | ' ' {
    const isBetween = /\S$/u.test(left) && /^\S/u.test(right);
    const space = isBetween && (this.#isBlock || areApart(left, right, this.#boundary)) ? ' ' : '';
    if (right !== '') {
      this.#boundary = 'none';
      this.#isClosed = this.#isBlock = false;
    }
    return space;
  }
}
