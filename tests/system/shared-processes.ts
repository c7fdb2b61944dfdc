/** What all tests of a file share: processes, and servers in this one. */
import { afterAll, beforeAll } from '@jest/globals';

/**
 * Returns a function that starts things before the tests of the file or `describe`, one after the other, each of which is
 * ended after them, the last first. Call `sharedFolder` after it for a folder that they use.
 */
export function sharedProcesses(): <Started extends AsyncDisposable>(start: () => Promise<Started>) => Started {
  const running: AsyncDisposable[] = [];
  afterAll(async () => {
    for (const each of running.splice(0).reverse()) await each[Symbol.asyncDispose]();
  });
  return <Started extends AsyncDisposable>(start: () => Promise<Started>) => {
    let started: Started | undefined;
    beforeAll(async () => {
      started = await start();
      running.push(started);
    });
    return new Proxy({} as Started, { get: (own, name) => Reflect.get(started ?? own, name) });
  };
}
