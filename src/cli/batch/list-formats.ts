/** Whether the lines of a batch are texts or JSON objects, one JSON array of them, or the rows of a table. */
export const listFormats = ['text', 'jsonl', 'json', 'csv', 'tsv'] as const;
export type ListFormat = (typeof listFormats)[number];
