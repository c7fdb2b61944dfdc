import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../bench/broker/redis-process.ts';
import { type SvcProcess, startSvc } from '../../bench/svc-process.ts';
import { svcProgram } from '../../bench/svc-program.ts';
import { post } from '../server/start-server.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { startPostgres } from './postgres-process.ts';
import { sharedProcesses } from './shared-processes.ts';

/** Needs postgresql. */

const settings = (): readonly string[] => {
  const own = ['--backend', 'cpu', '--threads', '1', '--port', '0', '--no-local'];
  return ['serve', ...own, '--voice-dir', folder];
};
const serve = (): Promise<SvcProcess> => startSvc(settings(), 'listening', { SVC_DATABASE_URL: database });

const share = sharedProcesses();
const folder = sharedFolder();
const postgres = share(startPostgres);
let database: string;
beforeAll(() => {
  database = postgres.createDatabase();
});

describe('a database that is down at the start', () => {
  it.each([
    ['serve', ['--port', '0']],
    ['voices', ['list']],
    ['tts', ['--voice', 'anna', '--text', 'Hello.', '--output', 'hello.wav']],
  ])('ends svc %s with one line', async (command, rest) => {
    const place = `127.0.0.1:${await freePort()}/voices`;
    const { status, stdout, stderr } = spawnSync(process.execPath, [...svcProgram(), command, ...rest], {
      encoding: 'utf8',
      env: { ...process.env, SVC_DATABASE_URL: `postgres://svc:secret@${place}` },
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 5,
      stdout: '',
      stderr: `svc: error: cannot reach PostgreSQL at postgres://${place}: connection refused\n`,
    });
  });
});

describe('a database that goes down', () => {
  let running: SvcProcess;
  let url: string;
  beforeAll(async () => {
    running = await serve();
    url = String(running.ready.url);
  });
  afterAll(() => running.stop('SIGKILL'));

  const speak = (body: object): Promise<Response> =>
    post(`${url}/v1/audio/speech`, { input: 'Yes.', response_format: 'pcm', seed: 1, ...body });

  /** Requests that need it are refused with Retry-After until it returns. */
  async function expectAway(): Promise<void> {
    for (const response of [await fetch(`${url}/v1/voices`), await speak({ voice: 'alloy' })]) {
      expect({ status: response.status, retryAfter: response.headers.get('Retry-After') }).toEqual({
        status: 503,
        retryAfter: '5',
      });
      const message = expect.stringMatching(/^the voice database is unavailable \([^\n]+\); try again later$/);
      expect(await response.json()).toEqual({
        error: { message, type: 'server_error', param: null, code: 'unavailable' },
        detail: message,
      });
    }
  }

  async function expectBack(): Promise<void> {
    expect((await fetch(`${url}/v1/voices`)).status).toBe(200);
    expect((await speak({ voice: 'alloy' })).status).toBe(200);
  }

  it('affects only requests that need a voice, which get 503 until it returns', async () => {
    await expectBack();
    await postgres.kill();
    await expectAway();
    expect((await speak({})).status).toBe(200);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(running.log()).toMatch(/"msg":"backend unavailable"/);
    expect(running.log()).not.toMatch(/"msg":"request failed"/);
    await postgres.start();
    await expectBack();
  });

  it('causes a timeout when frozen', async () => {
    postgres.freeze();
    await expectAway();
    postgres.thaw();
    await expectBack();
  });

  it('may cut connections without harm to the server', async () => {
    await expectBack();
    postgres.freeze();
    const asked = Array.from({ length: 8 }, () => fetch(`${url}/v1/voices`));
    await sleep(200);
    await postgres.kill();
    for (const { status } of await Promise.all(asked)) expect([200, 503]).toContain(status);
    await expectAway();
    await postgres.start();
    await expectBack();
  });

  it('does not prevent shutdown', async () => {
    await expectBack();
    postgres.freeze();
    try {
      expect((await running.stop('SIGTERM')).code).toBe(0);
    } finally {
      postgres.thaw();
    }
  });
});
