/** What the addon's sources need before any compiler reads them: ggml's headers and the table of its functions. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fetchGgmlHeaders } from './ggml-headers.mjs';
import { generateGgmlTable } from './ggml-table.mjs';

/** Folders of the addon's sources in `native`, and of those that only tests need and packages are without. */
export const sourceFolders = ['addon', 'cpu-kernels', 'ggml-executor', 'model', 'runtime'];
export const probeFolder = 'probe';

/** Fetches and generates what is missing in the folder `native`. */
export function prepareSources(native) {
  const headers = join(native, 'ggml');
  fetchGgmlHeaders(headers);
  generateGgmlTable(
    [...sourceFolders, probeFolder].map((name) => join(native, name)).filter(existsSync),
    headers,
    join(native, 'generated'),
  );
}
