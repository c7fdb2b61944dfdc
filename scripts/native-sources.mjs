/** What the addon's sources need before any compiler reads them: ggml's headers and the table of its functions. */
import { join } from 'node:path';
import { fetchGgmlHeaders } from './ggml-headers.mjs';
import { generateGgmlTable } from './ggml-table.mjs';

/** Folders of the addon's sources in `native`. */
export const sourceFolders = ['addon', 'model', 'runtime', 'kernels'];

/** Fetches and generates what is missing in the folder `native`. */
export function prepareSources(native) {
  const headers = join(native, 'ggml');
  fetchGgmlHeaders(headers);
  generateGgmlTable(
    sourceFolders.map((name) => join(native, name)),
    headers,
    join(native, 'generated'),
  );
}
