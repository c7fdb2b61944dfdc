import type { LiveContext } from '../script/parse-script.ts';

/** Pieces of any size, such as tokens. An empty one flushes: all text before it is spoken now. */
export type LiveText = AsyncIterable<string>;

/** Text that `cutLive` has cut already, such as on another machine. */
export interface CutText {
  readonly segments: AsyncIterable<LiveSegment>;
}

/** Some sentences or paragraphs, or at the beginning a clause. */
export interface LiveSegment {
  readonly text: string;
  readonly ends: LiveContext['ends'];
}

export const isCut = (text: LiveText | CutText): text is CutText => 'segments' in text;
