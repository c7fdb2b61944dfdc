/** The audio of parts as one: pauses of one length, whatever silence the model made, and no clicks. */
import { concatenate } from '../../concatenate.ts';

/** Each side of a join is faded over this time. */
const fadeSeconds = 0.005;
/** Kept around sound: it begins and ends softly. */
const marginSeconds = 0.02;
/** Share of the loudest sample so far below which it is silent: -34 dB. */
const quietShare = 0.02;
/** Longest silence that is held back, at the end of one part and at the beginning of the next one. */
const heldSeconds = 1;

export interface Joiner {
  /** More samples of the part that runs. Gives those that can be heard now; silence is held back until sound follows. */
  push(samples: Float32Array): Float32Array;
  /** The part has ended; its last sound and the first one of the next part are to be so many seconds apart. */
  pause(seconds: number): void;
  /** What is still held back, as it is. */
  end(): Float32Array;
}

const empty = new Float32Array(0);

/** Samples before the first join's silence and after the last one's are not touched. Holds two seconds at most. */
export function createJoiner(sampleRate: number): Joiner {
  const fade = Math.round(fadeSeconds * sampleRate);
  const margin = Math.round(marginSeconds * sampleRate);
  const heldLimit = heldSeconds * sampleRate;
  let peak = 0;
  /** The end of what was given, not handed out. */
  let held: Float32Array = empty;
  /** How much of it is the margin of the sound before it. */
  let marginLeft = 0;
  /** Sound of a part that ended before it could be handed out. */
  let ready: Float32Array = empty;
  /** The beginning of a part after a join, while it is silent. */
  let lead: Float32Array = empty;
  /** The join that waits for sound: how long to pause, and what counts as sound. Fixed at the end of a part. */
  let waiting: { readonly pause: number; readonly quiet: number } | undefined;

  /** Hands out all but the silence at the end, and at least a fade. */
  function release(samples: Float32Array): Float32Array {
    const last = samples.findLastIndex((value) => Math.abs(value) > peak * quietShare);
    const soundEnd = last === -1 ? marginLeft : last + 1 + margin;
    const start = Math.max(0, Math.min(soundEnd, samples.length - fade), samples.length - heldLimit);
    marginLeft = Math.max(0, soundEnd - start);
    held = samples.slice(start);
    return samples.slice(0, start);
  }

  /** With what was ready before. */
  function take(samples: Float32Array): Float32Array {
    const taken = concatenate([ready, samples]);
    ready = empty;
    return taken;
  }

  /** Joins the parts once the later one's first sound, and a fade of it, are there, or `more` will not come. */
  function tryJoin(more: 'comes' | 'ended'): Float32Array | undefined {
    if (waiting === undefined) return undefined;
    const { pause, quiet } = waiting;
    // However the samples come in, the same ones decide: the result is the same for all sizes of chunks.
    const first = lead.subarray(0, heldLimit).findIndex((value) => Math.abs(value) > quiet);
    const isSilent = first === -1 && lead.length < heldLimit;
    if (isSilent || (more === 'comes' && lead.length < first + fade)) return undefined;
    const joined = join(held, lead, { silence: first === -1 ? heldLimit : Math.max(0, first - margin), pause, fade });
    waiting = undefined;
    lead = empty;
    return joined;
  }

  return {
    push(samples) {
      for (const value of samples) peak = Math.max(peak, Math.abs(value));
      if (waiting === undefined) return take(release(concatenate([held, samples])));
      lead = concatenate([lead, samples]);
      const joined = tryJoin('comes');
      return take(joined === undefined ? empty : release(joined));
    },
    pause(seconds) {
      const joined = tryJoin('ended');
      if (joined !== undefined) ready = concatenate([ready, release(joined)]);
      // A part without any sound: what it held is silence of the same join.
      held = concatenate([held, lead]);
      lead = empty;
      waiting = { pause: Math.max(waiting?.pause ?? 0, Math.round(seconds * sampleRate)), quiet: peak * quietShare };
    },
    end() {
      const rest = take(tryJoin('ended') ?? concatenate([held, lead]));
      held = lead = empty;
      return rest;
    },
  };
}

interface Seam {
  /** Silent samples at the beginning of the later part. */
  readonly silence: number;
  readonly pause: number;
  readonly fade: number;
}

/** `tail` is silent but for a fade at most. Too much silence is cut from both sides, too little is filled up. */
function join(tail: Float32Array, lead: Float32Array, { silence, pause, fade }: Seam): Float32Array {
  const excess = Math.max(0, tail.length + silence - pause);
  const fromLead = Math.min(silence, Math.max(Math.ceil(excess / 2), excess - Math.max(0, tail.length - fade)));
  const fromTail = Math.min(excess - fromLead, Math.max(0, tail.length - fade));
  const kept = tail.slice(0, tail.length - fromTail);
  const later = lead.slice(fromLead);
  for (let index = 0; index < Math.min(fade, kept.length); index += 1)
    scale(kept, kept.length - 1 - index, index, fade);
  for (let index = 0; index < Math.min(fade, later.length); index += 1) scale(later, index, index, fade);
  return concatenate([kept, new Float32Array(Math.max(0, pause - tail.length - silence)), later]);
}

/** Raised cosine: 0 at step 0, 1 at step `fade`. */
function scale(samples: Float32Array, index: number, step: number, fade: number): void {
  samples[index] = (samples[index] as number) * (0.5 - 0.5 * Math.cos((Math.PI * step) / fade));
}
