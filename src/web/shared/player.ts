/** Playback of audio while it is generated, through Web Audio. */
import { attempt, ignore } from '../../errors.ts';
import { PcmTrack, type TrackCommand, type TrackState } from './pcm-track.ts';

export interface TrackReport {
  /** Seconds. */
  readonly position: number;
  /** `blocked` until a user gesture, where the browser requires one. */
  readonly state: TrackState | 'blocked';
}

type OnReport = (report: TrackReport) => void;

type PlayerOutput = { readonly node: AudioNode; send(command: TrackCommand): void; close(): void };

export type Track = Awaited<ReturnType<typeof openTrack>>;

let context: AudioContext | undefined;
let worklet: Promise<void> | undefined;

/** The device at the sample rate of the audio where the browser can resample, else at its own. */
function openContext(sampleRate: number): AudioContext {
  if (context?.sampleRate === sampleRate) return context;
  void context?.close();
  worklet = undefined;
  context = attempt(() => new AudioContext({ sampleRate })) ?? new AudioContext();
  return context;
}

/** To be called from a user gesture: some browsers block sound otherwise. */
export function prepareOutput(sampleRate: number): void {
  // Never awaited: it waits for a gesture where the browser wants one.
  openContext(sampleRate).resume().catch(ignore);
}

/** @param onReport called about fifty times a second */
export async function openTrack(sampleRate: number, onReport: OnReport) {
  const resume = (): void => prepareOutput(sampleRate);
  resume();
  const audio = openContext(sampleRate);
  // Browsers have worklets only over HTTPS and on localhost.
  const open = audio.audioWorklet ? openWorklet : openScript;
  const output = await open(audio, sampleRate, onReport);
  output.node.connect(audio.destination);
  const blocked = setTimeout(() => {
    if (audio.state === 'suspended') onReport({ position: 0, state: 'blocked' });
  }, 300);
  return {
    send: output.send,
    /** To be called from a user gesture where the browser has blocked sound. */
    resume,
    close(): void {
      clearTimeout(blocked);
      output.close();
      output.node.disconnect();
    },
  };
}

async function openWorklet(audio: AudioContext, sampleRate: number, onReport: OnReport): Promise<PlayerOutput> {
  worklet ??= audio.audioWorklet.addModule(new URL('player-worklet.js', import.meta.url));
  await worklet;
  const node = new AudioWorkletNode(audio, 'track', {
    numberOfInputs: 0,
    outputChannelCount: [1],
    processorOptions: { sampleRate },
  });
  node.port.onmessage = ({ data }: MessageEvent<TrackReport>) => onReport(data);
  return {
    node,
    send: (command) => node.port.postMessage(command),
    close: () => node.port.postMessage({ kind: 'close' }),
  };
}

/** On the page's own thread, by an interface that browsers keep for old pages. */
function openScript(audio: AudioContext, sampleRate: number, onReport: OnReport): PlayerOutput {
  const track = new PcmTrack(sampleRate, audio.sampleRate);
  const node = audio.createScriptProcessor(2048, 0, 1);
  node.onaudioprocess = ({ outputBuffer }) => {
    track.read(outputBuffer.getChannelData(0));
    onReport({ position: track.position, state: track.state });
  };
  return {
    node,
    send: (command) => track.obey(command),
    close() {
      node.onaudioprocess = null;
    },
  };
}
