/** Servers that tests start, and what they expect of answers. */
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { type ErrorBody, errorOf, type StartOptions, startServer, type TestServer } from './start-server.ts';

/**
 * A server that each test of the file or `describe` starts, and that is closed after the test. `start` closes the one
 * before.
 */
export function freshServer<Server extends TestServer = TestServer, Options extends unknown[] = [StartOptions?]>(
  open = startServer as unknown as (...options: Options) => Promise<Server>,
): Server & { start(...options: Options): Promise<void> } {
  let running: Server | undefined;
  afterEach(() => running?.close());
  return standIn(() => running, {
    async start(...options: Options) {
      await running?.close();
      running = await open(...options);
    },
  });
}

/** A server for all tests of the file or `describe`. */
export function sharedServer(options: StartOptions | (() => Promise<StartOptions>) = {}): TestServer {
  let running: TestServer | undefined;
  beforeAll(async () => {
    running = await startServer(typeof options === 'function' ? await options() : options);
  });
  afterAll(() => running?.close());
  return standIn(() => running, {});
}

function standIn<Server extends object, Own extends object>(running: () => Server | undefined, own: Own): Server & Own {
  const get = (_: object, name: string | symbol): unknown => Reflect.get(name in own ? own : (running() ?? own), name);
  return new Proxy(own, { get }) as Server & Own;
}

/** Checks the status and the error of an answer: its message, or several of its fields. */
export async function expectError(
  answer: Response | Promise<Response>,
  status: number,
  error: string | RegExp | { readonly [Field in keyof ErrorBody['error']]?: unknown },
): Promise<void> {
  const response = await answer;
  const message = error instanceof RegExp ? expect.stringMatching(error) : error;
  const fields = typeof error === 'string' || error instanceof RegExp ? { message } : error;
  expect({ status: response.status, ...(await errorOf(response)) }).toMatchObject({ status, ...fields });
}
