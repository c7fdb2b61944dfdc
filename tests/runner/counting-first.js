/**
 * Jest's order of test files, with those first that count work (tests/support/work.ts): for each count, V8 goes through
 * all code that the process has loaded, which grows with every file.
 */
import { readFileSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

const counts = ({ path }) => readFileSync(path, 'utf8').includes('countedCopy');

export default class CountingFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return [...sorted.filter(counts), ...sorted.filter((test) => !counts(test))];
  }
}
