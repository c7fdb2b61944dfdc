/** A text in one of the formats that can be spoken, as passages. */
import { markdownSegments } from './markdown.ts';
import { passagesOf, type Script, type Segment, structurePauses } from './passage.ts';
import { ssmlSegments } from './ssml.ts';
import { tagSegments, voiceOf } from './tags.ts';
import { parseTurns, turnFormats } from './turns.ts';

export const inputFormats = [...turnFormats, 'turns'] as const;
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
  const key = JSON.stringify([chosen, code, ...voices]);
  if (last?.text === text && last.key === key) return last.script;
  const script = { passages: passagesOf(segmentsOf(text, chosen, { voices, code, warnings })), warnings };
  last = text.length <= longestRemembered ? { text, key, script } : undefined;
  return script;
}

/** A server checks each script before it speaks it; a hostile one takes a long time to parse. */
let last: { readonly text: string; readonly key: string; readonly script: Script } | undefined;
/** In UTF-16 code units: any text of an HTTP request. */
const longestRemembered = 131_072;

interface Reading extends Omit<ScriptOptions, 'format'> {
  /** Receives what is ignored. */
  readonly warnings: string[];
}

function segmentsOf(text: string, format: Exclude<InputFormat, 'auto'>, reading: Reading): Iterable<Segment> {
  const { voices, code, warnings } = reading;
  switch (format) {
    case 'plain':
      return [{ kind: 'text', text }];
    case 'ssml':
      return ssmlSegments(text, { voices, warn: (warning) => void warnings.push(warning) });
    case 'markdown':
      return markdownSegments(text, { code });
    case 'script':
      return tagSegments(text, { voices });
    case 'turns':
      return turnSegments(text, reading);
  }
}

/** The voice of a turn is that of its text wherever the text names no other. */
function* turnSegments(json: string, reading: Reading): Generator<Segment> {
  for (const [index, { text, voice: name, pause, format }] of parseTurns(json).entries()) {
    const own = name ? voiceOf(name, reading.voices, () => `in turn ${index + 1}`) : undefined;
    const chosen = format === 'auto' ? detectFormat(text) : (format ?? 'plain');
    for (const segment of segmentsOf(text, chosen, reading)) {
      yield segment.kind === 'text' ? { ...segment, voice: segment.voice ?? own } : segment;
    }
    yield { kind: 'pause', seconds: structurePauses.sentence, from: 'structure' };
    if (pause !== undefined && pause !== null) yield { kind: 'pause', seconds: pause, from: 'author' };
  }
}
