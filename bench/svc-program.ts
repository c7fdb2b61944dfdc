/**
 * Arguments of Node.js that run svc: its sources or, with BENCH_COMPILED_SVC=1, what was compiled from them, which starts in less
 * than half of the time.
 *
 * @param root the repository, or a changed copy of it, which is never compiled
 */
export const svcProgram = (root = '.'): readonly string[] =>
  root === '.' && process.env.BENCH_COMPILED_SVC === '1'
    ? ['bin/svc.js']
    : ['--import', 'tsx', `${root}/src/cli/main.ts`];
