/** The process of one probe: sends the results to its parent and exits at once, whatever libraries have left running. */
import process from 'node:process';
import type { Check } from './check.ts';

const [kind = '', ...parameters] = process.argv.slice(2);

const probes: Readonly<Record<string, () => Promise<readonly Check[]>>> = {
  addon: async () => (await import('./probes/addon.ts')).probeAddon(),
  audio: async () => (await import('./probes/audio.ts')).probeAudio(),
  device: async () => (await import('./probes/device.ts')).probeDevice(parameters[0] ?? ''),
  onnx: async () => (await import('./probes/onnx.ts')).probeOnnx(parameters[0] ?? ''),
  playback: async () => (await import('./probes/playback.ts')).probePlayback(),
  speech: async () => (await import('./probes/speech.ts')).probeSpeech(),
  voices: async () => (await import('./probes/voices.ts')).probeVoices(parameters[0] ?? ''),
};

const checks = (await probes[kind]?.()) ?? [];
process.send?.(checks, () => process.exit());
