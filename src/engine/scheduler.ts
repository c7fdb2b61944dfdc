/**
 * Continuous batching: utterances share each pass over the weights. A scheduler is itself a `Backend`, so the loop of
 * one utterance is unaware of the others.
 */
import { once } from '../admission/concurrency.ts';
import { canceled, throwIfCanceled, untilAborted } from '../cancellation.ts';
import { SvcError } from '../errors.ts';
import { requestError } from '../validation.ts';
import type { Backend, DecodeInput, Session, Step, StepInput } from './backend.ts';
import { createCallQueue } from './call-queue.ts';
import { createRoom } from './session-room.ts';
import { openTurns } from './sliced-call.ts';

export interface SchedulerOptions {
  /** Maximum number of sessions in a batch. */
  readonly maxBatch: number;
  /** Called before each step with its number of sessions. */
  readonly onStep?: ((sessions: number) => void) | undefined;
}

interface Member {
  readonly inner: Session;
  readonly signal: AbortSignal | undefined;
}

/**
 * Calls of `backend` run one at a time, oldest first. A step or decode is batched with up to `maxBatch - 1` waiting
 * calls of its kind (equal group, timesteps, length). New calls wait for the running batch. Recordings are encoded and
 * prefixes computed in slices, each of which is queued like a separate call.
 *
 * The signal of `open` covers the session, that of `encode` the call: when it fires, waiting calls reject with
 * CANCELLED at once and a running batch finishes. A failure rejects only the members of its batch. A session for which the
 * device has no memory waits until another one is closed. Disposal rejects
 * waiting calls, closes every session, then disposes the backend; later calls reject with BACKEND_UNAVAILABLE.
 */
export function createScheduler(backend: Backend, { maxBatch, onStep }: SchedulerOptions): Backend {
  const queue = createCallQueue(() => Math.min(maxBatch, backend.mostStreams ?? maxBatch));
  const room = createRoom();
  const members = new Map<Session, Member>();
  const sliced = new Set<Promise<unknown>>();
  let disposing: Promise<void> | undefined;
  const calls = { queue, assertOpen, sliced };

  function assertOpen(): void {
    if (disposing !== undefined) throw closedError();
  }

  function memberOf(session: Session): Member {
    assertOpen();
    const member = members.get(session);
    if (member === undefined) throw new SvcError('INTERNAL', 'the session is closed');
    throwIfCanceled(member.signal);
    return member;
  }

  const open: Backend['open'] = async (settings, signal) => {
    const onAbort = (): void => queue.withdraw((owner) => owner === session, canceled(signal as AbortSignal));
    const close = once(async (): Promise<void> => {
      const member = members.get(session);
      members.delete(session);
      signal?.removeEventListener('abort', onAbort);
      queue.withdraw((owner) => owner === session, new SvcError('CANCELLED', 'canceled'));
      const run = async () => [await member?.inner.close()];
      try {
        await queue.submit({ owner: housekeeping, data: undefined, run }, 'first');
      } finally {
        if (member !== undefined) room.leave();
      }
    });
    const session: Session = { timesteps: settings.timesteps, close };
    signal?.addEventListener('abort', onAbort, { once: true });
    const turns = openTurns(calls, session, signal);
    try {
      await turns.take();
      const inner = await room.enter(
        () => backend.open(settings, signal, turns.pause),
        (turn) => turns.pauseUntil(signal === undefined ? turn : untilAborted(signal, turn)),
      );
      if (disposing === undefined && !signal?.aborted) {
        members.set(session, { inner, signal });
        return session;
      }
      await inner.close().finally(room.leave);
      throw signal?.aborted ? canceled(signal) : closedError();
    } catch (error) {
      signal?.removeEventListener('abort', onAbort);
      throw signal?.aborted ? canceled(signal) : error;
    } finally {
      turns.end();
    }
  };

  const step = async ({ session, noise }: StepInput): Promise<Step> => {
    const { inner } = memberOf(session);
    const result = await queue.submit<StepInput, Step>({
      lane: `step ${session.timesteps} ${inner.group ?? 0}`,
      beside: 'joins',
      owner: session,
      data: { session: inner, noise },
      run: (batch) => {
        onStep?.(batch.length);
        return backend.step(batch);
      },
    });
    if (result.failure !== undefined) throw requestError(result.failure, 'lora');
    return result;
  };

  const decode = async ({ session, patches }: DecodeInput): Promise<Float32Array> => {
    const { inner } = memberOf(session);
    return queue.submit<DecodeInput, Float32Array>({
      lane: `decode ${patches.length} ${inner.group ?? 0}`,
      beside: backend.decodesBeside ? 'begins' : undefined,
      owner: session,
      data: { session: inner, patches },
      run: (batch) => backend.decode(batch),
    });
  };

  async function dispose(): Promise<void> {
    room.close();
    queue.withdraw((owner) => owner !== housekeeping, closedError());
    await Promise.allSettled([...members.keys()].map((session) => session.close()));
    // Interrupted slices free their results.
    await Promise.allSettled(sliced);
    await queue.idle();
    await backend[Symbol.asyncDispose]();
  }

  return {
    info: backend.info,
    metadata: (key) => backend.metadata(key),
    encode: async (samples, signal) => {
      const owner = {};
      const onAbort = (): void => queue.withdraw((other) => other === owner, canceled(signal as AbortSignal));
      signal?.addEventListener('abort', onAbort, { once: true });
      const turns = openTurns(calls, owner, signal);
      try {
        await turns.take();
        return await backend.encode(samples, signal, turns.pause);
      } finally {
        turns.end();
        signal?.removeEventListener('abort', onAbort);
      }
    },
    open,
    step: (batch) => Promise.all(batch.map(step)),
    decode: (batch) => Promise.all(batch.map(decode)),
    [Symbol.asyncDispose]: () => {
      disposing ??= dispose();
      return disposing;
    },
  };
}

const housekeeping = {};

const closedError = (): SvcError => new SvcError('BACKEND_UNAVAILABLE', 'the engine is closed');
