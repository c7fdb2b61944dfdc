/** A real audio system without a sound card: PulseAudio with a recorded null sink. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { eventually } from '../support/eventually.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';

/** Of the recording, in Hz. */
export const rate = 16_000;

export interface AudioSystem {
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** 16-bit samples since the start. */
  readonly received: () => Int16Array;
}

/** Whether a 16-bit sample is louder than the noise of a resampler. */
export const audible = (sample: number): boolean => Math.abs(sample) > 8;

/**
 * A PulseAudio server and a recording of its sink.
 *
 * @param children gets the processes, for the test to end
 */
export async function startAudioSystem(
  folder: Pick<TemporaryFolder, 'join'>,
  children: ChildProcess[],
): Promise<AudioSystem> {
  const socket = folder.join('pulse');
  for (const name of ['home', 'run']) mkdirSync(folder.join(name), { mode: 0o700 });
  const homes = { HOME: folder.join('home'), XDG_RUNTIME_DIR: folder.join('run') };
  const env = { ...process.env, ...homes, PULSE_SERVER: `unix:${socket}` };
  const modules = [
    `module-native-protocol-unix auth-anonymous=1 socket=${socket}`,
    `module-null-sink sink_name=loudspeaker rate=${rate} channels=1`,
  ];
  const settings = ['-n', '--daemonize=no', '--exit-idle-time=-1', '--disable-shm=yes', '--use-pid-file=no'];
  children.push(spawn('pulseaudio', [...settings, ...modules.map((module) => `--load=${module}`)], { env }));
  await eventually(() => existsSync(socket), 'the socket of PulseAudio');
  const format = ['--device=loudspeaker.monitor', `--rate=${rate}`, '--channels=1', '--format=s16le', '--raw'];
  const recorder = spawn('parec', format, { env });
  children.unshift(recorder);
  const parts: Buffer[] = [];
  recorder.stdout.on('data', (part: Buffer) => parts.push(part));
  await eventually(() => parts.length > 0, 'a recording');
  return {
    environment: env,
    received() {
      const bytes = Buffer.concat(parts);
      return new Int16Array(Uint8Array.from(bytes).buffer, 0, Math.floor(bytes.length / 2));
    },
  };
}
