/**
 * Runs `svc serve` with the options of the add-on, and tells Home Assistant its address: multicast does not reach containers.
 *
 * Variables for tests: SVC_PROGRAM, ADDON_OPTIONS, ADDON_VOICES, WYOMING_PORT, SUPERVISOR_URL.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

const {
  SVC_PROGRAM: program = '/opt/svc/bin/svc.js',
  ADDON_OPTIONS: optionsFile = '/data/options.json',
  ADDON_VOICES: voices = '/voices',
  WYOMING_PORT: port = '10200',
  SUPERVISOR_URL: supervisor = 'http://supervisor',
  SUPERVISOR_TOKEN: token,
} = process.env;

const { model, default_voice: voice, threads, normalize, api_key: key } = JSON.parse(readFileSync(optionsFile, 'utf8'));
const stated = (flag, value) => (value === undefined || value === null || value === '' ? [] : [flag, String(value)]);
const settings = [
  ...['serve', '--wyoming', `tcp://0.0.0.0:${port}`, '--voice-dir', voices, '--log-format', 'json'],
  ...stated('--model', model),
  ...stated('--default-voice', voice),
  ...stated('--threads', threads),
  ...stated('--default', normalize === undefined ? undefined : `normalize=${normalize ? 'on' : 'off'}`),
  // Without a key, the HTTP API is for the container only.
  ...(key ? ['--host', '0.0.0.0'] : []),
];
const environment = { ...process.env, ...(key ? { SVC_API_KEY: key } : {}) };
const child = spawn(process.execPath, [program, ...settings], { stdio: 'inherit', env: environment });
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal));
const ended = new Promise((resolve) => {
  child.once('close', (code) => resolve(code ?? 1));
});

const answers = () =>
  new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

async function announce() {
  while (!(await answers())) await pause(200);
  const response = await fetch(`${supervisor}/discovery`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ service: 'wyoming', config: { uri: `tcp://${hostname()}:${port}` } }),
  });
  if (!response.ok) throw new Error(`status ${response.status}`);
}

if (token) {
  announce().catch(({ message }) => {
    const remedy = 'add the Wyoming integration by its address';
    process.stderr.write(`cannot announce svc to Home Assistant: ${message}; ${remedy}\n`);
  });
}
process.exit(await ended);
