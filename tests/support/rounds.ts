/** Set by `npm run test:system`, which repeats these tests with more rounds. */
const many = process.env.SVC_TEST_ROUNDS === 'many';

/**
 * Rounds of a test that repeats itself with other random numbers, moments or types: a few in `npm test`, where each kind
 * of fault still shows, and many in `npm run test:system`.
 */
export const rounds = <Value>(few: Value, thorough: Value): Value => (many ? thorough : few);
