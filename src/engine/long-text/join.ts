/** Joins the audio of parts, with pauses of fixed length and without clicks. */
import { concatenate } from '../../float-arrays.ts';

/** Length of the fade on each side of a join. */
const fadeSeconds = 0.005;
/** Kept around sound, for soft beginnings and ends. */
const marginSeconds = 0.02;
/** Samples below this share of the peak so far count as silence: -34 dB. */
const quietShare = 0.02;
/** Longest silence held back at the end of a part and at the beginning of the next. */
const heldSeconds = 1;

const empty = new Float32Array(0);

/** Samples outside the silences at joins stay unchanged. Holds at most two seconds. */
export function createJoiner(sampleRate: number) {
  const fade = Math.round(fadeSeconds * sampleRate);
  const margin = Math.round(marginSeconds * sampleRate);
  const heldLimit = heldSeconds * sampleRate;
  let peak = 0;
  /** Peak of the part that was pushed last, and the level below which it is silent. */
  let part = { peak: 0, quiet: 0 };
  let isPartOver = false;
  /** The last samples, not returned yet. */
  let held: Float32Array = empty;
  /** Number of held samples in the margin of the sound before them. */
  let marginLeft = 0;
  /** Sound of a finished part, not returned yet. */
  let ready: Float32Array = empty;
  /** The silent beginning of a part after a join. */
  let lead: Float32Array = empty;
  /** A join that waits for sound, with its pause and threshold of sound, fixed at the end of the part. */
  let waiting: { readonly pause: number; readonly quiet: number } | undefined;
  let returned = 0;
  let partStart = 0;

  /** Returns all samples except the silence at the end, which is at least a fade: a view, as a pause may be a minute. */
  function release(samples: Float32Array): Float32Array {
    const last = samples.findLastIndex((value) => Math.abs(value) > peak * quietShare);
    const soundEnd = last === -1 ? marginLeft : last + 1 + margin;
    const start = Math.max(0, Math.min(soundEnd, samples.length - fade), samples.length - heldLimit);
    marginLeft = Math.max(0, soundEnd - start);
    held = samples.slice(start);
    return samples.subarray(0, start);
  }

  function take(samples: Float32Array): Float32Array {
    const taken = ready.length === 0 ? samples : concatenate([ready, samples]);
    ready = empty;
    returned += taken.length;
    return taken;
  }

  /** Joins the parts once the first sound of the later one and a fade are available, or the part has ended. */
  function tryJoin(more: 'comes' | 'ended'): Float32Array | undefined {
    if (waiting === undefined) return undefined;
    const { pause, quiet } = waiting;
    // Always decide on the same samples, so that the result does not depend on the size of chunks.
    const first = lead.subarray(0, heldLimit).findIndex((value) => Math.abs(value) > quiet);
    const isSilent = first === -1 && lead.length < heldLimit;
    if (isSilent || (more === 'comes' && lead.length < first + fade)) return undefined;
    const silence = first === -1 ? heldLimit : Math.max(0, first - margin);
    const joined = join(held, lead, { silence, pause, fade });
    // The end of the later part stays as it is.
    partStart = returned + ready.length + joined.length - lead.length;
    waiting = undefined;
    lead = empty;
    return joined;
  }

  return {
    /** Adds samples of the current part. Returns samples to play now; silence is held back until sound follows. */
    push(samples: Float32Array): Float32Array {
      if (isPartOver) part = { peak: 0, quiet: peak * quietShare };
      isPartOver = false;
      for (const value of samples) part.peak = Math.max(part.peak, Math.abs(value));
      peak = Math.max(peak, part.peak);
      if (waiting === undefined) return take(release(concatenate([held, samples])));
      lead = concatenate([lead, samples]);
      const joined = tryJoin('comes');
      return take(joined === undefined ? empty : release(joined));
    },
    /** Ends the current part, with this pause between its last sound and the first sound of the next part. */
    pause(seconds: number): void {
      const joined = tryJoin('ended');
      if (joined !== undefined) ready = concatenate([ready, release(joined)]);
      // A part without sound adds to the silence of the same join.
      held = concatenate([held, lead]);
      lead = empty;
      isPartOver = true;
      waiting = { pause: Math.max(waiting?.pause ?? 0, Math.round(seconds * sampleRate)), quiet: peak * quietShare };
    },
    end(): Float32Array {
      const rest = take(tryJoin('ended') ?? concatenate([held, lead]));
      held = lead = empty;
      return rest;
    },
    /**
     * Where the first sample of the last part is in the output, in samples: a sample of the part is as far from it in the
     * output as in the part, but for what joins cut or add. Undefined if the part has no sound: it is in the silence of a join.
     */
    partStart: (): number | undefined => (part.peak > part.quiet ? partStart : undefined),
  };
}

/**
 * `tail` is silent except for at most a fade. Trims excess silence on both sides or adds missing silence.
 *
 * @param silence number of silent samples at the beginning of the later part
 */
function join(
  tail: Float32Array,
  lead: Float32Array,
  { silence, pause, fade }: Readonly<Record<'silence' | 'pause' | 'fade', number>>,
): Float32Array {
  const excess = Math.max(0, tail.length + silence - pause);
  const fromLead = Math.min(silence, Math.max(Math.ceil(excess / 2), excess - Math.max(0, tail.length - fade)));
  const fromTail = Math.min(excess - fromLead, Math.max(0, tail.length - fade));
  const kept = tail.slice(0, tail.length - fromTail);
  const later = lead.slice(fromLead);
  for (let index = 0; index < Math.min(fade, kept.length); index += 1)
    scale(kept, kept.length - 1 - index, index, fade);
  for (let index = 0; index < Math.min(fade, later.length); index += 1) scale(later, index, index, fade);
  const gap = Math.max(0, pause - tail.length - silence);
  const joined = new Float32Array(kept.length + gap + later.length);
  joined.set(kept);
  joined.set(later, kept.length + gap);
  return joined;
}

/** Raised cosine: 0 at step 0, 1 at step `fade`. */
function scale(samples: Float32Array, index: number, step: number, fade: number): void {
  samples[index] = (samples[index] as number) * (0.5 - 0.5 * Math.cos((Math.PI * step) / fade));
}
