/** The audio card: waveform, playback, measurements, download. Holds the last utterance. */
import { encodePcm, encodeWav } from '../../audio/encode/wav-encode.ts';
import { concatenate } from '../../float-arrays.ts';
import { clearError, showError } from './announce.ts';
import { block, button, clock, element, input } from './dom.ts';
import { createPeaks } from './pcm.ts';
import { openTrack, type Track, type TrackReport } from './player.ts';
import { drawWaveform, spanOf } from './waveform.ts';

/** Makes a file of an utterance in a format that the page cannot encode itself. */
export type Encode = (format: string) => Promise<Blob>;

/** The end of an utterance. */
export type Outcome = 'complete' | 'canceled' | 'failed';
type Stage = 'none' | 'waiting' | 'generating' | Outcome;

/** Measurements so far. */
export interface CardProgress {
  readonly sampleCount: number;
  /** Seconds from the request to the first samples. */
  readonly firstAudio: number;
  /** Seconds from the request to the latest samples. */
  readonly elapsed: number;
}

export type Recording = { readonly seed: number; readonly sampleRate: number; readonly samples: Float32Array };

interface CardAudio {
  readonly seed: number;
  readonly sampleRate: number;
  readonly chunks: Float32Array[];
  readonly peaks: ReturnType<typeof createPeaks>;
  readonly track: Track;
}

const canvas = element('canvas', HTMLCanvasElement);
const seek = input('seek');
const play = button('play');
const download = button('download');
const format = element('format', HTMLSelectElement);

const idle: TrackReport = { position: 0, state: 'paused' };
let utterance: CardAudio | undefined;
let stage: Stage = 'none';
let report = idle;
let drawing = false;
let follow = (_seconds: number): void => undefined;
let encode: Encode | undefined;

/** Forgets the last utterance and waits for the next. */
export function reset(): void {
  utterance?.track.close();
  utterance = undefined;
  report = idle;
  for (const name of ['first', 'rtf', 'took', 'rate', 'seed']) block(`stat-${name}`).textContent = '–';
  setStage('waiting');
}

export async function begin(seed: number, sampleRate: number, encoder: Encode | undefined): Promise<void> {
  const track = await openTrack(sampleRate, (next) => {
    if (utterance?.track !== track) return;
    report = next;
    draw();
  });
  utterance = { seed, sampleRate, chunks: [], peaks: createPeaks(sampleRate), track };
  encode = encoder;
  block('stat-rate').textContent = `${sampleRate / 1000} kHz`;
  block('stat-seed').textContent = String(seed);
  setStage('generating');
}

export function append(samples: Float32Array, { sampleCount, firstAudio, elapsed }: CardProgress): void {
  if (!utterance) return;
  utterance.chunks.push(samples);
  utterance.peaks.append(samples);
  utterance.track.send({ kind: 'append', samples });
  block('stat-first').textContent =
    firstAudio < 1 ? `${Math.round(firstAudio * 1000)} ms` : `${firstAudio.toFixed(2)} s`;
  block('stat-rtf').textContent = (elapsed / (sampleCount / utterance.sampleRate)).toFixed(2);
  block('stat-took').textContent = `${elapsed.toFixed(1)} s`;
  draw();
}

/** Shows an utterance of before, without playing it. */
export async function show({ seed, sampleRate, samples }: Recording, encoder: Encode | undefined): Promise<void> {
  reset();
  await begin(seed, sampleRate, encoder);
  utterance?.track.send({ kind: 'pause' });
  utterance?.chunks.push(samples);
  utterance?.peaks.append(samples);
  utterance?.track.send({ kind: 'append', samples });
  finish('complete');
  // Until it is drawn, nothing can have the focus.
  await new Promise(requestAnimationFrame);
}

/** The last utterance; undefined without one. */
export const recording = (): Recording | undefined =>
  utterance && { seed: utterance.seed, sampleRate: utterance.sampleRate, samples: concatenate(utterance.chunks) };

/** @param listener called with the position of playback, once a frame at most */
export function onPosition(listener: (seconds: number) => void): void {
  follow = listener;
}

export function playFrom(seconds: number): void {
  utterance?.track.resume();
  utterance?.track.send({ kind: 'seek', seconds });
  utterance?.track.send({ kind: 'play' });
}

/** No more samples come. */
export function finish(outcome: Outcome): void {
  utterance?.track.send({ kind: 'complete' });
  if (outcome === 'canceled') utterance?.track.send({ kind: 'pause' });
  for (const option of format.options) option.disabled = outcome !== 'complete' && !isLocal(option.value);
  if (format.selectedOptions[0]?.disabled) format.value = 'wav';
  setStage(outcome);
}

/** Seconds of audio received. */
export const duration = (): number => (utterance ? utterance.peaks.values.length / 100 : 0);

function setStage(next: Stage): void {
  stage = next;
  draw();
}

/** Once a frame at most. */
function draw(): void {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    const { position, state } = report;
    const peaks = utterance?.peaks.values ?? [];
    const growing = stage === 'generating';
    drawWaveform(canvas, { peaks, position, growing });
    const total = duration();
    block('wave').dataset.state = stage;
    seek.disabled = total === 0;
    seek.max = String(spanOf({ peaks, growing }));
    seek.value = String(position);
    seek.setAttribute('aria-valuetext', `${position.toFixed(1)} of ${total.toFixed(1)} seconds`);
    block('position').textContent = clock(position);
    block('duration').textContent = clock(total);
    const active = utterance !== undefined && (state === 'playing' || state === 'waiting');
    play.disabled = total === 0;
    play.classList.toggle('playing', active);
    play.setAttribute('aria-label', active ? 'Pause' : 'Play');
    download.disabled = total === 0 || growing;
    follow(position);
    const label = describe(state);
    if (block('state').textContent !== label) block('state').textContent = label;
  });
}

function describe(state: TrackReport['state']): string {
  if (state === 'blocked' && utterance) return 'Press play to listen';
  if (stage === 'none') return 'No audio yet';
  if (stage === 'waiting') return 'Waiting for audio…';
  if (stage === 'generating') return state === 'waiting' ? 'Generating, buffering…' : 'Generating…';
  if (state === 'playing') return 'Playing';
  return { complete: 'Complete', canceled: 'Canceled', failed: utterance ? 'Incomplete' : 'Failed' }[stage];
}

/** Formats that the page encodes itself. */
const isLocal = (name: string): boolean => name === 'wav' || name === 'pcm';

/** Adds formats that need an encoder: their names by their file extensions. */
export function offerFormats(names: Readonly<Record<string, string>>): void {
  for (const [extension, name] of Object.entries(names)) format.append(new Option(name, extension));
}

async function fileOf(audio: CardAudio, name: string): Promise<Blob> {
  if (!isLocal(name) && encode) return encode(name);
  const samples = concatenate(audio.chunks);
  const bytes = name === 'pcm' ? encodePcm(samples) : encodeWav(samples, audio.sampleRate);
  return new Blob([bytes as BlobPart], { type: name === 'pcm' ? 'audio/pcm' : 'audio/wav' });
}

async function save(): Promise<void> {
  if (!utterance) return;
  const name = format.value;
  const { seed } = utterance;
  clearError();
  download.setAttribute('aria-busy', 'true');
  try {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await fileOf(utterance, name));
    link.download = `speech-${seed}.${name}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  } catch (thrown) {
    showError(thrown);
  } finally {
    download.removeAttribute('aria-busy');
  }
}

play.addEventListener('click', () => {
  utterance?.track.resume();
  utterance?.track.send({ kind: play.classList.contains('playing') ? 'pause' : 'play' });
});
seek.addEventListener('input', () => {
  utterance?.track.send({ kind: 'seek', seconds: Math.min(Number(seek.value), duration()) });
});
download.addEventListener('click', () => void save());
document.addEventListener('themechange', draw);
new ResizeObserver(draw).observe(block('wave'));
