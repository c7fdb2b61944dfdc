import base from '../../jest.config.js';

/**
 * Tests that need packages of the operating system; `npm run test:system` installs them first.
 * @type {import('jest').Config}
 */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/tests/{system,browser}/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  reporters: [...base.reporters, '<rootDir>/tests/runner/running-files.js'],
  // What hangs is stopped by the limit of the whole run: a slow machine is no failure.
  testTimeout: 3_600_000,
  maxWorkers: 1,
  // Of concurrent tests, for two cores.
  maxConcurrency: 2,
};
