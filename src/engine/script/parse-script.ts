/** A text in one of the formats that can be spoken, as passages. */
import { markdownSegments } from './markdown.ts';
import { passagesOf, type Script, type Segment } from './passage.ts';
import { ssmlSegments } from './ssml.ts';
import { tagSegments } from './tags.ts';

export const inputFormats = ['auto', 'plain', 'markdown', 'ssml', 'script'] as const;
export type InputFormat = (typeof inputFormats)[number];

export interface ScriptOptions {
  readonly format: InputFormat;
  /** Names of the voices that the request gives. */
  readonly voices: readonly string[];
  /** Blocks of code in Markdown. */
  readonly code: 'skip' | 'read';
}

/** What `auto` means for a text without a file name: SSML where it begins as such a document, else plain text. */
export const detectFormat = (text: string): Exclude<InputFormat, 'auto'> =>
  /^\uFEFF?\s{0,1000}(?:<\?xml[^>]{0,1000}\?>\s{0,1000})?(?:<!--(?:(?!-->)[\s\S]){0,1000}-->\s{0,1000})?<speak[\s>/]/i.test(
    text,
  )
    ? 'ssml'
    : 'plain';

/**
 * Takes time linear in the text.
 *
 * @throws SvcError INVALID_REQUEST for SSML that is not well-formed, an invalid pause or an unknown voice
 */
export function parseScript(text: string, { format, voices, code }: ScriptOptions): Script {
  const warnings: string[] = [];
  const chosen = format === 'auto' ? detectFormat(text) : format;
  // A plain text is spoken as it is, its white space included.
  if (chosen === 'plain') return { passages: [{ text, marks: [] }], warnings };
  const segments = ((): Iterable<Segment> => {
    switch (chosen) {
      case 'ssml':
        return ssmlSegments(text, { voices, warn: (warning) => void warnings.push(warning) });
      case 'markdown':
        return markdownSegments(text, { code });
      case 'script':
        return tagSegments(text, { voices });
    }
  })();
  return { passages: passagesOf(segments), warnings };
}
