/** Parts of css-tree that load without its tables of properties; @types/css-tree describes the whole. */
declare module 'css-tree/parser' {
  import type { parse } from 'css-tree';

  const parser: typeof parse;
  // biome-ignore lint/style/noDefaultExport: as the package has it
  export default parser;
}

declare module 'css-tree/walker' {
  import type { walk } from 'css-tree';

  const walker: typeof walk;
  // biome-ignore lint/style/noDefaultExport: as the package has it
  export default walker;
}
