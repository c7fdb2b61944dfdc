/** A model file of a few bytes, for commands with a fake engine that hash their model: the demo model has 22 MB. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedFolder } from '../support/test-folder.ts';

/** Options that name it, for all tests of the file that calls this. */
export function smallModel(): readonly ['--model-path', string] {
  const path = join(sharedFolder(), 'small.gguf');
  writeFileSync(path, 'GGUF');
  return ['--model-path', path];
}
