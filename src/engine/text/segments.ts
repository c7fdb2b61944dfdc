/** Words and visible characters of a text, as Unicode and its dictionaries for Chinese, Japanese, Thai and others find them. */
import { withoutSteps } from '../../event-loop.ts';

/** The dictionaries hold whatever the locale. */
const segmenters = {
  word: new Intl.Segmenter('zh', { granularity: 'word' }),
  grapheme: new Intl.Segmenter('en', { granularity: 'grapheme' }),
} as const;

const window = 1024;

/**
 * Segments of a text, one window at a time, as V8 takes quadratic time for a long text. Yields undefined before each window,
 * where other work may go first.
 */
export function* segmentSteps(text: string, granularity: keyof typeof segmenters): Generator<string | undefined> {
  for (let start = 0; start < text.length; ) {
    yield;
    const segments = [...segmenters[granularity].segment(text.slice(start, start + window))];
    // The last segment may continue after the window.
    const complete = start + window < text.length && segments.length > 1 ? segments.slice(0, -1) : segments;
    for (const { segment } of complete) {
      yield segment;
      start += segment.length;
    }
  }
}

/** The same at once. */
export const segmentsOf = (text: string, granularity: keyof typeof segmenters): Generator<string> =>
  withoutSteps(segmentSteps(text, granularity));
