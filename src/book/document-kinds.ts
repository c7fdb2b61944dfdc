/** Files that have to be read as books, as they are no text by themselves. */
import { extname } from 'node:path';

export const documentExtensions = [
  '.epub',
  '.docx',
  '.odt',
  '.fb2',
  '.pdf',
  '.html',
  '.htm',
  '.xhtml',
  '.srt',
  '.vtt',
] as const;
export type DocumentExtension = (typeof documentExtensions)[number];

export const isDocument = (path: string): boolean =>
  documentExtensions.some((known) => known === extname(path).toLowerCase());
