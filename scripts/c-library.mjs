/** Whether this is Linux with musl, as `src/package/c-library.ts` finds it, which may not be compiled yet. */
export const hasMusl = () =>
  process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined;
