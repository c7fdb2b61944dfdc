/** The unit of `deploy/systemd`, checked by systemd itself, and its command as the user that it would have. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedFolder } from '../support/test-folder.ts';

const unit = readFileSync('deploy/systemd/svc.service', 'utf8');
const command = resolve('bin/svc.js');
/** Of the range that systemd takes dynamic users from; in no list of users. */
const user = 61_184;

const folder = sharedFolder();
beforeAll(() => {
  chmodSync(folder, 0o755);
});

const valuesOf = (name: string): readonly string[] =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

describe('the unit', () => {
  it('is valid', () => {
    const path = join(folder, 'svc.service');
    writeFileSync(path, unit.replace('/usr/local/bin/svc', command));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
    // It also complains about units of the system that it comes across.
    const ours = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('svc.service'));
    expect([status, ours]).toEqual([0, []]);
  });

  it('exposes little', () => {
    const path = join(folder, 'svc.service');
    writeFileSync(path, unit.replace('/usr/local/bin/svc', command));
    const settings = ['security', '--offline=true', '--threshold=40', path];
    const { status, stdout, stderr } = spawnSync('systemd-analyze', settings, { encoding: 'utf8' });
    expect([status, status === 0 ? '' : `${stdout}${stderr}`]).toEqual([0, '']);
  });
});

it('keeps the files of a user who is in no list and has no HOME below the root', () => {
  const module = resolve('dist/src/files/user-folders.js');
  const script = `import('${module}').then(({ userFolder }) =>
    console.log(['data', 'cache'].map((kind) => userFolder(kind, 'linux')).join(' ')))`;
  const { stdout } = spawnSync(process.execPath, ['--eval', script], {
    uid: user,
    gid: user,
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '' },
  });
  expect(stdout).toBe('/.local/share/svc /.cache/svc\n');
});

/** Root's file system is read-only for the command, except its two folders. */
describe('its command, as a user without a home on a read-only system', () => {
  const children: ChildProcess[] = [];
  afterAll(async () => {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  });

  /** The variables that systemd would set, with folders of the test for `%S` and `%C`. */
  function variables(state: string): NodeJS.ProcessEnv {
    const given = valuesOf('Environment').map(
      (line) => line.replaceAll(/%[SC]/g, state).split('=') as [string, string],
    );
    return { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin', HOME: '/', ...Object.fromEntries(given) };
  }

  function start(argv: readonly string[], env: NodeJS.ProcessEnv, writable?: string): ChildProcess {
    const keep = writable === undefined ? '' : `mount --bind ${writable} ${writable} && `;
    const readOnly = `${keep}mount -o remount,ro,bind / /`;
    const become = `setpriv --reuid ${user} --regid ${user} --clear-groups --no-new-privs --bounding-set -all`;
    const words = [process.execPath, command, ...argv].map((word) => `'${word}'`).join(' ');
    const script = `mount --make-rprivate / && ${readOnly} && cd / && exec ${become} ${words}`;
    const child = spawn('unshare', ['--mount', 'sh', '-c', script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    return child;
  }

  async function serve(env: NodeJS.ProcessEnv, writable?: string): Promise<readonly [url: string, log: () => string]> {
    const [, ...argv] = (valuesOf('ExecStart')[0] ?? '').split(' ');
    const child = start([...argv, '--port', '0'], env, writable);
    let log = '';
    child.stderr?.on('data', (part: Buffer) => {
      log += part.toString();
    });
    for (;;) {
      const [, url] = /"url":"([^"]+)"/.exec(log) ?? [];
      if (url !== undefined) return [url, () => log];
      if (child.exitCode !== null) throw new Error(log);
      await once(child.stderr ?? child, 'data');
    }
  }

  const speak = (url: string, voice: string): Promise<Response> =>
    fetch(`${url}/v1/audio/speech`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ input: 'Hello.', voice, response_format: 'wav' }),
    });

  async function add(url: string): Promise<Response> {
    const form = new FormData();
    form.set('id', 'anna');
    form.set('text', 'What she says.');
    form.set('audio', new Blob([readFileSync('tests/fixtures/tiny-v1/prompt_a.wav')]), 'anna.wav');
    return fetch(`${url}/v1/voices`, { method: 'POST', body: form });
  }

  it('speaks, and keeps voices in the folders of the service', async () => {
    const state = join(folder, 'state');
    mkdirSync(join(state, 'svc'), { recursive: true });
    execFileSync('chown', ['-R', `${user}:${user}`, state]);
    const [url, log] = await serve(variables(state), state);
    expect(log()).not.toContain('voice store');
    expect((await speak(url, 'iris')).status).toBe(200);
    expect((await add(url)).status).toBe(201);
    expect((await speak(url, 'anna')).status).toBe(200);
  });

  it('speaks without any folder, and only refuses to keep a voice', async () => {
    const { PATH, HOME } = variables('');
    const [url, log] = await serve({ PATH, HOME });
    expect(log()).toContain('there are no stored voices, and none can be added');
    expect((await speak(url, 'iris')).status).toBe(200);
    const refused = await add(url);
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('SVC_SQLITE_PATH')]);
    expect((await speak(url, 'bruno')).status).toBe(200);
  });

  it('speaks from the command line, with no HOME at all', async () => {
    const child = start(['tts', 'Hello.', '--voice', 'iris', '--output', '-'], { PATH: variables('').PATH });
    let bytes = 0;
    let said = '';
    child.stdout?.on('data', (part: Buffer) => {
      bytes += part.length;
    });
    child.stderr?.on('data', (part: Buffer) => {
      said += part.toString();
    });
    const [code] = (await once(child, 'close')) as [number | null];
    expect([code, bytes > 10_000, said]).toEqual([0, true, expect.stringContaining('warning: there are no stored')]);
  });
});
