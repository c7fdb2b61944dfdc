import type { Audio } from '../audio/wav.ts';
import { concatenate } from '../concatenate.ts';
import { SvcError } from '../errors.ts';
import { followSignal, type Lifetime } from '../follow-signal.ts';
import type { Backend, ModelInfo } from './backend.ts';
import { throwIfCancelled } from './cancellation.ts';
import { withFixedVoice } from './fixed-voice.ts';
import { assertSpeakable, isWordless } from './long-text/plan.ts';
import { createTextSynthesizer, type SpeechChunk, type SpokenPart } from './long-text/speak.ts';
import type { Progress, SeededRequest } from './long-text/speak-part.ts';
import { randomSeed } from './noise.ts';
import { createPreparation } from './prepare.ts';
import { assertSupported, type EncodedAudio, parseAudio, parseRequest, type SynthesisRequest } from './request.ts';
import { createScheduler, type SchedulerOptions } from './scheduler.ts';
import type { SpeechRequest } from './speech-request.ts';
import { changeSpeedOfChunks, changeSpeedOfParts, type Pace, takeSpeed } from './speed.ts';

export type { Progress, SpeechChunk, SpokenPart };

export interface RunOptions {
  /** Ends the utterance within one step; the call rejects with CANCELLED. */
  readonly signal?: AbortSignal | undefined;
}

export interface SynthesizeOptions extends RunOptions {
  /** Called after each patch. A throw ends the utterance. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Most parts of a long text that are made beside each other: `maxBatch` when left out, and never more. */
  readonly partsAtOnce?: number | undefined;
}

export interface Speech {
  /** Mono PCM in [-1, 1]. */
  readonly samples: Float32Array;
  readonly sampleRate: number;
  readonly patches: number;
  /** Whether the model came to an end by itself; at the limit the speech, or a part of it, may be cut off. */
  readonly end: 'stop' | 'limit';
  /** The same request with this seed gives the same samples: of a text of one part, that of the attempt that is returned. */
  readonly seed: number;
  /** Most attempts that a part took. */
  readonly attempts: number;
  /** Parts that the text was spoken in. */
  readonly parts: number;
  /** What the caller may not expect, one line each. */
  readonly warnings: readonly string[];
}

/** What is known of a stream besides its audio. */
interface StreamDetails {
  readonly sampleRate: number;
  readonly seed: number;
  /** What the caller may not expect, one line each: what is known so far, and all of it at the last piece. */
  readonly warnings: readonly string[];
}

/** Audio of a stream, wherever it is made. */
export type HeardChunk = Omit<SpeechChunk, 'patch'>;

/** To be iterated once. */
export interface HeardStream extends AsyncIterable<HeardChunk>, StreamDetails {}

/** To be iterated once. */
export interface SpeechStream extends AsyncIterable<SpeechChunk>, StreamDetails {}

/** To be iterated once. */
export interface PartStream extends AsyncIterable<SpokenPart>, StreamDetails {}

/** Where speech comes from: an engine in this process, or one that is elsewhere. What servers need of it. */
export interface SpeechSource {
  readonly info: ModelInfo;
  /**
   * Checks a request as `stream` would, without computing.
   *
   * @returns `silence` when nothing can be spoken of the text, such as emoji alone, which `stream` refuses
   * @throws SvcError INVALID_REQUEST
   */
  check(request: SynthesisRequest): 'speech' | 'silence';
  /** As `Engine.synthesizeParts`. */
  synthesizeParts(request: SynthesisRequest, options?: RunOptions): PartStream;
  /** As `Engine.stream`. */
  stream(request: SynthesisRequest, options?: RunOptions): HeardStream;
  /** As `Engine.encode`. */
  encode(audio: Audio, role: EncodedAudio['role'], options?: RunOptions): Promise<EncodedAudio>;
}

export interface Engine extends SpeechSource, AsyncDisposable {
  check(request: SpeechRequest): 'speech' | 'silence';
  /** A whole text as one array. May be called while others run: they share each pass over the weights. */
  synthesize(request: SpeechRequest, options?: SynthesizeOptions): Promise<Speech>;
  /**
   * The samples of `synthesize` part by part, for texts whose audio should not be held as a whole. Parts share
   * each pass over the weights; at most `2 × maxBatch` are held. Throws at once for a bad request.
   */
  synthesizeParts(request: SpeechRequest, options?: SynthesizeOptions): PartStream;
  /**
   * The audio of a text as it is made. Nothing is computed before the first pull, and at most one step
   * ahead of the consumer. What may have been heard is not made again; only a part that stayed silent is. Throws at
   * once for a bad request.
   */
  stream(request: SpeechRequest, options?: RunOptions): SpeechStream;
  /** Audio as the model's patches, to be used in many requests. A prompt and a reference are padded differently. */
  encode(audio: Audio, role: EncodedAudio['role'], options?: RunOptions): Promise<EncodedAudio>;
  /** Cancels what runs, then frees the model. Later calls reject with BACKEND_UNAVAILABLE. */
  close(): Promise<void>;
}

interface Resolved {
  readonly request: SeededRequest;
  readonly warnings: readonly string[];
}

/** As `SpeechSource.check`. */
export function checkRequest(input: SynthesisRequest, info: ModelInfo): 'speech' | 'silence' {
  const { request } = supported(input, info);
  return isWordless(request, info) ? 'silence' : 'speech';
}

/**
 * Checks all that can be checked without computing; defaults and seed are filled in, and what the model can't follow is
 * left out with a warning.
 *
 * @throws SvcError INVALID_REQUEST
 */
export function resolveRequest(input: SynthesisRequest, info: ModelInfo): Resolved {
  const { request, warnings } = supported(input, info);
  assertSpeakable(request, info);
  return { request: { ...request, seed: request.seed ?? randomSeed() }, warnings };
}

function supported(input: SynthesisRequest, info: ModelInfo) {
  const resolved = withFixedVoice(parseRequest(input), info);
  assertSupported(resolved.request, info);
  return resolved;
}

/** An engine over any runtime. The engine owns the backend and disposes of it. */
export function createEngineOver(backend: Backend, options: SchedulerOptions): Engine {
  const { info } = backend;
  const scheduler = createScheduler(backend, options);
  const preparation = createPreparation(scheduler);
  const synthesizer = createTextSynthesizer(scheduler, preparation, options);
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

  async function synthesize(input: SpeechRequest, options: SynthesizeOptions = {}): Promise<Speech> {
    const stream = synthesizeParts(input, options);
    const parts: SpokenPart[] = [];
    for await (const part of stream) parts.push(part);
    return {
      samples: concatenate(parts.map(({ samples }) => samples)),
      sampleRate: stream.sampleRate,
      patches: parts.reduce((sum, { patches }) => sum + patches, 0),
      end: parts.some(({ end }) => end === 'limit') ? 'limit' : 'stop',
      seed: parts.length === 1 ? (parts[0] as SpokenPart).seed : stream.seed,
      attempts: Math.max(...parts.map(({ attempts }) => attempts)),
      parts: parts.length,
      warnings: stream.warnings,
    };
  }

  function synthesizeParts(input: SpeechRequest, options: SynthesizeOptions = {}): PartStream {
    return streamOf(input, options.signal, (request, pace, signal, onWarning) =>
      changeSpeedOfParts(synthesizer.parts(request, signal, { ...options, onWarning }), pace),
    );
  }

  function stream(input: SpeechRequest, { signal }: RunOptions = {}): SpeechStream {
    return streamOf(input, signal, (request, pace, running, onWarning) =>
      changeSpeedOfChunks(synthesizer.chunks(request, running, { onWarning }), pace),
    );
  }

  function streamOf<Item>(
    input: SpeechRequest,
    outer: AbortSignal | undefined,
    items: (
      request: SeededRequest,
      pace: Pace,
      signal: AbortSignal,
      onWarning: (warning: string) => void,
    ) => AsyncGenerator<Item, void, undefined>,
  ): AsyncIterable<Item> & StreamDetails {
    const { request: unpaced, speed } = takeSpeed(input);
    const { request, warnings: atOnce } = resolveRequest(unpaced, info);
    const pace = { sampleRate: info.outputSampleRate, speed };
    const unread = preparation.coverage(request.text);
    const warnings = [...atOnce, ...(unread === undefined ? [] : [unread])];
    async function* run(): AsyncGenerator<Item, void, undefined> {
      const lifetime = begin(outer);
      try {
        throwIfCancelled(lifetime.signal);
        yield* items(request, pace, lifetime.signal, (warning) => void warnings.push(warning));
      } finally {
        end(lifetime);
      }
    }
    const running = run();
    return { sampleRate: info.outputSampleRate, seed: request.seed, warnings, [Symbol.asyncIterator]: () => running };
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
    check: (request) => checkRequest(takeSpeed(request).request, info),
    synthesize,
    synthesizeParts,
    stream,
    encode: async (audio, role, runOptions) =>
      during(runOptions?.signal, (signal) => preparation.encode(parseAudio(audio, role), role, signal)),
    close,
    [Symbol.asyncDispose]: close,
  };
}
