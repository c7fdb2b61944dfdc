/** Checks of a file besides the unit tests that import it, directly or through other files. */
export interface Checks {
  /** Unit tests: files or folders. */
  readonly unit?: readonly string[];
  /** Suites of `tests/system` and `tests/browser`, which take less than a minute. */
  readonly system?: readonly string[];
}

/**
 * Checks by folder or file. Unit tests are listed where jest sees no import: of programs that tests start, threads, native code and
 * texts.
 */
export const checksByPath: Readonly<Record<string, Checks>> = {
  '.ci': { unit: ['tests/packaging/readme.test.ts'] },
  '.github': { system: ['tests/system/github'] },
  bin: { unit: ['tests/packaging'] },
  'biome.json': { unit: ['tests/lint'] },
  deploy: { system: ['tests/system/kubernetes', 'tests/system/prometheus'] },
  'compose.yaml': { system: ['tests/system/containers'] },
  Dockerfile: { system: ['tests/system/containers'] },
  'Dockerfile.gpu': { system: ['tests/system/containers'] },
  docs: { unit: ['tests/packaging/readme.test.ts'] },
  'docs/cli.md': { unit: ['tests/cli/cli-page.test.ts'] },
  'docs/library.md': { system: ['tests/system/processes/examples'] },
  'docs/reverse-proxy.md': { system: ['tests/system/reverse-proxy'] },
  'docs/scale-out.md': { system: ['tests/system/broker-secure'] },
  examples: { system: ['tests/system/processes/examples'] },
  export: { unit: ['tests/export'] },
  'export/onnx': { unit: ['tests/export/onnx'], system: ['tests/browser/local/golden'] },
  models: { unit: ['tests/engine/engine.test.ts', 'tests/packaging/files.test.ts'] },
  native: { unit: ['tests/native', 'tests/golden'] },
  'package.json': { unit: ['tests/packaging'] },
  'package-lock.json': { unit: ['tests/packaging'] },
  'README.md': { unit: ['tests/packaging/readme.test.ts'] },
  scripts: { unit: ['tests/packaging'] },
  'src/package/c-library.ts': { system: ['tests/system/musl'] },
  training: { unit: ['tests/packaging/files.test.ts'] },
  'src/admission': { system: ['tests/system/broker-fairness'] },
  'src/audio': { unit: ['tests/audio'], system: ['tests/system/full-disk'] },
  'src/book': { system: ['tests/system/book'] },
  'src/broker': {
    system: ['tests/system/broker-scripts', 'tests/system/broker-secure', 'tests/system/broker-stall'],
  },
  'src/cli': {
    unit: ['tests/cli/arguments.test.ts', 'tests/packaging/start.test.ts'],
    system: ['tests/system/processes/speak', 'tests/system/processes/terminal'],
  },
  'src/cli/batch': { unit: ['tests/cli/batch'], system: ['tests/system/batch.test', 'tests/system/upgrade'] },
  'src/cli/completion': { system: ['tests/system/completion'] },
  'src/cli/probe': { unit: ['tests/doctor'], system: ['tests/system/doctor'] },
  'src/cli/doctor': { unit: ['tests/doctor'], system: ['tests/system/doctor', 'tests/system/processes/doctor'] },
  'src/engine/backends/native': {
    unit: ['tests/native', 'tests/golden/golden.test.ts'],
    system: ['tests/system/vulkan'],
  },
  'src/engine/backends/onnx': { unit: ['tests/engine/backends/onnx'] },
  'src/cli/resume': { system: ['tests/system/upgrade', 'tests/system/processes/killed'] },
  'src/hub': { unit: ['tests/hub'], system: ['tests/system/upgrade', 'tests/system/processes/downloads'] },
  'src/processors': { system: ['tests/system/threads'] },
  'src/server/mcp': { system: ['tests/system/mcp'] },
  'src/server/openapi': { system: ['tests/system/openapi'] },
  'src/server': { system: ['tests/system/code-samples', 'tests/system/reverse-proxy'] },
  'src/voices': {
    unit: ['tests/voices'],
    system: ['tests/system/postgres-store', 'tests/system/upgrade', 'tests/system/processes/voice-store'],
  },
  'src/web': {
    unit: ['tests/web'],
    system: ['tests/browser/speak', 'tests/browser/voices', 'tests/browser/accessibility'],
  },
  'src/web/local': { system: ['tests/browser/local'] },
  'src/wyoming': { unit: ['tests/wyoming'], system: ['tests/system/wyoming'] },
  'tests/engine/live': { unit: ['tests/engine/live/find-cut.test.ts'] },
  'tests/engine/script': { unit: ['tests/engine/script'] },
  'tests/engine/text': { unit: ['tests/engine/text', 'tests/engine/live/find-cut.test.ts'] },
  'tests/fixtures': { unit: ['tests/golden', 'tests/export'], system: ['tests/system/upgrade'] },
};

/** @param paths changed files, relative to the repository */
export function checksOf(paths: readonly string[]): Required<Checks> {
  const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
  const isSuite = (path: string): boolean => /^tests\/(system|browser)\/.*\.test\.ts$/.test(path);
  const found = Object.entries(checksByPath)
    .filter(([folder]) => paths.some((path) => isBelow(path, folder)))
    .map(([, checks]) => checks);
  return {
    unit: [...new Set(found.flatMap(({ unit = [] }) => unit))],
    system: [...new Set([...found.flatMap(({ system = [] }) => system), ...paths.filter(isSuite)])],
  };
}
