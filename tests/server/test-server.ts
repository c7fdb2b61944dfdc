/** Servers that tests start, and what they expect of answers. */
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import type { FakeCall } from '../engine/fake-backend.ts';
import { type ErrorBody, errorOf, type StartOptions, startServer, type TestServer } from './start-server.ts';

type FreshServer<Server, Options extends unknown[]> = Server & {
  start(...options: Options): Promise<void>;
  /** The server of the test; starts it if there is none. */
  started(): Promise<Server>;
};

/** Methods that start a server if the test has started none. */
const requests: readonly (string | symbol)[] = [
  ...['connect', 'fetch', 'hear', 'json', 'occupy', 'post', 'remove', 'send', 'speak', 'stream', 'text'],
];

/**
 * A server for each test of the file or `describe`, which `start` starts, or the first request. `start` closes the one
 * before.
 *
 * @param usual options of each start, or what starts another kind of server
 */
export function freshServer(usual?: StartOptions): FreshServer<TestServer, [StartOptions?]>;
export function freshServer<Server extends TestServer, Options extends unknown[]>(
  open: (...options: Options) => Promise<Server>,
): FreshServer<Server, Options>;
export function freshServer(usual: StartOptions | ((...options: never[]) => Promise<TestServer>) = {}) {
  const open = typeof usual === 'function' ? usual : (options: StartOptions = {}) => startServer(join(usual, options));
  let running: TestServer | undefined;
  let starting: Promise<void> | undefined;
  afterEach(async () => {
    await running?.close();
    [running, starting] = [undefined, undefined];
  });
  async function start(...options: never[]): Promise<void> {
    await running?.close();
    running = await open(...options);
  }
  async function started(): Promise<TestServer> {
    if (running === undefined) {
      starting ??= start();
      await starting;
    }
    return running as unknown as TestServer;
  }
  return standIn(
    () => running,
    { start, started },
    (name) =>
      running !== undefined || !requests.includes(name)
        ? undefined
        : async (...given: unknown[]) => Reflect.get(await started(), name)(...given),
  );
}

const join = (usual: StartOptions, options: StartOptions): StartOptions => ({
  ...usual,
  ...options,
  backend: { ...usual.backend, ...options.backend },
  limits: { ...usual.limits, ...options.limits },
  settings: { ...usual.settings, ...options.settings },
});

/** A server for all tests of the file or `describe`. */
export function sharedServer(options: StartOptions | (() => Promise<StartOptions>) = {}): TestServer {
  let running: TestServer | undefined;
  beforeAll(async () => {
    running = await startServer(typeof options === 'function' ? await options() : options);
  });
  afterAll(() => running?.close());
  return standIn(() => running, {});
}

function standIn<Own extends object>(
  running: () => TestServer | undefined,
  own: Own,
  instead: (name: string | symbol) => unknown = () => undefined,
): TestServer & Own {
  const get = (_: object, name: string | symbol): unknown =>
    Reflect.get(own, name) ?? instead(name) ?? Reflect.get(running() ?? own, name);
  return new Proxy(own, { get }) as TestServer & Own;
}

/**
 * A model that stops after its first patch: `onCall` is an option of the backend. To be called before `freshServer`, so
 * that the model goes on before the server closes.
 */
export function holdAfterFirst(server: () => Pick<TestServer, 'backend'>) {
  let release = (): void => undefined;
  afterEach(() => release());
  const patches = (): number => server().backend.calls.filter(({ kind }) => kind === 'decode').length;
  const onCall = ({ kind }: FakeCall): void => {
    if (kind === 'decode' && patches() === 1) release = server().backend.hold();
  };
  return { onCall, patches, release: () => release() };
}

/** Checks the status and the error of an answer: its message, or several of its fields. */
export async function expectError(
  answer: Response | Promise<Response>,
  status: number,
  error: string | RegExp | { readonly [Field in keyof ErrorBody['error']]?: unknown },
): Promise<void> {
  const response = await answer;
  const fields = typeof error === 'string' || error instanceof RegExp ? { message: error } : error;
  const message = fields.message instanceof RegExp ? expect.stringMatching(fields.message) : fields.message;
  const expected = { status, ...fields, ...(message !== undefined && { message }) };
  expect({ status: response.status, ...(await errorOf(response)) }).toMatchObject(expected);
}
