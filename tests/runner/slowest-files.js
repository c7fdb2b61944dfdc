/** Jest reporter: the twenty files of a run of more that took the most processor time, and how long they ran. */
import { relative } from 'node:path';

const shown = 20;

export default function slowestFiles(_globalConfig, { print = console.log } = {}) {
  return {
    onRunComplete(_contexts, { testResults }) {
      const files = testResults
        .map(({ testFilePath: path, perfStats, processorSeconds = 0 }) => ({
          path,
          seconds: perfStats.runtime / 1000,
          processorSeconds,
        }))
        .sort((one, other) => other.processorSeconds - one.processorSeconds);
      if (files.length <= shown) return;
      const columns = ({ path, seconds, processorSeconds }) =>
        `${processorSeconds.toFixed(1).padStart(7)} s in ${seconds.toFixed(1)} s  ${relative(process.cwd(), path)}`;
      print(['Most processor time:', ...files.slice(0, shown).map(columns)].join('\n'));
    },
  };
}
