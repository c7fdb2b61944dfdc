import { describe, expect, it } from '@jest/globals';
import { markdown } from '../../../bench/performance/markdown.ts';

describe('markdown', () => {
  it('prints a title and aligned cells', () => {
    const table = {
      title: 'Loading',
      header: ['model', 'seconds'],
      rows: [
        ['0.5b', '0.30'],
        ['2', '0.90'],
      ],
    };
    expect(markdown(table)).toBe(
      '### Loading\n\n| model | seconds |\n| --- | --- |\n| 0.5b | 0.30 |\n| 2 | 0.90 |\n\n',
    );
  });
});
