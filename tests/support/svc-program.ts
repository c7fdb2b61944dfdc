import { join } from 'node:path';

/** The command line, which `tests/runner/compile.js` compiles before the tests: starts twice as fast as through tsx. */
export const svcProgram = join(import.meta.dirname, '..', '..', '.cache', 'compiled', 'src', 'cli', 'main.js');
