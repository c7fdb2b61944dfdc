import { setTimeout as wait } from 'node:timers/promises';

/**
 * Kills something each time the pause is over, while `work` runs.
 *
 * @param pause milliseconds until the next kill
 * @returns what `work` did, and how many kills it has survived
 */
export async function killRepeatedly<Result>(
  pause: () => number,
  kill: (number: number) => Promise<void>,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly kills: number }> {
  const ending = new AbortController();
  let kills = 0;
  const killing = (async () => {
    for (;;) {
      await wait(pause(), undefined, { signal: ending.signal });
      kills += 1;
      await kill(kills);
    }
  })().catch((error: Error) => {
    if (error.name !== 'AbortError') throw error;
  });
  try {
    return { result: await work(), kills };
  } finally {
    ending.abort();
    await killing;
  }
}
