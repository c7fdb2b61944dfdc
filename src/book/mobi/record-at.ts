/** A record of a Palm database by its number; empty for one that the file doesn't have. */
export type RecordAt = (index: number) => Buffer;
