/** Speech Dispatcher, which screen readers of Linux speak through, with the module of deploy/speech-dispatcher. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterEach, expect, it } from '@jest/globals';
import { type ServerProcess, startSvcServe } from '../../bench/svc-process.ts';
import { presets } from '../presets.ts';
import { eventually } from '../support/eventually.ts';
import { freshFolder } from '../support/test-folder.ts';
import { type AudioSystem, audible, rate, startAudioSystem } from './audio-system.ts';

const children: ChildProcess[] = [];
const servers: ServerProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill();
    await once(child, 'exit');
  }
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});
const folder = freshFolder();

interface Desktop extends Pick<AudioSystem, 'received'> {
  readonly server: ServerProcess;
  /** Runs `spd-say`. */
  say(...words: readonly string[]): Promise<string>;
}

async function startDesktop(key = 'sk-desk'): Promise<Desktop> {
  const { environment, received } = await startAudioSystem(folder, children);
  const server = await startSvcServe([
    '--backend',
    'cpu',
    '--threads',
    '1',
    '--voice-dir',
    folder.path,
    '--api-key',
    'sk-desk',
  ]);
  servers.push(server);
  const configuration = folder.join('speech-dispatcher');
  mkdirSync(`${configuration}/modules`, { recursive: true });
  copyFileSync('deploy/speech-dispatcher/svc-generic.conf', `${configuration}/modules/svc-generic.conf`);
  writeFileSync(
    `${configuration}/speechd.conf`,
    `LogDir "${folder.path}"\nAudioOutputMethod "pulse"\nDefaultVolume 100\nAddModule "svc" "sd_generic" "svc-generic.conf"\nDefaultModule svc\n`,
  );
  const socket = folder.join('speechd');
  const env = { ...environment, SVC_URL: server.url, SVC_API_KEY: key, LC_ALL: 'C.UTF-8' };
  const settings = ['--run-single', '-C', configuration, '-S', socket, '-P', folder.join('speechd.pid'), '-t', '0'];
  children.unshift(spawn('speech-dispatcher', settings, { env, stdio: 'ignore' }));
  await eventually(() => existsSync(socket), 'the socket of Speech Dispatcher');
  const client = { ...env, SPEECHD_ADDRESS: `unix_socket:${socket}` };
  const say = async (...words: readonly string[]): Promise<string> =>
    (await promisify(execFile)('spd-say', [...words], { env: client })).stdout;
  return { server, received, say };
}

const requestsOf = ({ server }: Desktop): readonly string[] =>
  server
    .log()
    .split('\n')
    .filter((line) => line.includes('"/v1/audio/speech"') && line.includes('request completed'));

const loudness = (samples: Int16Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length));

/** The part of a recording that is heard, up to a second of silence. */
async function heard(desktop: Desktop, from: number): Promise<Int16Array> {
  const rest = () => desktop.received().subarray(from);
  await eventually(() => rest().some(audible) && !rest().slice(-rate).some(audible), 'silence after the speech');
  const samples = rest();
  return samples.slice(samples.findIndex(audible), samples.findLastIndex(audible) + 1);
}

it('lists the voices of the module', async () => {
  const { say } = await startDesktop();
  const [, ...lines] = (await say('--list-synthesis-voices')).trim().split('\n');
  const names = new Set(lines.map((line) => line.trim().split(/\s+/)[0]));
  expect(names.size).toBeGreaterThan(5);
  expect([...names].filter((name) => name !== 'default' && !presets.includes(String(name)))).toEqual([]);
});

it('speaks in a voice, at a rate and a volume, whatever characters the text has', async () => {
  const desktop = await startDesktop();
  const text = 'It\'s "quoted" $HOME `id`; hello there.';
  await desktop.say('--wait', '-l', 'en', '-y', 'iris', text);
  const usual = await heard(desktop, 0);
  expect(usual.length / rate).toBeGreaterThan(1.5);
  const at = desktop.received().length;
  await desktop.say('--wait', '-l', 'en', '-y', 'iris', '-r', '60', '-i', '-60', text);
  const fast = await heard(desktop, at);
  expect(fast.length).toBeLessThan(usual.length * 0.8);
  expect(loudness(fast)).toBeLessThan(loudness(usual) * 0.6);
  expect(requestsOf(desktop).length).toBe(2);
});

it('falls silent when it is told to, and the server with it', async () => {
  const desktop = await startDesktop();
  await desktop.say('-l', 'en', 'Hello there, how are you today? '.repeat(20));
  await eventually(() => desktop.received().some(audible), 'speech');
  await desktop.say('-S');
  await eventually(() => !desktop.received().slice(-rate).some(audible), 'silence');
  await eventually(() => desktop.server.log().includes('request aborted'), 'the request is canceled');
});

it('is silent with a wrong key', async () => {
  const desktop = await startDesktop('sk-other');
  await desktop.say('--wait', 'Hello there.');
  await eventually(() => desktop.server.log().includes('"statusCode":401'), 'a refusal');
  expect(desktop.received().some(audible)).toBe(false);
});
