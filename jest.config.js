/** @type {import('jest').Config} */
export default {
  testEnvironment: './tests/support/environment.js',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/tests/system/', '<rootDir>/tests/browser/'],
  testTimeout: 120_000,
  maxWorkers: 2,
};
