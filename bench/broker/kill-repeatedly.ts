/**
 * Kills something again and again while `work` runs.
 *
 * @param pause resolves when it is time for the next kill; rejects with an AbortError
 * @returns what `work` did, and how many kills it has survived
 */
export async function killRepeatedly<Result>(
  pause: (signal: AbortSignal) => Promise<unknown>,
  kill: (number: number) => Promise<void>,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly kills: number }> {
  const ending = new AbortController();
  let kills = 0;
  const killing = (async () => {
    for (;;) {
      await pause(ending.signal);
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
