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
    processorSeconds: index / 2,
  }));
  const reporter = slowestFiles({}, { print: (text: string) => void printed.push(text) });
  reporter.onRunComplete(new Set(), { testResults });
  return printed.flatMap((text) => text.split('\n'));
};

it('names the twenty files that took the most processor time, the costliest first', () => {
  const [title, first, ...others] = report(22);
  expect([title, first?.trim()]).toEqual(['Most processor time:', '10.5 s in 31.5 s  tests/21.test.ts']);
  expect(others).toHaveLength(19);
  expect(others.at(-1)).toContain('1.0 s in 3.0 s  tests/2.test.ts');
});

it('prints nothing about a few files', () => {
  expect(report(20)).toEqual([]);
});
