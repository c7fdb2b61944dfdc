import type { Audio } from '../audio/wav.ts';
import { SvcError } from '../errors.ts';
import type { Backend, ModelInfo } from './backend.ts';
import { attemptSeed, isBadCase, maxAttempts } from './bad-case.ts';
import { followSignal, type Lifetime, throwIfCancelled } from './cancellation.ts';
import { type Chunk, generate } from './generate.ts';
import { randomSeed, seededNoise } from './noise.ts';
import { createPreparation } from './prepare.ts';
import {
  assertSupported,
  type EncodedAudio,
  parseAudio,
  parseRequest,
  type ResolvedRequest,
  type SynthesisRequest,
} from './request.ts';
import { createScheduler, type SchedulerOptions } from './scheduler.ts';

export interface RunOptions {
  /** Ends the utterance within one step; the call rejects with CANCELLED. */
  readonly signal?: AbortSignal;
}

export interface SynthesizeOptions extends RunOptions {
  /** Called after each patch. A throw ends the utterance. */
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  /** 1-based; larger than 1 when an earlier attempt babbled. */
  readonly attempt: number;
  /** Patches of this attempt so far. */
  readonly patches: number;
  /** Patches after which the attempt ends at the latest. */
  readonly maxPatches: number;
}

export interface Speech {
  /** Mono PCM in [-1, 1]. */
  readonly samples: Float32Array;
  readonly sampleRate: number;
  readonly patches: number;
  /** Whether the model came to an end by itself; at the limit the speech may be cut off. */
  readonly end: 'stop' | 'limit';
  /** Seed of the attempt that is returned: the same request with this seed gives the same samples. */
  readonly seed: number;
  readonly attempts: number;
}

/** To be iterated once. */
export interface SpeechStream extends AsyncIterable<Chunk> {
  readonly sampleRate: number;
  readonly seed: number;
}

export interface Engine extends AsyncDisposable {
  readonly info: ModelInfo;
  /** A whole utterance. May be called while others run: they share each pass over the weights. */
  synthesize(request: SynthesisRequest, options?: SynthesizeOptions): Promise<Speech>;
  /**
   * The audio of one utterance as it is made. Nothing is computed before the first pull, and at most one step
   * ahead of the consumer. Never retries, since the audio may have been heard. Throws at once for a bad request.
   */
  stream(request: SynthesisRequest, options?: RunOptions): SpeechStream;
  /** Audio as the model's patches, to be used in many requests. A prompt and a reference are padded differently. */
  encode(audio: Audio, role: EncodedAudio['role'], options?: RunOptions): Promise<EncodedAudio>;
  /** Cancels what runs, then frees the model. Later calls reject with BACKEND_UNAVAILABLE. */
  close(): Promise<void>;
}

/** An engine over any runtime. The engine owns the backend and disposes of it. */
export function createEngineOver(backend: Backend, options: SchedulerOptions): Engine {
  const { info } = backend;
  const scheduler = createScheduler(backend, options);
  const { encode, prepare } = createPreparation(scheduler);
  const active = new Set<Lifetime>();
  let closing: Promise<void> | undefined;

  function begin(signal: AbortSignal | undefined): Lifetime {
    if (closing !== undefined) {
      throw new SvcError('BACKEND_UNAVAILABLE', 'expected an open engine for a call, received a closed one');
    }
    const lifetime = followSignal(signal);
    active.add(lifetime);
    return lifetime;
  }

  function end(lifetime: Lifetime): void {
    lifetime.detach();
    active.delete(lifetime);
  }

  async function during<Result>(
    outer: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const lifetime = begin(outer);
    try {
      throwIfCancelled(lifetime.signal);
      return await work(lifetime.signal);
    } finally {
      end(lifetime);
    }
  }

  async function synthesize(
    input: SynthesisRequest,
    { signal: outer, onProgress }: SynthesizeOptions = {},
  ): Promise<Speech> {
    const request = resolve(input);
    return during(outer, async (signal) => {
      const prepared = await prepare(request, signal);
      const counted = info.architecture === 'voxcpm' ? prepared.contextPatches : 0;
      for (let attempt = 1; ; attempt += 1) {
        const mayRetry = request.retryBadcase && attempt < maxAttempts;
        const seed = attemptSeed(request.seed, attempt - 1);
        const parts: Float32Array[] = [];
        let end: Speech['end'] = 'limit';
        let bad = false;
        for await (const chunk of generate(scheduler, { ...prepared, noise: seededNoise(seed) }, signal)) {
          const { index } = chunk;
          parts.push(chunk.samples);
          end = chunk.end ?? end;
          onProgress?.({ attempt, patches: index + 1, maxPatches: prepared.maxPatches });
          // What follows can't make it good again: the official code runs on to the end, with the same outcome.
          bad = mayRetry && isBadCase(counted + index + 1, prepared.targetTokens);
          if (bad) break;
        }
        if (bad) continue;
        const samples = concatenate(parts);
        return { samples, sampleRate: info.outputSampleRate, patches: parts.length, end, seed, attempts: attempt };
      }
    });
  }

  function stream(input: SynthesisRequest, { signal: outer }: RunOptions = {}): SpeechStream {
    const request = resolve(input);
    async function* run(): AsyncGenerator<Chunk, void, undefined> {
      const lifetime = begin(outer);
      try {
        throwIfCancelled(lifetime.signal);
        const utterance = { ...(await prepare(request, lifetime.signal)), noise: seededNoise(request.seed) };
        for await (const chunk of generate(scheduler, utterance, lifetime.signal)) {
          if (chunk.samples.length > 0) yield chunk;
        }
      } finally {
        end(lifetime);
      }
    }
    const chunks = run();
    return { sampleRate: info.outputSampleRate, seed: request.seed, [Symbol.asyncIterator]: () => chunks };
  }

  function resolve(input: SynthesisRequest): ResolvedRequest & { readonly seed: number } {
    const request = parseRequest(input);
    assertSupported(request, info);
    return { ...request, seed: request.seed ?? randomSeed() };
  }

  function close(): Promise<void> {
    closing ??= (async () => {
      for (const lifetime of active) lifetime.end(new SvcError('CANCELLED', 'cancelled because the engine was closed'));
      await scheduler[Symbol.asyncDispose]();
    })();
    return closing;
  }

  return {
    info,
    synthesize,
    stream,
    encode: async (audio, role, runOptions) =>
      during(runOptions?.signal, (signal) => encode(parseAudio(audio, role), role, signal)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function concatenate(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
