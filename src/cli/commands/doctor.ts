import type { Command } from 'commander';
import { type ErrorCode, SvcError } from '../../errors.ts';
import { findPackage } from '../../package/package-root.ts';
import { describeReport } from '../doctor/report.ts';
import { checkCache, checkEnvironment, checkModels, checkNode, checkPackages, checkSystem } from '../doctor/system.ts';
import type { Io } from '../io.ts';
import { deviceOf, modelOfFolder, threadsOf } from '../model/engine-environment.ts';
import { commandWith } from '../options/option-values.ts';
import { voiceStorePath } from '../options/voice-choice.ts';
import { type Check, checkOfError } from '../probe/check.ts';
import { type Probe, runProbe } from '../probe/run-probe.ts';

const help = `
Examples:
  svc doctor
  svc doctor --json

Each line is ok or FAILED, with a fix below it; what svc speaks without comes
last, marked "-". --json has the command that installs each optional package.
The exit code is 0 unless svc cannot speak on this machine, or not with the
current SVC_THREADS, SVC_DEVICE or SVC_MODELS_DIR, or a GPU package does not
work (1).`;

/** `svc doctor`: checks this machine. */
export function doctorCommand(io: Io): Command {
  return commandWith('doctor', help, ['--json: print one line of JSON']).action(
    (options: { readonly json?: boolean }) => examine(options, io),
  );
}

async function examine({ json }: { readonly json?: boolean }, io: Io): Promise<void> {
  const checks = await runChecks(io);
  io.signal.throwIfAborted();
  // Either is enough: the addon runs GGUF files, onnxruntime runs ONNX models.
  const works = checks.some(({ name, status }) => status === 'ok' && (name === 'speech' || name === 'onnx cpu'));
  const wrong = await wrongSetting(io);
  const canSpeak = works && wrong === undefined;
  const report = { version: findPackage().version, canSpeak, checks };
  io.stdout.write(json ? `${JSON.stringify(report)}\n` : describeReport(report));
  if (canSpeak) return refuseBrokenGpu(checks);
  if (works) throw wrong;
  const speech = checks.find(({ name }) => name === 'speech');
  throw new SvcError(
    (speech?.code ?? 'BACKEND_UNAVAILABLE') as ErrorCode,
    `no engine works on this machine: ${speech?.summary ?? 'see the report'}`,
  );
}

/** A GPU package that fails is a fault, although svc speaks without it. */
function refuseBrokenGpu(checks: readonly Check[]): void {
  const failed = checks.find(({ name, status }) => status === 'failed' && gpuNames().includes(name));
  if (failed === undefined) return;
  throw new SvcError('DEVICE_LOST', `the GPU does not work: ${failed.summary}`, { remedy: failed.remedy });
}

const gpuNames = (): readonly string[] => (process.platform === 'darwin' ? ['metal'] : ['cuda', 'ggml-cuda', 'vulkan']);

/** Each step of a test of a GPU has a time limit of its own. */
const gpuPatience = 1_800_000;

/** The first problem of the variables that every command reads which speaks. */
async function wrongSetting(io: Io): Promise<unknown> {
  try {
    deviceOf(io);
    threadsOf(io);
    await modelOfFolder(io);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** In the order of the report. */
async function runChecks(io: Io): Promise<readonly Check[]> {
  const checks: (Check | readonly Check[] | Promise<Check | readonly Check[]>)[] = [
    checkNode(),
    checkSystem(),
    // One after the other: other work would spoil the times of the speech probe.
    ...chain(probes(), io),
    ...checkPackages(),
    checkVoices(io),
    checkCache(io),
    checkModels(io),
    checkEnvironment(io),
  ];
  return (await Promise.all(checks)).flat();
}

const probes = (): readonly Probe[] => [
  { name: 'addon', status: 'failed', parameters: ['addon'] },
  ...gpuNames().map((name): Probe => {
    return { name, status: 'failed', parameters: ['device', name], patience: gpuPatience };
  }),
  { name: 'speech', status: 'failed', parameters: ['speech'] },
  ...onnxDevices().map((device): Probe => {
    return { name: `onnx ${device}`, status: device === 'cpu' ? 'failed' : 'missing', parameters: ['onnx', device] };
  }),
  { name: 'audio', status: 'failed', parameters: ['audio'] },
  { name: 'playback', status: 'missing', parameters: ['playback'] },
];

function chain(steps: readonly Probe[], io: Io): readonly Promise<readonly Check[]>[] {
  let before: Promise<unknown> = Promise.resolve();
  return steps.map((probe) => {
    const result = before.then(() => runProbe(probe, io));
    before = result;
    return result;
  });
}

const onnxDevices = (): readonly string[] =>
  process.platform === 'darwin' ? ['cpu', 'coreml', 'webgpu'] : ['cpu', 'cuda', 'webgpu'];

async function checkVoices(io: Io): Promise<readonly Check[]> {
  try {
    const path = voiceStorePath({}, io);
    return await runProbe({ name: 'voices', status: 'failed', parameters: ['voices', path] }, io);
  } catch (error) {
    return [checkOfError('voices', 'failed', error)];
  }
}
