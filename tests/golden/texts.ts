import { normalizeText } from '../../src/engine/text/normalize.ts';
import type { Tokenizer } from '../../src/engine/text/tokenizer.ts';
import type { Comparison } from './comparison.ts';

/** Tokenizer cases: ids of the raw text, and after the normalization of target text. */
export function compareTexts(tokenizer: Tokenizer, comparison: Comparison): void {
  for (const [index, { text, ids, core_text, core_ids }] of comparison.golden.tokenizer.entries()) {
    const name = `tokenizer[${index}]`;
    comparison.equal(`${name}.ids`, tokenizer.encode(text), ids);
    let normalized: string | null = null;
    try {
      normalized = normalizeText(text);
    } catch {
      // Blank text is refused; its recorded value is null.
    }
    comparison.equal(`${name}.core_text`, [normalized], [core_text]);
    if (normalized !== null && core_ids !== null) {
      comparison.equal(`${name}.core_ids`, tokenizer.encode(normalized), core_ids);
    }
  }
}
