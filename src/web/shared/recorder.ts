/** Records from the microphone into a mono WAV file, which every server reads. */
import { encodeWav } from '../../audio/encode/wav-encode.ts';
import { decodeToMono } from './decode-audio.ts';

/** No processing for calls: cloning would reproduce its effect on the voice. */
const microphone = { channelCount: 1, echoCancellation: false, noiseSuppression: false, autoGainControl: false };

export type MicrophoneRecording = Awaited<ReturnType<typeof startRecording>>;

export async function startRecording() {
  // Missing on pages loaded over plain HTTP from another machine.
  if (!navigator.mediaDevices) throw new Error('Recording needs HTTPS or localhost. Upload a file instead.');
  const stream = await openMicrophone();
  const recorder = new MediaRecorder(stream);
  const pieces: Blob[] = [];
  recorder.ondataavailable = ({ data }) => pieces.push(data);
  const stopped = new Promise((resolve) => recorder.addEventListener('stop', resolve, { once: true }));
  const meter = createMeter(stream);
  recorder.start();
  return {
    /** Loudest sample of the last moment, 0 to 1. */
    level: meter.level,
    async stop(): Promise<File> {
      recorder.stop();
      await stopped;
      meter.close();
      for (const track of stream.getTracks()) track.stop();
      const { samples, sampleRate } = await decodeToMono(await new Blob(pieces).arrayBuffer());
      return new File([encodeWav(samples, sampleRate) as BlobPart], 'recording.wav', { type: 'audio/wav' });
    },
  };
}

async function openMicrophone(): Promise<MediaStream> {
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: microphone });
  } catch (cause) {
    const isRefused = cause instanceof DOMException && cause.name === 'NotAllowedError';
    const problem = isRefused
      ? 'Microphone access was denied. Allow it in the browser’s settings, or upload a file instead.'
      : 'No microphone found. Connect one, or upload a file instead.';
    throw new Error(problem, { cause });
  }
}

function createMeter(stream: MediaStream): { readonly level: () => number; readonly close: () => void } {
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  context.createMediaStreamSource(stream).connect(analyser);
  const moment = new Float32Array(analyser.fftSize);
  return {
    level() {
      analyser.getFloatTimeDomainData(moment);
      return moment.reduce((loudest, sample) => Math.max(loudest, Math.abs(sample)), 0);
    },
    close: () => void context.close(),
  };
}
