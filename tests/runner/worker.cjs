/** Jest requires the entry of its workers, and Node.js before 20.19 can't require an ES module. */
module.exports = async (test) => (await import('./run-file.js')).default(test);
