/** Tags of an audio file: title, author, picture, chapters. */

export interface ChapterMark {
  readonly title: string;
  /** Seconds from the beginning of the file. */
  readonly start: number;
  readonly end: number;
}

export interface Picture {
  readonly bytes: Uint8Array;
  /** `image/jpeg` or `image/png`. */
  readonly mimeType: string;
}

export interface AudioTags {
  readonly title: string;
  readonly artist?: string | undefined;
  readonly album?: string | undefined;
  /** 1-based position in the album. */
  readonly track?: { readonly number: number; readonly total: number } | undefined;
  readonly narrator?: string | undefined;
  readonly publisher?: string | undefined;
  readonly description?: string | undefined;
  /** Such as `1865` or `2020-05-01`. */
  readonly date?: string | undefined;
  /** BCP 47 tag. */
  readonly language?: string | undefined;
  readonly picture?: Picture | undefined;
  /** In order of time. */
  readonly chapters?: readonly ChapterMark[] | undefined;
}

/** The tags that there are. */
export const defined = <Value>(tags: Readonly<Record<string, Value | undefined>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(tags).filter((tag): tag is [string, Value] => tag[1] !== undefined));
