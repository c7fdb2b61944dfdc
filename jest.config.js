/** @type {import('jest').Config} */
export default {
  testEnvironment: './tests/support/environment.js',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/tests/system/', '<rootDir>/tests/browser/'],
  testTimeout: 120_000,
  maxWorkers: 2,
  // A worker keeps the modules of all its test files, some 15 MB each. With gigabytes of them, collecting garbage stops
  // it for hundreds of milliseconds.
  workerIdleMemoryLimit: '500MB',
};
