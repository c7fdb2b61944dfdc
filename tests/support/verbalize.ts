/** Normalization at once, with all languages loaded. */

import type { SpokenSegment } from '../../src/engine/text/verbalize/classify.ts';
import { loadLanguage, verbalizedLanguages } from '../../src/engine/text/verbalize/load-language.ts';
import { segmentSteps, type VerbalizeOptions, verbalizeSteps } from '../../src/engine/text/verbalize/verbalize.ts';
import { atOnce } from '../../src/event-loop.ts';

await Promise.all(verbalizedLanguages.map(loadLanguage));

export const verbalizeText = (text: string, options?: VerbalizeOptions): string =>
  atOnce(verbalizeSteps(text, options));
export const verbalizeSegments = (text: string, options?: VerbalizeOptions): readonly SpokenSegment[] =>
  atOnce(segmentSteps(text, options));
