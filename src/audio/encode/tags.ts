/** What an audio file says about itself: title, author, picture, chapters. */

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
  readonly picture?: Picture | undefined;
  /** In order of time. */
  readonly chapters?: readonly ChapterMark[] | undefined;
}
