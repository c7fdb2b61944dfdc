/** What svc contacts and where it writes, by its system calls: nothing but this machine, and folders of its own. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedFolder } from '../support/test-folder.ts';

const program = join(process.cwd(), 'bin', 'svc.js');
const checkpoint = join(process.cwd(), 'tests', 'fixtures', 'tiny-v1', 'checkpoint');
const calls = 'connect,sendto,sendmsg,sendmmsg,openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2,link,symlink';

const folder = sharedFolder();
beforeAll(async () => {
  for (const name of ['home', 'temporary', 'output']) await mkdir(join(folder, name));
});

interface Traced {
  /** Addresses of other machines, and any name server. */
  readonly contacts: readonly string[];
  /** Paths of files and folders that were created or opened for writing. */
  readonly written: readonly string[];
}

/** The command line that writes the system calls of Node.js and all its children to a file. */
const traced = (name: string, argv: readonly string[]): readonly string[] => {
  const settings = ['-f', '-qq', '--seccomp-bpf', '-s', '4096', '-o', join(folder, name), '-e', `trace=${calls}`];
  return [...settings, process.execPath, ...argv];
};

/** As a new user with default settings, and without the software GPU of other tests, whose driver keeps shaders at home. */
function circumstances() {
  const others = /^(?:(?:SVC|XDG|HF|MODELSCOPE)_|ORT_DISABLE_TELEMETRY$|GGML_VK_VISIBLE_DEVICES$|NODE_PATH$)/;
  const own = Object.entries(process.env).filter(([name]) => !others.test(name));
  const places = { HOME: join(folder, 'home'), TMPDIR: join(folder, 'temporary') };
  return { cwd: join(folder, 'output'), env: { ...Object.fromEntries(own), ...places } };
}

async function run(name: string, ...argv: readonly string[]): Promise<Traced> {
  await promisify(execFile)('strace', traced(name, argv), circumstances());
  return read(name);
}

async function read(name: string): Promise<Traced> {
  const lines = (await readFile(join(folder, name), 'utf8')).split('\n');
  const contacts = lines.flatMap((line) => {
    const [, address = ''] = /sa_family=AF_INET6?\b.*?(?:inet_addr\(|inet_pton\(AF_INET6, )"([^"]+)"/.exec(line) ?? [];
    const isHere = /^(?:127\.|::1$|::ffff:127\.)/.test(address) && !/port=htons\(53\)/.test(line);
    return address === '' || isHere ? [] : [address];
  });
  const written = lines.flatMap((line) => {
    if (/ = -1 /.test(line)) return [];
    if (/ open(?:at)?\(/.test(line) && !/O_WRONLY|O_RDWR|O_CREAT/.test(line)) return [];
    // Two paths of a renaming.
    const paths = / (?:connect|send\w+)\(/.test(line) ? [] : [...line.matchAll(/"([^"]*)"/g)];
    return paths.map(([, path = '']) => (isAbsolute(path) ? path : resolve(folder, 'output', path)));
  });
  return { contacts, written };
}

/** Devices, shared memory, and what the sound libraries of the system keep when they look for an output. */
const ofSystem = /^\/(?:dev|proc)\/|\/home\/\.config(?:\/pulse(?:\/.*)?)?$/;

const isOwn = (path: string): boolean =>
  ofSystem.test(path) ||
  ['home/.cache/svc', 'home/.local', 'temporary', 'output'].some((name) => path.startsWith(join(folder, name)));

function expectNothingElse({ contacts, written }: Traced): void {
  expect(contacts).toEqual([]);
  expect(written.filter((path) => !isOwn(path))).toEqual([]);
}

/** The address in the log of a server, whose lines are JSON. */
async function listening(log: Readable): Promise<string> {
  const lines = createInterface(log);
  const [line] = await once(lines, 'line');
  return JSON.parse(line).url;
}

describe('a traced run', () => {
  it('is seen when it contacts another machine or writes elsewhere', async () => {
    const script = `
      const socket = require('node:dgram').createSocket('udp4');
      socket.connect(9, '192.0.2.1', () => socket.close());
      require('node:fs').mkdirSync(${JSON.stringify(join(folder, 'home', 'foreign'))});`;
    const { contacts, written } = await run('control', '--eval', script);
    expect(contacts).toContain('192.0.2.1');
    expect(written.filter((path) => !isOwn(path))).toEqual([join(folder, 'home', 'foreign')]);
  });

  it('of svc doctor stays here', async () => {
    expectNothingElse(await run('doctor', program, 'doctor'));
  });

  it('of svc tts stays here', async () => {
    const traced = await run('tts', program, 'tts', '--text', 'Hello there.', '--output', 'hello.mp3');
    expectNothingElse(traced);
    expect(traced.written).toContain(join(folder, 'output', 'hello.mp3'));
  });

  it('of an ONNX model, its export and its speech, stays here', async () => {
    const made = ['export', '--format', 'onnx', '--model-path', checkpoint, '--output', 'model'];
    expectNothingElse(await run('export', program, ...made));
    const spoken = ['tts', '--model-path', 'model', '--text', 'Hello.', '--max-length', '8', '--output', 'onnx.wav'];
    expectNothingElse(await run('onnx', program, ...spoken));
  });

  it('of svc serve stays here', async () => {
    const child = spawn('strace', traced('serve', [program, 'serve', '--port', '0']), circumstances());
    try {
      const address = await listening(child.stderr);
      const body = JSON.stringify({ input: 'Hello there.', response_format: 'wav' });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${address}/v1/audio/speech`, { method: 'POST', headers, body });
      expect(response.status).toBe(200);
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
    } finally {
      const closed = once(child, 'close');
      // strace itself ignores the signal.
      const [server = ''] = (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).split(' ');
      process.kill(Number(server), 'SIGTERM');
      await closed;
    }
    expectNothingElse(await read('serve'));
  });
});
