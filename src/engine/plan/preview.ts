/** The text as a model gets it, without synthesis: its parts by the steps of synthesis, beside the text as written. */
import { isWait, type Steps } from '../../event-loop.ts';
import type { Accepted } from '../accepted.ts';
import type { Coverage } from '../text/coverage.ts';
import type { FoundLanguage } from '../text/language/language-reader.ts';
import type { TextInfo } from '../text/languages.ts';
import { collapseWhitespace } from '../text/normalize.ts';
import { writtenOf } from '../text/spoken-text.ts';
import { writtenPartsSteps } from '../text/written-text.ts';
import { type PlannedPart, planSteps } from './plan.ts';

export const languageSources = ['stated', 'voice', 'detected', 'document', 'neighbours', 'model', 'none'] as const;
export type LanguageSource = (typeof languageSources)[number];

/** A passage that the model speaks in one piece. */
export interface PassagePreview {
  /** BCP 47 tag of the language in which its numbers are read; undefined if unknown, and without normalization. */
  readonly language: string | undefined;
  /**
   * How the language was found: `stated` by the request or script, by the `voice`, `detected` from the words, that of the
   * `document`, of `neighbours`, or the only one of the `model`; `none` if unknown, and without normalization.
   */
  readonly languageBy: LanguageSource;
  /** As in the text, with its mark-up. */
  readonly written: string;
  /** As the model gets it, without style. */
  readonly spoken: string;
  /** Style in parentheses in front of it, which the model gets as control. */
  readonly style: string | undefined;
  /** Name of its voice in a script. */
  readonly voice: string | undefined;
  /** Stretches of the written text that nothing is spoken for: mark-up, emoji, signs. */
  readonly leftOut: readonly string[];
  /** Different letters, digits and signs of the spoken text that the model can't read; undefined where only a worker knows. */
  readonly unreadable: readonly string[] | undefined;
}

export interface TextPreview {
  /** Whether numbers, dates and units are read out as words. */
  readonly normalize: boolean;
  /** Empty for a text without words. */
  readonly passages: readonly PassagePreview[];
  /** How the speech differs from the request, one line each. */
  readonly warnings: readonly string[];
}

/**
 * @param speech with a decision on `normalize`
 * @param text of the request, as written
 */
export function* previewSteps(
  speech: Accepted,
  text: string,
  info: TextInfo,
  unknownOf?: Coverage['unknownOf'],
): Steps<TextPreview> {
  const { normalize, hasWords, warnings } = speech;
  const parts: PlannedPart[] = [];
  for (const part of hasWords ? planSteps(speech, info) : []) {
    if (isWait(part)) yield part;
    else parts.push(part);
  }
  const written = yield* writtenPartsSteps(text, withStyles(parts));
  const passages: PassagePreview[] = [];
  for (const [index, { text: planned, style, voice, language }] of parts.entries()) {
    const spoken = collapseWhitespace(planned);
    passages.push({
      language: language?.tag,
      languageBy: language === undefined ? 'none' : sourceOf(language),
      ...(written[index] ?? { written: spoken, leftOut: [] }),
      spoken,
      style: style.trim() || undefined,
      voice,
      unreadable: unknownOf && (yield* unknownOf(spoken)),
    });
  }
  return { normalize: normalize === true, passages, warnings };
}

/** The parts as written, each with its style in front where that is new. */
function withStyles(parts: readonly PlannedPart[]): readonly string[] {
  const styles = new Map<string | undefined, string>();
  return parts.map(({ text, stretches = [], style, voice }) => {
    const isNew = style !== (styles.get(voice) ?? '');
    styles.set(voice, style);
    return (isNew ? style : '') + writtenOf({ text, stretches });
  });
}

const sources = { text: 'detected', unknown: 'none' } as const;

const sourceOf = ({ by }: FoundLanguage): LanguageSource => (by === 'text' || by === 'unknown' ? sources[by] : by);
