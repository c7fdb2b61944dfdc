/** Words and visible characters of a text, as Unicode and its dictionaries for Chinese, Japanese, Thai and others find them. */

/** The dictionaries hold whatever the locale. */
const segmenters = {
  word: new Intl.Segmenter('zh', { granularity: 'word' }),
  grapheme: new Intl.Segmenter('en', { granularity: 'grapheme' }),
} as const;

const window = 1024;

/** Segments of a text, one window at a time, as V8 takes quadratic time for a long text. */
export function* segmentsOf(text: string, granularity: keyof typeof segmenters): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const segments = [...segmenters[granularity].segment(text.slice(start, start + window))];
    // The last segment may continue after the window.
    const complete = start + window < text.length && segments.length > 1 ? segments.slice(0, -1) : segments;
    for (const { segment } of complete) {
      yield segment;
      start += segment.length;
    }
  }
}
