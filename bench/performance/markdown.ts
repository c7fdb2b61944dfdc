/** A table as Markdown. */
import type { Table } from './section.ts';

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;

export const markdown = ({ title, header, rows }: Table): string =>
  `### ${title}\n\n${row(header)}${row(header.map(() => '---'))}${rows.map(row).join('')}\n`;
