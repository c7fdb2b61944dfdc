/** @type {import('jest').Config} */
export default {
  runner: './tests/runner/runner.js',
  globalSetup: './tests/runner/compile.js',
  extensionsToTreatAsEsm: ['.ts'],
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/tests/system/', '<rootDir>/tests/browser/'],
  reporters: ['default', '<rootDir>/tests/runner/slowest-files.js'],
  testTimeout: 600_000,
  maxWorkers: 4,
};
