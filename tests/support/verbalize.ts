/** Normalization at once, with all languages loaded. */

import { createLanguageReader } from '../../src/engine/text/language/language-reader.ts';
import type { SpokenSegment } from '../../src/engine/text/verbalize/classify.ts';
import { loadLanguage, verbalizedLanguages } from '../../src/engine/text/verbalize/load-language.ts';
import { verbalizeSegmentSteps, verbalizeSteps } from '../../src/engine/text/verbalize/verbalize.ts';
import { atOnce, withoutSteps } from '../../src/event-loop.ts';

await Promise.all(verbalizedLanguages.map(loadLanguage));

interface Options {
  readonly language?: string;
}

export const verbalizeText = (text: string, { language }: Options = {}): string =>
  atOnce(verbalizeSteps(text, language));

/** The stretches of a text that are spoken in other words than they are written: places in UTF-16 code units. */
export const verbalizeSegments = (text: string): readonly SpokenSegment[] =>
  [...withoutSteps(verbalizeSegmentSteps(text, createLanguageReader({ fallback: 'en' }, [text])))].filter(
    (item) => 'spoken' in item,
  );
