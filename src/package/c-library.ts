/** Node.js 20 ignores the setting. */
type ProcessReport = typeof process.report & { excludeNetwork?: boolean };

type Header = { readonly header: { readonly glibcVersionRuntime?: string } };

let musl: boolean | undefined;

/** Whether Node.js runs on musl, as in Alpine, where code for glibc lacks functions, noticed only in a call. */
export function hasMusl(): boolean {
  musl ??= process.platform === 'linux' && glibcVersion() === undefined;
  return musl;
}

/** The version of glibc that Node.js runs on; undefined on other C libraries. */
export function glibcVersion(): string | undefined {
  const report: ProcessReport = process.report;
  const { excludeNetwork } = report;
  // The report would wait for names of connected machines.
  report.excludeNetwork = true;
  try {
    return (report.getReport() as unknown as Header).header.glibcVersionRuntime;
  } finally {
    report.excludeNetwork = excludeNetwork ?? false;
  }
}
