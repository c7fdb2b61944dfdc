/** Jest reporter: names each file when it begins, so that an interrupted log shows what was running. */
import { relative } from 'node:path';

export default function runningFiles() {
  return {
    onTestFileStart: ({ path }) => console.log(`RUNS ${relative(process.cwd(), path)}`),
  };
}
