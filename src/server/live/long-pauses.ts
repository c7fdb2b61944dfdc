import type { TextFeed } from '../../engine/live/text-feed.ts';

/**
 * Watches the text of a speech, which keeps its model loaded: after a pause of `milliseconds`, calls `end`, which must end
 * the text. Blanks count as a pause once there is text.
 */
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
