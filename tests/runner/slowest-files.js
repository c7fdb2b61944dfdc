/** Jest reporter: the ten slowest files of a run of more. */
import { relative } from 'node:path';

const shown = 10;

export default function slowestFiles(_globalConfig, { print = console.log } = {}) {
  return {
    onRunComplete(_contexts, { testResults }) {
      const files = testResults
        .map(({ testFilePath, perfStats }) => ({ path: testFilePath, milliseconds: perfStats.runtime }))
        .sort((one, other) => other.milliseconds - one.milliseconds);
      if (files.length <= shown) return;
      const line = ({ path, milliseconds }) =>
        `${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${relative(process.cwd(), path)}`;
      print(['Slowest files:', ...files.slice(0, shown).map(line)].join('\n'));
    },
  };
}
