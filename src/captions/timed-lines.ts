/** Captions as their files have them: times, and lines with their speakers. */

/** Without the zeros that recorders and damaged disks leave behind a text; UTF-16 has more of them between its letters. */
export function withoutPadding(bytes: Uint8Array): Uint8Array {
  const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
  return bytes.indexOf(0) === end ? bytes.subarray(0, end) : bytes;
}

export type Spoken = 'silent' | 'spoken';

export interface TimedLine {
  readonly text: string;
  /** Who speaks it: WebVTT's `<v Name>`, or ASS's field Name. */
  readonly voice?: string | undefined;
}

export interface TimedLines {
  /** Number of the caption in its file, from 1. */
  readonly number: number;
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly TimedLine[];
}

/** Captions, those that cannot be read, one line each, how ruby says that its characters are read, and comments of authors. */
export interface TimedFile {
  readonly captions: TimedLines[];
  readonly problems: string[];
  readonly readings: string[];
  readonly comments: string[];
}
