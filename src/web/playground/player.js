/** Playback of audio that is still being made, through Web Audio. */
import { PcmTrack } from './pcm-track.js';

/**
 * @typedef {{ kind: 'append', samples: Float32Array } | { kind: 'seek', seconds: number }
 *   | { kind: 'complete' | 'play' | 'pause' | 'close' }} TrackCommand
 * @typedef {{ readonly position: number, readonly state: import('./pcm-track.js').TrackState | 'blocked' }} TrackReport
 *
 * @typedef {object} Track
 * @property {(command: TrackCommand) => void} send
 * @property {() => void} resume when the browser let no sound out without a gesture
 * @property {() => void} close
 */

/** @type {AudioContext | undefined} */
let context;
/** @type {Promise<void> | undefined} */
let worklet;

/** The device at the rate of the audio, where the browser resamples well; else as it is. @param {number} sampleRate */
function openContext(sampleRate) {
  if (context?.sampleRate === sampleRate) return context;
  void context?.close();
  worklet = undefined;
  try {
    context = new AudioContext({ sampleRate });
  } catch {
    context = new AudioContext();
  }
  return context;
}

/** To be called from what the user did: some browsers let no sound out otherwise. @param {number} sampleRate */
export function prepareOutput(sampleRate) {
  // Never awaited: it waits for a gesture where the browser wants one.
  void openContext(sampleRate)
    .resume()
    .catch(() => {});
}

/**
 * @param {number} sampleRate
 * @param {(report: TrackReport) => void} onReport about fifty times a second
 * @returns {Promise<Track>}
 */
export async function openTrack(sampleRate, onReport) {
  const resume = () => prepareOutput(sampleRate);
  resume();
  const audio = openContext(sampleRate);
  const { node, send } = audio.audioWorklet
    ? await workletTrack(audio, sampleRate, onReport)
    : scriptTrack(audio, sampleRate, onReport);
  node.connect(audio.destination);
  const blocked = setTimeout(() => {
    if (audio.state === 'suspended') onReport({ position: 0, state: 'blocked' });
  }, 300);
  const close = () => {
    clearTimeout(blocked);
    send({ kind: 'close' });
    node.disconnect();
  };
  return { send, resume, close };
}

/** @param {AudioContext} audio @param {number} sampleRate @param {(report: TrackReport) => void} onReport */
async function workletTrack(audio, sampleRate, onReport) {
  worklet ??= audio.audioWorklet.addModule(new URL('player-worklet.js', import.meta.url));
  await worklet;
  const node = new AudioWorkletNode(audio, 'track', {
    numberOfInputs: 0,
    outputChannelCount: [1],
    processorOptions: { sampleRate },
  });
  node.port.onmessage = ({ data }) => onReport(data);
  /** @param {TrackCommand} command */
  const send = (command) => node.port.postMessage(command);
  return { node, send };
}

/**
 * Browsers have worklets only for https and localhost. Pages of another machine by plain http play with what there was
 * before, on the page's own thread.
 *
 * @param {AudioContext} audio @param {number} sampleRate @param {(report: TrackReport) => void} onReport
 */
function scriptTrack(audio, sampleRate, onReport) {
  const track = new PcmTrack(sampleRate, audio.sampleRate);
  const node = audio.createScriptProcessor(2048, 0, 1);
  node.onaudioprocess = ({ outputBuffer }) => {
    track.read(outputBuffer.getChannelData(0));
    onReport({ position: track.position, state: track.state });
  };
  /** @param {TrackCommand} command */
  const send = (command) => {
    if (command.kind === 'append') track.append(command.samples);
    else if (command.kind === 'seek') track.seek(command.seconds);
    else if (command.kind === 'close') node.onaudioprocess = null;
    else track[command.kind]();
  };
  return { node, send };
}
