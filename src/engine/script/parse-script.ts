/** A text in one of the formats that can be spoken, as passages. */
import { SvcError } from '../../errors.ts';
import { atOnce, type Steps, withoutSteps } from '../../event-loop.ts';
import { languageSteps } from '../text/verbalize/load-language.ts';
import { withoutHidden } from './hidden-text.ts';
import type { InputFormat } from './input-formats.ts';
import { looksLikeMarkdown } from './looks-like-markdown.ts';
import { type MarkdownOptions, markdownSegments } from './markdown.ts';
import { passageSteps, type Script, type Segment, structurePauses } from './passage.ts';
import { sayAsLanguages } from './say-as.ts';
import { ssmlSegments } from './ssml.ts';
import { namesVoice, unreadTags } from './tag-hints.ts';
import { type CurrentVoice, tagReader, tagSegments, voiceOf } from './tags.ts';
import { parseTurns, type Turn } from './turns.ts';
import { unknownSpeakers } from './unknown-speakers.ts';

export interface ScriptOptions {
  readonly format: InputFormat;
  /** Names of the voices that the request gives. */
  readonly voices: readonly string[];
  /** Those that make a text of no stated format a script; `voices` when left out. */
  readonly given?: readonly string[] | undefined;
  readonly code: 'skip' | 'read';
  readonly tags?: VoiceTags | undefined;
  readonly live?: LiveContext | undefined;
}

/** Whether tags such as `[voice:anna]` are followed in texts of which nobody says that they are scripts, or read. */
export type VoiceTags = 'followed' | 'text';

/** A text, or the turns of a dialogue, whose format is `turns`. */
export type ScriptText = string | readonly Turn[];

type TextFormat = Exclude<InputFormat, 'auto' | 'turns'>;
type Segments = Iterable<Segment | undefined>;

/** The text around a segment of a live text. */
export interface LiveContext extends Omit<MarkdownOptions, 'code'> {
  readonly current: CurrentVoice;
  /** Where it ends: before other text of its paragraph, before another paragraph, or with the text. */
  readonly ends: 'in paragraph' | 'paragraph' | 'text';
}

/**
 * The meaning of `auto`: SSML for a text that begins as such a document, else a script if the request names voices, else Markdown
 * for a text with its structure.
 *
 * @param tags whether a text that names a voice by a tag is a script too
 */
export function detectFormat(text: string, voices: readonly string[], tags: VoiceTags = 'text'): TextFormat {
  if (isSsml(text)) return 'ssml';
  if (voices.length > 0) return 'script';
  if (looksLikeMarkdown(withoutHidden(text))) return 'markdown';
  return tags === 'followed' && namesVoice(text) ? 'script' : 'plain';
}

export function formatOf(text: ScriptText, format: InputFormat, voices: readonly string[], tags?: VoiceTags) {
  if (typeof text !== 'string') return 'turns';
  return format === 'auto' ? detectFormat(text, voices, tags) : format;
}

const isSsml = (text: string): boolean =>
  /^\uFEFF?\s{0,1000}(?:<\?xml[^>]{0,1000}\?>\s{0,1000})?(?:<!--(?:(?!-->)[\s\S]){0,1000}-->\s{0,1000})?(?:<(?:ssml:)?speak[\s>/]|<!DOCTYPE\s{1,9}speak\s)/i.test(
    text,
  );

/**
 * Takes time linear in the text.
 *
 * @throws SvcError INVALID_REQUEST for SSML that is not well-formed, an invalid pause or an unknown voice
 */
export const parseScript = (text: string, options: ScriptOptions): Script => atOnce(scriptSteps(text, options));

/** The same in steps. */
export function* scriptSteps(text: ScriptText, { format, voices, code, live, ...about }: ScriptOptions): Steps<Script> {
  const written = typeof text === 'string' ? [text] : text.map((turn) => turn.text);
  for (const tag of written.flatMap(sayAsLanguages)) yield* languageSteps(tag);
  const warnings: string[] = [];
  // A text that is stated to be Markdown was written as such.
  const tags = about.tags ?? (format === 'markdown' && live === undefined ? 'followed' : 'text');
  const chosen = formatOf(text, format, about.given ?? voices, tags);
  const isWhole = typeof text === 'string' && live === undefined;
  if (isWhole && format === 'auto' && (chosen === 'plain' || (chosen === 'markdown' && tags === 'text'))) {
    const unread = unreadTags(text);
    if (unread !== undefined) warnings.push(unread);
  }
  // A plain text is spoken as it is, its white space included.
  if (chosen === 'plain' && typeof text === 'string')
    return { passages: [{ text: withoutHidden(text), marks: [] }], statedSeconds: 0, warnings };
  let statedSeconds = 0;
  const onStated = (seconds: number): void => {
    statedSeconds += seconds;
  };
  const { current, list, indented = format === 'auto' ? 'text' : 'code' } = live ?? {};
  const segments = segmentsOf(text, chosen, { voices, code, tags, warnings, indented, current, list });
  const passages = yield* passageSteps(segments, live?.ends === 'paragraph' ? 'structure' : 'author', onStated);
  if (isWhole && chosen === 'script' && voices.length > 0) {
    const speaking = new Set(passages.map(({ voice }) => voice));
    for (const warning of unknownSpeakers(text, voices, speaking)) warnings.push(warning);
  }
  return { passages, statedSeconds, warnings };
}

interface Reading extends Omit<ScriptOptions, 'format' | 'live'>, Omit<MarkdownOptions, 'code'> {
  readonly current?: CurrentVoice | undefined;
  readonly warnings: string[];
}

function segmentsOf(text: ScriptText, format: Exclude<InputFormat, 'auto'>, reading: Reading): Segments {
  if (typeof text !== 'string') return turnSegments(text, reading);
  const { voices, tags, warnings, current } = reading;
  const warn = (warning: string): void => void warnings.push(warning);
  switch (format) {
    case 'plain':
      return [{ kind: 'text', text: withoutHidden(text) }];
    case 'ssml':
      return ssmlSegments(text, { voices, warn });
    case 'markdown': {
      if (tags !== 'followed') return markdownSegments(withoutHidden(text), reading, { warn });
      const { readText, inVoices } = tagReader({ voices, warn });
      return inVoices(markdownSegments(withoutHidden(text), reading, { readText, warn }));
    }
    case 'script':
      return tagSegments(withoutHidden(text), { voices, warn, current });
    case 'turns':
      return turnSegments(parseTurns(text), reading);
  }
}

/** The voice of a turn is that of its text wherever the text names no other. */
function* turnSegments(turns: readonly Turn[], reading: Reading): Generator<Segment | undefined> {
  for (const [index, { text, voice: name, pause, format }] of turns.entries()) {
    const own = name?.trim() ? voiceOf(name, reading.voices, () => `in turn ${index + 1} of the script`) : undefined;
    const chosen = format === 'auto' ? detectFormat(text, []) : (format ?? 'plain');
    const warnings: string[] = [];
    const segments = inTurn(index, () => [...withoutSteps(segmentsOf(text, chosen, { ...reading, warnings }))]);
    yield;
    for (const warning of warnings) reading.warnings.push(`turn ${index + 1}: ${warning}`);
    for (const segment of segments)
      yield segment.kind === 'text' ? { ...segment, voice: segment.voice ?? own } : segment;
    yield { kind: 'pause', seconds: structurePauses.sentence, from: 'structure' };
    if (pause !== undefined && pause !== null) yield { kind: 'pause', seconds: pause, from: 'author' };
  }
}

function inTurn<Result>(index: number, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw new SvcError(error.code, `turn ${index + 1}: ${error.message}`, {
      param: `turns.${index}.text`,
      cause: error.cause,
    });
  }
}
