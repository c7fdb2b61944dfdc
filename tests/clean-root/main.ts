/**
 * `npm run test:clean-root`: follows README.md in a fresh Debian 12 root as an ordinary user, with only the packages that
 * README.md names; with the oldest supported Node.js and its npm, then, up to the first sound, with this machine's.
 *
 * Needs Debian 12 on x64 and root. Tests the last commit, with the package in `SVC_TARBALL` if that is set.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { decodeWav } from '../../src/audio/decode/wav.ts';
import { addNode, authorities, authoritiesInside, createDebianRoot, writeRegistry } from './debian-root.ts';
import { enterRoot } from './enter-root.ts';
import { readmeCommands } from './readme-commands.ts';

const root = join(import.meta.dirname, '..', '..');
const readme = readmeCommands(readFileSync(join(root, 'README.md'), 'utf8'));
/** The oldest supported Node.js with its npm, which packs, installs and tests too, and the one that runs this. */
const pairs = [
  { node: '20.17.0', npm: '10.8.2', isComplete: true },
  { node: process.versions.node, npm: '11', isComplete: false },
];
const user = 'newcomer';
const home = `/home/${user}`;
const clone = `${home}/svc`;

const controller = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());

let failed = false;

async function step(what: string, work: () => void | Promise<void>): Promise<void> {
  controller.signal.throwIfAborted();
  console.log(`== ${what}`);
  const started = Date.now();
  const seconds = (): string => `${Math.round((Date.now() - started) / 1000)} s`;
  try {
    await work();
    console.log(`ok: ${what} in ${seconds()}`);
  } catch (error) {
    controller.signal.throwIfAborted();
    failed = true;
    console.log(`FAILED: ${what} after ${seconds()}: ${error instanceof Error ? error.message : error}`);
  }
}

function createRoot(system: string): void {
  const quiet = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, stdio: 'inherit' } as const;
  if (!existsSync('/usr/sbin/debootstrap')) {
    execFileSync('apt-get', ['update', '--quiet'], quiet);
    execFileSync('apt-get', ['install', '--yes', '--quiet', '--no-install-recommends', 'debootstrap'], quiet);
  }
  createDebianRoot(system, readme.packages);
  for (const path of ['/etc/hosts', '/etc/resolv.conf']) copyFileSync(path, join(system, path));
  execFileSync('chroot', [system, 'useradd', '--create-home', '--shell', '/bin/bash', user]);
  writeRegistry(system);
  // This machine's apt settings for the mirror.
  const settings = execFileSync('apt-config', ['dump', 'Acquire'], { encoding: 'utf8' });
  execFileSync('tee', [join(system, 'etc', 'apt', 'apt.conf.d', '99acquire')], { input: settings, stdio: 'pipe' });
}

/**
 * A clone, or, if there is one, the same as when it was fresh but for the objects of the addon: make compiles again what
 * depends on the headers of Node.js, which are others.
 */
function cloneInto(system: string): void {
  const folder = join(system, clone);
  if (existsSync(folder)) {
    const owner = ['-c', `safe.directory=${folder}`, '-C', folder];
    execFileSync('git', [...owner, 'clean', '-ffdxq', '--exclude=native/build'], { stdio: 'inherit' });
    execFileSync('git', [...owner, 'diff', '--exit-code'], { stdio: 'inherit' });
    // else npm ci compiles all that is in the record of the last build
    rmSync(join(folder, 'native', 'build', 'contents.json'), { force: true });
  } else {
    execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, folder], { stdio: 'inherit' });
  }
  execFileSync('chroot', [system, 'chown', '--recursive', `${user}:${user}`, clone]);
}

function environment(path: string): Readonly<Record<string, string>> {
  const proxies = Object.entries(process.env).filter(([name]) => /^(https?|no|all)_proxy$/i.test(name));
  return {
    ...(Object.fromEntries(proxies) as Record<string, string>),
    ...(existsSync(authorities) ? { NODE_EXTRA_CA_CERTS: authoritiesInside } : {}),
    PATH: path,
  };
}

/** Expects at least half a second of audible sound. */
function expectSpeech(path: string): void {
  const { samples, sampleRate } = decodeWav(readFileSync(path));
  const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  if (samples.length < sampleRate / 2 || peak < 0.01) {
    throw new Error(`${path} is silent: ${samples.length} samples, peak ${peak}`);
  }
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-clean-root-'));
  const system = join(folder, 'system');
  const paths = '/usr/local/bin:/usr/bin:/bin';
  const visit = { system, user, home, folder: clone, environment: environment(paths), signal: controller.signal };
  const run = async (command: string): Promise<void> => {
    const code = await enterRoot(command, visit);
    if (code !== 0) throw new Error(`exit code ${code}`);
  };
  try {
    await step(`a Debian 12 root with ${readme.packages.join(', ')}`, () => createRoot(system));
    for (const { node, npm, isComplete } of pairs) {
      const versions = `Node ${node} and npm ${npm}`;
      await step(`${versions}: a fresh clone`, () => {
        addNode(system, { node, npm, folder: mkdtempSync(join(folder, 'node-')) });
        cloneInto(system);
      });
      await step(`${versions}: ${readme.speak}`, async () => {
        await run(`{ ${readme.speak}; } >said 2>&1; code=$?; cat said; exit $code`);
        // The first thing that a newcomer reads.
        await run('! grep "npm warn Unknown" said');
        expectSpeech(join(system, clone, 'hello.wav'));
      });
      if (!isComplete) continue;
      await step(`${versions}: the package, installed globally`, async () => {
        const speak = 'svc tts --text "Hello from a package." --output hello.wav';
        const packed = process.env.SVC_TARBALL;
        if (packed !== undefined) copyFileSync(packed, join(system, clone, basename(packed)));
        const pack = packed === undefined ? 'npm pack --silent' : 'true';
        await run(
          `rm hello.wav && ${pack} && npm install --global --prefix ~/global ./voxcpm-*.tgz && ~/global/bin/${speak}`,
        );
        expectSpeech(join(system, clone, 'hello.wav'));
      });
      await step(`${versions}: ${readme.test}`, () => run(readme.test));
    }
    await step("Debian's own Node 18: one sentence, from npm ci and from svc", async () => {
      const administrator = { ...visit, user: 'root', home: '/root', folder: '/' };
      const install = 'apt-get update --quiet && apt-get install --yes --quiet --no-install-recommends nodejs';
      if ((await enterRoot(install, administrator)) !== 0) throw new Error('apt-get install nodejs');
      const older = { ...visit, environment: environment('/usr/bin:/usr/local/bin:/bin') };
      const sentence = 'grep -x "svc needs Node.js 20.17 or newer, this is 18[.].*" said';
      for (const command of ['npm ci', 'node bin/svc.js doctor']) {
        const check = `if ${command} >said 2>&1; then echo "${command} passed"; exit 1; fi; ${sentence} && ! grep SyntaxError said`;
        if ((await enterRoot(check, older)) !== 0) throw new Error(`no sentence from ${command}`);
      }
    });
  } finally {
    // Killed processes may write until they have ended.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
  }
}

try {
  await main();
} catch (error) {
  failed = true;
  console.error(error instanceof Error ? error.message : error);
}
if (failed) process.exitCode = 1;
