/** Whether the lines of a batch are texts or JSON objects, or the rows of a table. */
export const listFormats = ['text', 'jsonl', 'csv', 'tsv'] as const;
export type ListFormat = (typeof listFormats)[number];
