import { z } from 'zod';
import type { FairShare } from '../admission/step-turns.ts';
import type { Audio } from '../audio/audio.ts';
import { followSignal, type Lifetime, throwIfCanceled } from '../cancellation.ts';
import { SvcError } from '../errors.ts';
import { atOnce, inTurns, type Steps } from '../event-loop.ts';
import { concatenate } from '../float-arrays.ts';
import { oneOf, parse } from '../validation.ts';
import type { Backend, ModelInfo, VoiceMemory } from './backend.ts';
import { cutLive } from './live/cut-live.ts';
import {
  type CutText,
  isCut,
  isLive,
  type Live,
  type LiveText,
  resolveLive,
  type StreamRequest,
} from './live/live-request.ts';
import { planLive } from './live/plan-live.ts';
import type { KeptSections } from './long-text/kept-sections.ts';
import { droppedStyles, readSteps, speakableSteps, wordlessSteps } from './long-text/plan.ts';
import { createTextSynthesizer, type SpeechChunk, type SpokenPart } from './long-text/speak.ts';
import type { Attempt, Progress, SeededRequest } from './long-text/speak-part.ts';
import type { AdapterCatalog, CatalogAdapter } from './lora/adapter-catalog.ts';
import { createLoadedAdapters, type EngineAdapters } from './lora/loaded-adapters.ts';
import { randomSeed } from './noise.ts';
import { createPreparation } from './prepare.ts';
import type { Recognize } from './recognize.ts';
import { assertSupported, type EncodedAudio, parseAudio, parseRequest, type SynthesisRequest } from './request.ts';
import { createScheduler, type SchedulerOptions } from './scheduler.ts';
import type { SpeechRequest } from './speech-request.ts';
import { changeSpeedOfChunks, changeSpeedOfParts, type Pace, takeSpeed } from './speed.ts';
import { tagsNeedModel2 } from './text/model-tags.ts';
import type { TimedSentence } from './timing/timed-text.ts';

const encodeSchema = z.object({ role: oneOf(['prompt', 'reference']) });

export type { Attempt, Progress, SpeechChunk, SpokenPart };

/** A request whose text is an async iterable, written while it is spoken. */
export type LiveSpeechRequest = Live<SpeechRequest>;

type AnyLiveRequest = Live<SpeechRequest, LiveText | CutText>;

export interface EngineMeans extends SchedulerOptions {
  /** Checks the words of whole speech and of parts: as long as too many are wrong, parts are regenerated. */
  readonly recognize?: Recognize | undefined;
  /** LoRA adapters that requests may name (default: none). */
  readonly loras?: AdapterCatalog | undefined;
}

export interface RunOptions {
  /** Cancels the utterance within one step; the call rejects with CANCELLED. */
  readonly signal?: AbortSignal | undefined;
  /** Whose request it is, for a source that shares workers among several; an engine in this process ignores it. */
  readonly share?: FairShare | undefined;
}

export interface PartsOptions extends RunOptions {
  /** Whether parts say when their sentences and words are heard (default: none). */
  readonly timestamps?: 'none' | 'words' | undefined;
  /** The adapter that the request's `lora` named when it was accepted (default: the one that has the name now). */
  readonly adapter?: CatalogAdapter | undefined;
  /**
   * When the text is read and planned: `at once`, the default, so that an invalid request throws synchronously, or `in turns`
   * with the event loop once audio is pulled, which then throws, so that a long text doesn't keep a server from its other
   * clients.
   */
  readonly reading?: 'at once' | 'in turns' | undefined;
}

export interface StreamOptions extends PartsOptions {
  /**
   * Called with each wait for a piece of live text, and awaited before the piece is spoken: a place to let others use the
   * engine, of which the stream holds nothing meanwhile.
   */
  readonly whileWaiting?: ((piece: Promise<unknown>) => Promise<void>) | undefined;
}

export interface SynthesizeOptions extends PartsOptions {
  /** Called after each patch. An exception ends the utterance. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Maximum number of parts of a long text to generate at once; at most `maxBatch`, the default. */
  readonly partsAtOnce?: number | undefined;
  /** Keeps finished sections of a long text, and has those that an earlier call with the same request has kept. */
  readonly sections?: KeptSections | undefined;
}

export interface Speech {
  /** Mono PCM in [-1, 1]. */
  readonly samples: Float32Array;
  readonly sampleRate: number;
  readonly patches: number;
  /** Whether the model stopped by itself or a limit was reached, where the speech or a part of it may be cut off. */
  readonly end: 'stop' | 'limit';
  /** Repeats these samples with the same request. For a text of one part, the seed of the returned attempt. */
  readonly seed: number;
  /** Largest number of attempts at a part. */
  readonly attempts: number;
  /** What was found in each attempt at each part, in order. */
  readonly tries: readonly Attempt[];
  /** Number of parts that the text was split into. */
  readonly parts: number;
  /** With `timestamps`. */
  readonly sentences?: readonly TimedSentence[] | undefined;
  /** Unexpected but usable results, one line each. */
  readonly warnings: readonly string[];
}

/** Properties of a stream besides its audio. */
interface StreamDetails {
  readonly sampleRate: number;
  readonly seed: number;
  /** Unexpected but usable results so far, one line each; complete after the last item. */
  readonly warnings: readonly string[];
}

/** A chunk of streamed audio, local or remote. */
export type HeardChunk = Omit<SpeechChunk, 'patch'>;

/** Can be iterated once. */
export interface HeardStream extends AsyncIterable<HeardChunk>, StreamDetails {}

/** Can be iterated once. */
export interface SpeechStream extends AsyncIterable<SpeechChunk>, StreamDetails {}

/** Can be iterated once. */
export interface PartStream extends AsyncIterable<SpokenPart>, StreamDetails {}

/** A source of speech for servers: an engine in this process or on another machine. */
export interface SpeechSource {
  readonly info: ModelInfo;
  /**
   * Validates a request like `stream`, without computing.
   *
   * @returns `silence` if the text has nothing to speak, such as only emoji, which `stream` rejects; `speech` for live text
   * @throws SvcError INVALID_REQUEST
   */
  check(request: StreamRequest): 'speech' | 'silence';
  /** As `check`, in turns with the event loop. */
  checkInTurns(request: StreamRequest): Promise<'speech' | 'silence'>;
  /** As `Engine.synthesizeParts`. */
  synthesizeParts(request: SynthesisRequest, options?: PartsOptions): PartStream;
  /** As `Engine.stream`. */
  stream(request: StreamRequest, options?: StreamOptions): HeardStream;
  /** As `Engine.encode`. */
  encode(audio: Audio, role: EncodedAudio['role'], options?: RunOptions): Promise<EncodedAudio>;
  /** What is kept of voices; undefined if the source can't tell. */
  voiceMemory?(): VoiceMemory | undefined;
}

export interface Engine extends SpeechSource, AsyncDisposable {
  check(request: SpeechRequest | LiveSpeechRequest): 'speech' | 'silence';
  checkInTurns(request: SpeechRequest | LiveSpeechRequest): Promise<'speech' | 'silence'>;
  /** Synthesizes a text into one array. Concurrent calls share each pass over the weights. */
  synthesize(request: SpeechRequest, options?: SynthesizeOptions): Promise<Speech>;
  /**
   * Yields the samples of `synthesize` part by part, for texts whose audio should not be held in memory. Parts share
   * each pass over the weights; at most `2 × maxBatch` are held. Throws synchronously for an invalid request.
   */
  synthesizeParts(request: SpeechRequest, options?: SynthesizeOptions): PartStream;
  /**
   * Streams the audio of a text as it is generated. Nothing is computed before the first pull, and at most one step
   * ahead of the consumer. Only a silent part is regenerated, as audio that was yielded may have been heard. Throws
   * synchronously for an invalid request.
   *
   * The text may be an async iterable of pieces of any size, such as tokens of a language model. Each sentence is then spoken
   * when it is complete, the first words at the end of a clause, and what is there when the writer pauses for 2 s. An empty
   * piece has all text before it spoken at once. The stream ends with the text, and rejects with its error.
   */
  stream(request: SpeechRequest | LiveSpeechRequest, options?: StreamOptions): SpeechStream;
  /** Encodes audio to the model's patches, for use in many requests. Prompt and reference are padded differently. */
  encode(audio: Audio, role: EncodedAudio['role'], options?: RunOptions): Promise<EncodedAudio>;
  /** The LoRA adapters that requests may name; undefined if the engine was made without a place for them. */
  readonly loras: EngineAdapters | undefined;
  /** Cancels running calls, then frees the model. Later calls reject with BACKEND_UNAVAILABLE. */
  close(): Promise<void>;
}

interface Resolved {
  readonly request: SeededRequest;
  readonly warnings: readonly string[];
}

/** A request that is read when its audio is pulled, or that was read at once. */
interface Resolving {
  readonly seed: number;
  readonly speed: number;
  readonly resolved: Resolved | (() => Promise<Resolved>);
}

/** As `SpeechSource.check`, in steps. */
export function* checkRequest(input: StreamRequest, info: ModelInfo): Steps<'speech' | 'silence'> {
  if (isLive(input)) {
    resolveLive(input, info);
    return 'speech';
  }
  const { request } = yield* supported(input, info);
  return (yield* wordlessSteps(request, info)) ? 'silence' : 'speech';
}

/**
 * Validates a request without computing, and fills in defaults and the seed; in steps.
 *
 * @throws SvcError INVALID_REQUEST
 */
export function* resolveRequest(input: SynthesisRequest, info: ModelInfo): Steps<Resolved> {
  const { request, warnings } = yield* supported(input, info);
  yield* speakableSteps(request, info);
  return { request: { ...request, seed: request.seed ?? randomSeed() }, warnings };
}

function* supported(input: SynthesisRequest, info: ModelInfo) {
  const request = parseRequest(input);
  assertSupported(request, info);
  const script = yield* readSteps(request);
  const tags = unsupportedTags(request.text, info);
  const styles = droppedStyles(script.request, info);
  return { request: script.request, warnings: [...new Set([...script.warnings, ...tags, ...styles])] };
}

const unsupportedTags = (text: string, { architecture }: ModelInfo): readonly string[] =>
  architecture === 'voxcpm2' ? [] : tagsNeedModel2(text);

/** Creates an engine over any runtime. The engine owns the backend and disposes it. */
export function createEngineOver(backend: Backend, options: EngineMeans): Engine {
  const { info } = backend;
  const scheduler = createScheduler(backend, options);
  const preparation = createPreparation(scheduler);
  const synthesizer = createTextSynthesizer(scheduler, preparation, options);
  const adapters = createLoadedAdapters(backend, options.loras);
  const active = new Set<Lifetime>();
  let closing: Promise<void> | undefined;

  function begin(signal: AbortSignal | undefined): Lifetime {
    if (closing !== undefined) {
      throw new SvcError('BACKEND_UNAVAILABLE', 'the engine is closed');
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
      throwIfCanceled(lifetime.signal);
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
      tries: parts.flatMap(({ tries }) => tries),
      parts: parts.length,
      sentences: options.timestamps === 'words' ? parts.flatMap(({ sentences = [] }) => sentences) : undefined,
      warnings: stream.warnings,
    };
  }

  function synthesizeParts(input: SpeechRequest, options: SynthesizeOptions = {}): PartStream {
    return streamOf(resolve(input, options), options, (request, pace, signal, onWarning) =>
      changeSpeedOfParts(synthesizer.parts(request, signal, { ...options, onWarning }), pace),
    );
  }

  function stream(input: SpeechRequest | AnyLiveRequest, options: StreamOptions = {}): SpeechStream {
    if (isLive(input)) return streamLive(input, options);
    const { timestamps, reading } = options;
    return streamOf(resolve(input, options), options, (request, pace, running, onWarning) =>
      changeSpeedOfChunks(synthesizer.chunks(request, running, undefined, { onWarning, timestamps, reading }), pace),
    );
  }

  function streamLive(input: AnyLiveRequest, options: StreamOptions): SpeechStream {
    const { timestamps, whileWaiting } = options;
    const { request: unpaced, speed } = takeSpeed(input);
    const { text, request: undecided } = resolveLive(unpaced, info);
    const resolved = preparation.decided(undecided);
    adapters.check(resolved, options.adapter);
    return streamOf(
      { seed: resolved.seed, speed, resolved: { request: resolved, warnings: [] } },
      options,
      (request, pace, signal, onWarning) => {
        let isUnread = false;
        const plan = planLive({
          pieces: isCut(text) ? text.pieces : cutLive({ text, request, info, signal, whileWaiting }),
          request,
          info,
          onPiece(piece, warnings) {
            const unread = isUnread ? undefined : preparation.coverage(piece, request);
            isUnread ||= unread !== undefined;
            for (const warning of [
              ...warnings,
              ...unsupportedTags(piece, info),
              ...(unread === undefined ? [] : [unread]),
            ])
              onWarning(warning);
          },
        });
        return changeSpeedOfChunks(synthesizer.chunks(request, signal, plan, { onWarning, timestamps }), pace);
      },
    );
  }

  function resolve(input: SpeechRequest, { adapter, reading }: PartsOptions): Resolving {
    const { request: unpaced, speed } = takeSpeed(input);
    const seed = unpaced.seed ?? randomSeed();
    function* resolving(): Steps<Resolved> {
      const { request: undecided, warnings } = yield* resolveRequest({ ...unpaced, seed }, info);
      const request = preparation.decided(undecided);
      adapters.check(request, adapter);
      const text = request.passages.map((passage) => passage.text).join(' ');
      const unread = yield* preparation.coverage.steps(text, request);
      return { request, warnings: [...warnings, ...(unread === undefined ? [] : [unread])] };
    }
    if (reading !== 'in turns') return { seed, speed, resolved: atOnce(resolving()) };
    return { seed, speed, resolved: () => inTurns(resolving()) };
  }

  function streamOf<Item>(
    { seed, speed, resolved }: Resolving,
    { signal: outer, adapter: pinned }: PartsOptions,
    items: (
      request: SeededRequest,
      pace: Pace,
      signal: AbortSignal,
      onWarning: (warning: string) => void,
    ) => AsyncGenerator<Item, void, undefined>,
  ): AsyncIterable<Item> & StreamDetails {
    const pace = { sampleRate: info.outputSampleRate, speed };
    const warnings = typeof resolved === 'function' ? [] : [...resolved.warnings];
    const known = new Set(warnings);
    const warn = (warning: string): void => {
      if (known.has(warning)) return;
      known.add(warning);
      warnings.push(warning);
    };
    async function* run(): AsyncGenerator<Item, void, undefined> {
      const lifetime = begin(outer);
      try {
        throwIfCanceled(lifetime.signal);
        const { request, warnings: early } = typeof resolved === 'function' ? await resolved() : resolved;
        for (const warning of early) warn(warning);
        throwIfCanceled(lifetime.signal);
        const { use: adapter, release } = await adapters.lease(request, pinned);
        try {
          throwIfCanceled(lifetime.signal);
          yield* items({ ...request, adapter }, pace, lifetime.signal, warn);
        } finally {
          release();
        }
      } finally {
        end(lifetime);
      }
    }
    const running = run();
    return { sampleRate: info.outputSampleRate, seed, warnings, [Symbol.asyncIterator]: () => running };
  }

  function* checkSteps(request: SpeechRequest | LiveSpeechRequest): Steps<'speech' | 'silence'> {
    const { request: unpaced } = isLive(request) ? takeSpeed(request) : takeSpeed(request);
    const found = yield* checkRequest(unpaced, info);
    adapters.check(unpaced);
    return found;
  }

  function close(): Promise<void> {
    closing ??= (async () => {
      for (const lifetime of active) lifetime.end(new SvcError('CANCELLED', 'canceled because the engine was closed'));
      await adapters.close();
      await scheduler[Symbol.asyncDispose]();
    })();
    return closing;
  }

  return {
    info,
    loras: adapters.own,
    check: (request) => atOnce(checkSteps(request)),
    checkInTurns: async (request) => inTurns(checkSteps(request)),
    synthesize,
    synthesizeParts,
    stream,
    encode: async (audio, role, runOptions) => {
      parse(encodeSchema, { role });
      return during(runOptions?.signal, (signal) => preparation.encode(parseAudio(audio, role), role, signal));
    },
    voiceMemory() {
      const kept = backend.voiceMemory?.();
      return kept && { ...kept, bytes: kept.bytes + preparation.recordingBytes() };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
