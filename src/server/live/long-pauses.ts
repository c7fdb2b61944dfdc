import type { TextFeed } from '../../engine/live/text-feed.ts';

/** Calls `end`, which must end the text, after a pause of `milliseconds`: text keeps its model loaded. Blanks count as a pause. */
export function watchPauses(feed: TextFeed, milliseconds: number, end: () => void): TextFeed {
  let pause: NodeJS.Timeout | undefined;
  return {
    ...feed,
    push(text) {
      if (text !== '') pause ??= setTimeout(end, milliseconds);
      if (text.trim() !== '') pause?.refresh();
      return feed.push(text);
    },
    end() {
      clearTimeout(pause);
      feed.end();
    },
  };
}
