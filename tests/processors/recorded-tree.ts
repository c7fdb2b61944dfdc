import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Runs `read` with a folder of the files in `recording`.
 *
 * @param recording lines as `grep --recursive ''` prints them: path, colon, line of the file
 */
export function inRecordedTree<Result>(recording: string, read: (root: string) => Result): Result {
  const root = mkdtempSync(join(tmpdir(), 'svc-machine-'));
  try {
    for (const [, path = '', line = ''] of recording.matchAll(/^([^:\n]+):(.*)$/gm)) {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      appendFileSync(file, `${line}\n`);
    }
    return read(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}
