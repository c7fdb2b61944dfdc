/** Recording from the microphone into a mono wave file, which every server reads. */
import { encodeWav } from './pcm.js';

/** Hz; at least that of every model, which resamples anyway. */
const sampleRate = 48_000;

/** As the room sounds: what telephony does to a voice would be cloned with it. */
const microphone = { channelCount: 1, echoCancellation: false, noiseSuppression: false, autoGainControl: false };

/**
 * @typedef {object} Recording
 * @property {() => Promise<File>} stop
 * @property {() => number} level loudest sample of the last moment, 0 to 1
 */

/** @returns {Promise<Recording>} */
export async function startRecording() {
  // Missing where the page came by plain http from another machine.
  if (!navigator.mediaDevices)
    throw new Error('Browsers record only on https and on localhost. Upload a file instead.');
  const stream = await openMicrophone();
  const recorder = new MediaRecorder(stream);
  /** @type {Blob[]} */
  const pieces = [];
  recorder.ondataavailable = ({ data }) => pieces.push(data);
  const stopped = new Promise((resolve) => recorder.addEventListener('stop', resolve, { once: true }));
  const meter = createMeter(stream);
  recorder.start();
  const stop = async () => {
    recorder.stop();
    await stopped;
    meter.close();
    for (const track of stream.getTracks()) track.stop();
    return convert(new Blob(pieces));
  };
  return { stop, level: meter.level };
}

async function openMicrophone() {
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: microphone });
  } catch (cause) {
    const name = cause instanceof DOMException ? cause.name : '';
    const reason = name === 'NotAllowedError' ? 'The browser was not allowed to record.' : 'No microphone was found.';
    throw new Error(`${reason} Upload a file instead.`, { cause });
  }
}

/** @param {MediaStream} stream */
function createMeter(stream) {
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

/** @param {Blob} blob in whatever format this browser records */
async function convert(blob) {
  const decoder = new OfflineAudioContext(1, 1, sampleRate);
  const audio = await decoder.decodeAudioData(await blob.arrayBuffer());
  const mono = new Float32Array(audio.length);
  for (let channel = 0; channel < audio.numberOfChannels; channel++) {
    const samples = audio.getChannelData(channel);
    for (let at = 0; at < mono.length; at++) mono[at] = (mono[at] ?? 0) + (samples[at] ?? 0) / audio.numberOfChannels;
  }
  return new File([encodeWav([mono], audio.sampleRate)], 'recording.wav', { type: 'audio/wav' });
}
