/** The fixtures with golden data of each architecture. */
import { join } from 'node:path';

export const fixtures = join(process.cwd(), 'tests', 'fixtures');

/** Minimum number of checks in a complete comparison, in case it compares nothing. */
export const tinyModels = [
  { name: 'tiny-v1', checks: 300 },
  { name: 'tiny-v15', checks: 300 },
  { name: 'tiny-v2', checks: 350 },
] as const;
