/** Speaks captions at their times. */
import type { AudioSink } from '../audio/encode/sink.ts';
import { createSpeed } from '../audio/resample/speed.ts';
import { endOfCues } from '../captions/end-of-cues.ts';
import type { SpokenCue } from '../captions/read-captions.ts';
import type { TimedSentence } from '../engine/timing/timed-text.ts';
import { createPace } from '../event-loop.ts';
import { concatenate } from '../float-arrays.ts';
import { cutSpeech } from './cut-speech.ts';
import { type DubUnit, unitsOf } from './speech-units.ts';

/** One attempt at a unit; undefined for a text without words. */
export type SpokenUnit = { readonly samples: Float32Array; readonly sentences: readonly TimedSentence[] } | undefined;

export interface DubMeans {
  readonly sampleRate: number;
  /** Speaks a text in a voice; each attempt, from 0, sounds different. */
  readonly speak: (text: string, voice: string | undefined, attempt: number) => Promise<SpokenUnit>;
  readonly sink: Pick<AudioSink, 'write'>;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of captions that are spoken, and of all. */
  readonly onProgress?: ((captions: number, total: number) => void) | undefined;
  /** How much faster than spoken a caption may be (default: 1.3). */
  readonly maxSpeed?: number | undefined;
  /** Attempts at speech that is too long, including the first (default: 3). */
  readonly tries?: number | undefined;
}

export const dubRanges = {
  maxSpeed: { kind: 'number', minimum: 1, maximum: 2, default: 1.3 },
  tries: { kind: 'integer', minimum: 1, maximum: 20, default: 3 },
} as const;

/** How a caption came to its time: as spoken, faster, also in the gap behind it, or too long for both. */
export type DubFit = 'natural' | 'faster' | 'gap' | 'late' | 'silent';

export interface DubbedCue extends SpokenCue {
  /** When its speech begins and ends, in seconds. */
  readonly spokenStart: number;
  readonly spokenEnd: number;
  /** 1 for speech as it was generated. */
  readonly speed: number;
  readonly fit: DubFit;
}

export const spokenCues = (cues: readonly DubbedCue[]): readonly SpokenCue[] =>
  cues.map(({ spokenStart: start, spokenEnd: end, text, voice }) => ({ start, end, text, voice }));

export interface Dubbed {
  readonly cues: readonly DubbedCue[];
  /** Length of the whole file. */
  readonly seconds: number;
  /** Attempts that were discarded. */
  readonly retries: number;
  /** One line for each caption that does not fit. */
  readonly warnings: readonly string[];
}

/** Silence between two captions, in seconds. */
const gapSeconds = 0.03;

/**
 * Writes speech in which each caption begins at its time. Speech that is too long for its caption is generated again, then
 * made faster, then takes the silence before the next caption; what is still too long delays that one.
 *
 * @param cues in order of time, with the names of voices
 * @throws SvcError as `speak` and the sink
 */
export async function dubCues(cues: readonly SpokenCue[], means: DubMeans): Promise<Dubbed> {
  const { sampleRate, sink, signal, onProgress } = means;
  const { maxSpeed = dubRanges.maxSpeed.default } = means;
  const units = unitsOf(cues);
  const dubbed: DubbedCue[] = [];
  const warnings: string[] = [];
  let retries = 0;
  let written = 0;
  const write = async (samples: Float32Array): Promise<void> => {
    written += samples.length;
    await sink.write(samples);
  };
  const pace = createPace();
  const silence = async (until: number): Promise<void> => {
    // Hours of silence are written in pieces, between which others go first.
    for (let left = until - written; left > 0; left = until - written) {
      await pace();
      signal?.throwIfAborted();
      await write(new Float32Array(Math.min(left, sampleRate)));
    }
  };
  for (const [index, unit] of units.entries()) {
    signal?.throwIfAborted();
    const next = units[index + 1]?.cues[0]?.start;
    const slots = slotsOf(unit, next);
    const { pieces, attempts } = await speakUnit(unit, slots, means);
    retries += attempts - 1;
    for (const [place, cue] of unit.cues.entries()) {
      const piece = pieces[place] ?? new Float32Array(0);
      const { own, most } = slots[place] as Slot;
      const at = Math.max(Math.round(cue.start * sampleRate), written);
      const lost = at / sampleRate - cue.start;
      const length = piece.length / sampleRate;
      const { speed, fit } = fitOf(length, { own: own - lost, most: most - lost }, maxSpeed);
      await silence(at);
      const fitted = await faster(piece, sampleRate, speed);
      await write(fitted);
      const spokenStart = at / sampleRate;
      const spokenEnd = (at + fitted.length) / sampleRate;
      dubbed.push({ ...cue, spokenStart, spokenEnd, speed, fit: piece.length === 0 ? 'silent' : fit });
      const shown = JSON.stringify(cue.text.length > 40 ? `${cue.text.slice(0, 39)}…` : cue.text);
      if (piece.length === 0) warnings.push(`the caption ${dubbed.length}, ${shown}, has no words and stays silent`);
      else if (fit === 'late') {
        const excess = `${(spokenEnd - (cue.start + most)).toFixed(2)} s too long at ${maxSpeed} times the speed`;
        warnings.push(`the caption ${dubbed.length}, ${shown}, is ${excess}; shorten its text`);
      }
      onProgress?.(dubbed.length, cues.length);
    }
  }
  await silence(Math.round(endOfCues(cues) * sampleRate));
  return { cues: dubbed, seconds: written / sampleRate, retries, warnings };
}

/** Seconds of a caption, and with the gap behind it. */
interface Slot {
  readonly own: number;
  readonly most: number;
}

const slotsOf = ({ cues }: DubUnit, next: number | undefined): readonly Slot[] =>
  cues.map(({ start, end }, index) => {
    const following = cues[index + 1]?.start ?? next ?? Number.POSITIVE_INFINITY;
    const most = following - start - gapSeconds;
    return { own: Math.min(end - start, most), most };
  });

function fitOf(length: number, { own, most }: Slot, maxSpeed: number): Pick<DubbedCue, 'speed' | 'fit'> {
  if (length <= own) return { speed: 1, fit: 'natural' };
  const needed = own > 0 ? length / own : Number.POSITIVE_INFINITY;
  if (needed <= maxSpeed) return { speed: needed, fit: 'faster' };
  return { speed: maxSpeed, fit: length / maxSpeed <= most ? 'gap' : 'late' };
}

/** The speech of each caption of a unit: of the first attempt that fits, else of the shortest. */
async function speakUnit(unit: DubUnit, slots: readonly Slot[], means: DubMeans) {
  const { sampleRate, speak, tries = dubRanges.tries.default } = means;
  const texts = unit.cues.map(({ text }) => text);
  let best: { readonly pieces: readonly Float32Array[]; readonly excess: number } | undefined;
  let attempts = 0;
  while (attempts < tries && (best === undefined || best.excess > 1)) {
    const spoken = await speak(texts.join(' '), unit.voice, attempts);
    attempts += 1;
    if (spoken === undefined) return { pieces: [], attempts: 1 };
    const pieces =
      cutSpeech(spoken.samples, sampleRate, texts, spoken.sentences) ?? (await speakApart(texts, unit, means));
    const excess = pieces.reduce(
      (most, piece, index) => Math.max(most, piece.length / sampleRate / (slots[index] as Slot).own),
      Number.NEGATIVE_INFINITY,
    );
    if (best === undefined || excess < best.excess) best = { pieces, excess };
  }
  return { pieces: best?.pieces ?? [], attempts };
}

/** Captions whose words can't be distinguished in one speech. */
async function speakApart(texts: readonly string[], { voice }: DubUnit, { sampleRate, speak }: DubMeans) {
  const pieces: Float32Array[] = [];
  for (const text of texts) {
    const spoken = await speak(text, voice, 0);
    const piece = spoken && cutSpeech(spoken.samples, sampleRate, [text], spoken.sentences);
    pieces.push(piece?.[0] ?? new Float32Array(0));
  }
  return pieces;
}

async function faster(samples: Float32Array, sampleRate: number, factor: number): Promise<Float32Array> {
  if (factor === 1 || samples.length === 0) return samples;
  const speed = await createSpeed(sampleRate, factor);
  try {
    return concatenate([speed.push(samples), speed.flush()]);
  } finally {
    speed.close();
  }
}
