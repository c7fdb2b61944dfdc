/**
 * The autoregressive loop. It reproduces `_inference` of the official `voxcpm/model/voxcpm.py` and `voxcpm2.py`; the
 * caller prepares noise, text and audio input.
 */
import { once } from '../admission/concurrency.ts';
import { followSignal, throwIfCanceled } from '../cancellation.ts';
import { ignore, SvcError } from '../errors.ts';
import type { Backend, Session, SessionSettings, Step } from './backend.ts';
import type { NoiseSource } from './noise.ts';
import type { BuiltPrefix } from './prefix.ts';

export interface Utterance extends BuiltPrefix, SessionSettings {
  /** Tokens of the target text, without prompt text. */
  readonly targetTokens: number;
  /** The utterance ends after this many patches without a stop flag. */
  readonly maxPatches: number;
  /**
   * The stop flag counts after the step with this 0-based index, so the shortest utterance has `minLength + 2` patches.
   */
  readonly minLength: number;
  readonly noise: NoiseSource;
}

export interface Chunk {
  /** 0-based number of the generated patch. */
  readonly index: number;
  /** `patchSize × featureDim`. */
  readonly patch: Float32Array;
  /** PCM of this patch at `outputSampleRate`; empty when the official code cuts the patch off. */
  readonly samples: Float32Array;
  /** Only with the last patch: whether the model stopped or the limit was reached. */
  readonly end?: 'stop' | 'limit' | undefined;
  /** See `Step.attention`. */
  readonly attention?: Float32Array | undefined;
}

type Chunks = AsyncGenerator<Chunk, void, undefined>;

const silence = new Float32Array(0);

/**
 * Yields the patches of one utterance with their audio. Nothing is computed before the first pull. While the consumer
 * holds chunk i, at most step i + 1 is running.
 *
 * The next step is requested while a patch is being decoded, so `backend` must accept overlapping calls, as the
 * scheduler does.
 *
 * The session is closed when the generator ends, fails or is returned from (`break`), and when the signal fires while
 * the consumer holds a chunk, as it may never pull again.
 */
export async function* generate(backend: Backend, utterance: Utterance, signal?: AbortSignal): Chunks {
  const lifetime = followSignal(signal);
  try {
    throwIfCanceled(lifetime.signal);
    const session = await backend.open(utterance, lifetime.signal);
    const run: Run = { backend, session, inFlight: new Set() };
    const close = once(() => Promise.allSettled(run.inFlight).then(() => session.close()));
    lifetime.signal.addEventListener('abort', () => void close().catch(ignore), { once: true });
    let failed = false;
    try {
      yield* loop(run, utterance, lifetime.signal);
    } catch (error) {
      failed = true;
      throw error;
    } finally {
      // Before closing: withdraws a step still waiting in the scheduler's queue.
      lifetime.end();
      // Report the first failure; closing may fail for the same reason.
      await (failed ? close().catch(ignore) : close());
    }
  } finally {
    lifetime.detach();
  }
}

interface Run {
  readonly backend: Backend;
  readonly session: Session;
  /** Calls of this session that have not settled yet. */
  readonly inFlight: Set<Promise<unknown>>;
}

async function* loop(run: Run, utterance: Utterance, signal: AbortSignal): Chunks {
  const { contextPatches, discardPatches, maxPatches, minLength } = utterance;
  if (maxPatches < 1) return;
  throwIfCanceled(signal);
  if (contextPatches > 0) await decode(run, utterance.context);
  throwIfCanceled(signal);

  // V1 always cuts two patches, so a one-patch prompt also costs the first generated patch its audio.
  const silentPatches = discardPatches - contextPatches;
  let next: Promise<Step> | undefined = step(run, utterance.noise);
  for (let index = 0; next !== undefined; index += 1) {
    const { patch, stopLogits, attention }: Step = await next;
    throwIfCanceled(signal);
    // Requested before the next step, so that this patch is sent before the next one is computed.
    const decoded = decode(run, patch);
    const end: Chunk['end'] =
      isStop(stopLogits) && index > minLength ? 'stop' : index + 1 >= maxPatches ? 'limit' : undefined;
    next = end === undefined ? step(run, utterance.noise) : undefined;
    const samples = await decoded;
    throwIfCanceled(signal);
    yield { index, patch, samples: index < silentPatches ? silence : samples, end, attention };
    throwIfCanceled(signal);
  }
}

const isStop = (logits: Float32Array): boolean => (logits[1] ?? 0) > (logits[0] ?? 0);

function step(run: Run, noise: NoiseSource): Promise<Step> {
  const { patchSize, featureDim } = run.backend.info;
  return track(run, run.backend.step([{ session: run.session, noise: noise.next(patchSize * featureDim) }]).then(only));
}

function decode(run: Run, patches: Float32Array): Promise<Float32Array> {
  return track(run, run.backend.decode([{ session: run.session, patches }]).then(only));
}

function only<Value>(results: readonly Value[]): Value {
  const [result] = results;
  if (result !== undefined && results.length === 1) return result;
  throw new SvcError('INTERNAL', `a batch of one returned ${results.length} results`);
}

/** Tracks a call until it settles, and handles its rejection if the loop ends before awaiting it. */
function track<Value>(run: Run, call: Promise<Value>): Promise<Value> {
  run.inFlight.add(call);
  void call.catch(ignore).finally(() => run.inFlight.delete(call));
  return call;
}
