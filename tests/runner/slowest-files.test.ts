import { join } from 'node:path';
import { expect, it } from '@jest/globals';

// A name that the compiler doesn't follow: Jest loads reporters as plain JavaScript, without types.
const reporterFile: string = './slowest-files.js';
const { default: slowestFiles } = await import(reporterFile);

const report = (count: number): readonly string[] => {
  const printed: string[] = [];
  const testResults = Array.from({ length: count }, (_, index) => ({
    testFilePath: join(process.cwd(), 'tests', `${index}.test.ts`),
    perfStats: { runtime: index * 1_500 },
  }));
  const reporter = slowestFiles({}, { print: (text: string) => void printed.push(text) });
  reporter.onRunComplete(new Set(), { testResults });
  return printed.flatMap((text) => text.split('\n'));
};

it('names the ten slowest files of a run, the slowest first', () => {
  const [title, first, ...others] = report(12);
  expect([title, first?.trim()]).toEqual(['Slowest files:', '16.5 s  tests/11.test.ts']);
  expect(others).toHaveLength(9);
  expect(others.at(-1)).toContain('3.0 s  tests/2.test.ts');
});

it('prints nothing about a few files', () => {
  expect(report(10)).toEqual([]);
});
