/** The card with the audio: waveform, transport, measurements, download. Holds the utterance that is there. */
import { clearError, showError } from './announce.js';
import { block, button, clock, element, input } from './dom.js';
import { createPeaks, encodePcm, encodeWav } from './pcm.js';
import { openTrack } from './player.js';
import { drawWaveform, spanOf } from './waveform.js';

/**
 * What the card needs of a request; the rest is the business of who asked.
 *
 * @typedef {object} Request
 * @property {number} seed
 *
 * @typedef {'none' | 'waiting' | 'generating' | 'complete' | 'cancelled' | 'failed'} Stage
 *
 * @typedef {object} Utterance
 * @property {Request} request
 * @property {number} sampleRate
 * @property {Float32Array[]} chunks
 * @property {ReturnType<typeof createPeaks>} peaks
 * @property {import('./player.js').Track} track
 */

const canvas = element('canvas', HTMLCanvasElement);
const seek = input('seek');
const play = button('play');
const download = button('download');
const format = element('format', HTMLSelectElement);

/** @type {Utterance | undefined} */
let utterance;
/** @type {Stage} */
let stage = 'none';
/** @type {import('./player.js').TrackReport} */
let report = { position: 0, state: 'paused' };
let drawing = false;

/** Forgets the last utterance and makes room for the next. */
export function reset() {
  utterance?.track.close();
  utterance = undefined;
  report = { position: 0, state: 'paused' };
  for (const name of ['first', 'rtf', 'took', 'rate', 'seed']) block(`stat-${name}`).textContent = '–';
  setStage('waiting');
}

/** @param {Request} request @param {number} sampleRate */
export async function begin(request, sampleRate) {
  const track = await openTrack(sampleRate, (next) => {
    if (utterance?.track !== track) return;
    report = next;
    draw();
  });
  utterance = { request, sampleRate, chunks: [], peaks: createPeaks(sampleRate), track };
  block('stat-rate').textContent = `${sampleRate / 1000} kHz`;
  block('stat-seed').textContent = String(request.seed);
  setStage('generating');
}

/** @param {Float32Array} samples @param {import('./synthesis.js').Progress} progress */
export function append(samples, { sampleRate, sampleCount, firstAudio, elapsed }) {
  if (!utterance) return;
  utterance.chunks.push(samples);
  utterance.peaks.append(samples);
  utterance.track.send({ kind: 'append', samples });
  block('stat-first').textContent =
    firstAudio < 1 ? `${Math.round(firstAudio * 1000)} ms` : `${firstAudio.toFixed(2)} s`;
  block('stat-rtf').textContent = (elapsed / (sampleCount / sampleRate)).toFixed(2);
  block('stat-took').textContent = `${elapsed.toFixed(1)} s`;
  draw();
}

/** Nothing more comes. @param {'complete' | 'cancelled' | 'failed'} outcome */
export function finish(outcome) {
  utterance?.track.send({ kind: 'complete' });
  if (outcome === 'cancelled') utterance?.track.send({ kind: 'pause' });
  for (const option of format.options) option.disabled = outcome !== 'complete' && !isLocal(option.value);
  if (format.selectedOptions[0]?.disabled) format.value = 'wav';
  setStage(outcome);
}

/** Seconds of audio that are there. */
export const duration = () => (utterance ? utterance.peaks.values.length / 100 : 0);

/** @param {Stage} next */
function setStage(next) {
  stage = next;
  draw();
}

const growing = () => stage === 'generating';

/** Once a frame at most. */
function draw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    const { position, state } = report;
    const peaks = utterance?.peaks.values ?? [];
    drawWaveform(canvas, { peaks, position, growing: growing() });
    const total = duration();
    block('wave').dataset.state = stage;
    seek.disabled = total === 0;
    seek.max = String(spanOf({ peaks, growing: growing() }));
    seek.value = String(position);
    seek.setAttribute('aria-valuetext', `${position.toFixed(1)} of ${total.toFixed(1)} seconds`);
    block('position').textContent = clock(position);
    block('duration').textContent = clock(total);
    const active = utterance !== undefined && (state === 'playing' || state === 'waiting');
    play.disabled = total === 0;
    play.classList.toggle('playing', active);
    play.setAttribute('aria-label', active ? 'Pause' : 'Play');
    download.disabled = total === 0 || growing();
    const label = describe(state);
    if (block('state').textContent !== label) block('state').textContent = label;
  });
}

/** @param {import('./player.js').TrackReport['state']} state */
function describe(state) {
  if (state === 'blocked' && utterance) return 'Press play to listen';
  if (stage === 'waiting') return 'Waiting for the first audio…';
  if (stage === 'generating') return state === 'waiting' ? 'Generating, buffering…' : 'Generating…';
  if (stage === 'none') return 'Nothing yet';
  if (state === 'playing') return 'Playing';
  const failure = utterance ? 'Incomplete' : 'Failed';
  return { complete: 'Complete', cancelled: 'Cancelled', failed: failure }[stage];
}

/**
 * Makes a file in another format of the same request.
 *
 * @typedef {(request: Request, format: string) => Promise<Blob>} Convert
 */

/** @type {Convert} */
let convert = (_request, name) => Promise.reject(new Error(`Nothing here makes ${name} files.`));

/** @param {Convert} make */
export function convertWith(make) {
  convert = make;
}

/** Formats that the page makes of what was heard; the others are asked for. @param {string} name */
const isLocal = (name) => name === 'wav' || name === 'pcm';

/** @param {Utterance} spoken @param {string} name @returns {Promise<Blob>} */
async function fileOf({ request, chunks, sampleRate }, name) {
  if (name === 'wav') return encodeWav(chunks, sampleRate);
  if (name === 'pcm') return new Blob([encodePcm(chunks)]);
  return convert(request, name);
}

async function save() {
  if (!utterance) return;
  const name = format.value;
  const { seed } = utterance.request;
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
download.addEventListener('click', save);
document.addEventListener('themechange', draw);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
new ResizeObserver(draw).observe(block('wave'));
