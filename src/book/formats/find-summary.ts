import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where an mdBook or a GitBook has its table of contents. */
const summaries = ['SUMMARY.md', 'src/SUMMARY.md'];

/** The table of contents of a folder of Markdown; undefined if it has none, or is no folder. */
export const findSummary = (folder: string): string | undefined =>
  summaries.map((name) => join(folder, name)).find((path) => existsSync(path));
