/** Runs an image as described in docs/containers.md and checks the page's claims. */
import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Podman } from './podman.ts';

export interface CheckImage {
  readonly podman: Podman;
  /** Temporary folder. */
  readonly folder: string;
  readonly image: string;
  /** Overrides the image's command. */
  readonly device?: string;
}

const recordings = join(import.meta.dirname, '..', '..', 'tests', 'fixtures', 'audio');
const port = 18_100;
/** Limits for a busy machine. */
const patience = { tries: 120, milliseconds: 1_000 };
const hardened = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'all', '--security-opt', 'no-new-privileges'];

export async function checkImage({ podman: engine, folder, image, device }: CheckImage): Promise<void> {
  const { podman, runOptions } = engine;
  const environment = device === undefined ? [] : ['--env', `SVC_DEVICE=${device}`];
  const run = ['run', ...runOptions, ...hardened, ...environment];
  const config = JSON.parse(podman('image', 'inspect', image))[0].Config;
  assert.equal(config.User, '1000:1000');
  assert.deepEqual(Object.keys(config.Volumes).sort(), ['/models', '/voices']);
  report(image, `runs as ${config.User}, ${megabytes(podman('image', 'inspect', '--format', '{{.Size}}', image))}`);
  const layers = podman('history', '--format', '{{.Size}} of {{.CreatedBy}}', '--no-trunc', image).split('\n');
  for (const layer of layers.filter((each) => /^[\d.]+ [MG]B/.test(each))) report(image, `has ${layer.slice(0, 120)}`);

  const refused = engine.attempt(...run, '--rm', '--network', 'none', image);
  assert.equal(refused, 2);
  report(image, 'refuses to serve without a key');

  const serve = ['serve', '--host', '127.0.0.1', '--port', String(port)];
  // The health check uses port 8000, the default.
  const name = podman(...run, '--detach', '--network', 'host', '--env', 'SVC_API_KEY=key', image, ...serve);
  try {
    await waitFor(async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok);
    const answer = await fetch(`http://127.0.0.1:${port}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
      body: JSON.stringify({ input: 'Hello from a container.', response_format: 'wav' }),
    });
    const { byteLength } = await answer.arrayBuffer();
    assert.equal(answer.status, 200);
    assert.ok(byteLength > 16_000);
    report(image, `speaks: ${byteLength} bytes of WAV, without a shell, a capability or a writable file system`);
    const stopped = Date.now();
    podman('stop', '--time', '60', name);
    assert.equal(podman('inspect', '--format', '{{.State.ExitCode}}', name), '0');
    report(image, `ends at SIGTERM, after ${Date.now() - stopped} ms`);
  } finally {
    engine.attempt('rm', '--force', '--time', '1', name);
  }
  await checkHealth(engine, run, image);
  checkBatch(engine, run, folder, image);
}

async function checkHealth({ podman, attempt }: Podman, run: readonly string[], image: string): Promise<void> {
  const name = podman(...run, '--detach', '--env', 'SVC_API_KEY=key', image);
  try {
    await waitFor(async () => attempt('healthcheck', 'run', name) === 0);
    report(image, 'is healthy');
  } finally {
    attempt('rm', '--force', '--time', '1', name);
  }
}

function checkBatch({ podman }: Podman, run: readonly string[], folder: string, image: string): void {
  const audio = join(folder, `audio-${image.replace(/\W/g, '-')}`);
  mkdirSync(audio);
  // Writable for the image's user.
  chmodSync(audio, 0o777);
  writeFileSync(join(audio, 'texts.txt'), 'One.\nTwo.\n');
  const mount = ['--volume', `${audio}:/audio`];
  const batch = ['batch', '--input', 'texts.txt', '--output-dir', 'spoken', '--json'];
  const summary = JSON.parse(podman(...run, '--rm', '--network', 'none', ...mount, image, ...batch));
  assert.equal(summary.done, 2);
  assert.ok(existsSync(join(audio, 'spoken', 'output_002.wav')));
  report(image, `speaks a batch without a network, RTF ${summary.rtf}`);
  cpSync(join(recordings, 'mono-16-khz.m4a'), join(audio, 'voice.m4a'));
  const clone = [
    'clone',
    '--prompt-audio',
    'voice.m4a',
    '--prompt-text',
    'Ah.',
    '--text',
    'One.',
    '--max-length',
    '30',
  ];
  podman(...run, '--rm', '--network', 'none', ...mount, image, ...clone, '--output', 'cloned.opus');
  assert.ok(existsSync(join(audio, 'cloned.opus')));
  report(image, 'speaks in the voice of an M4A file');
}

async function waitFor(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 1; !(await condition().catch(() => false)); tries += 1) {
    if (tries === patience.tries) throw new Error(`gave up after ${tries} tries: ${condition}`);
    await sleep(patience.milliseconds);
  }
}

const megabytes = (bytes: string): string => `${Math.round(Number(bytes) / 1e6)} MB`;
const report = (image: string, what: string): void => console.log(`ok: ${image} ${what}`);
