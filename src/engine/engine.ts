import { z } from 'zod';
import type { FairShare } from '../admission/step-turns.ts';
import type { Audio } from '../audio/audio.ts';
import { followSignal, type Lifetime, throwIfCanceled } from '../cancellation.ts';
import { SvcError } from '../errors.ts';
import { atOnce, inTurns, itemsInTurns, type Steps } from '../event-loop.ts';
import { concatenate } from '../float-arrays.ts';
import { oneOf, parse } from '../validation.ts';
import { type Accepted, acceptSteps, assertWords, unsupportedTags } from './accepted.ts';
import type { Backend, ModelInfo, VoiceMemory } from './backend.ts';
import type { Chunk } from './generate.ts';
import { cutLive } from './live/cut-live.ts';
import { type AcceptedLive, acceptLive, isCut, type LiveSpeech, type LiveText } from './live/live-request.ts';
import { planLive } from './live/plan-live.ts';
import { type PlannedPart, planSteps } from './long-text/plan.ts';
import { createTextSynthesizer, type SpeakTextOptions } from './long-text/speak.ts';
import type { Attempt, Progress } from './long-text/speak-part.ts';
import type { AdapterCatalog, CatalogAdapter } from './lora/adapter-catalog.ts';
import { createLoadedAdapters, type EngineAdapters } from './lora/loaded-adapters.ts';
import { type ParsedRequest, parseRequestText } from './parsed-request.ts';
import { createPreparation } from './prepare.ts';
import type { Recognize } from './recognize.ts';
import { type EncodedAudio, parseAudio, parseFields, parseRequest, type RequestFields } from './request.ts';
import { createScheduler, type SchedulerOptions } from './scheduler.ts';
import type { SpeechEvent } from './speech-event.ts';
import type { SpeechRequest } from './speech-request.ts';
import { changeSpeed } from './speed.ts';
import type { TimedSentence } from './timing/timed-text.ts';

const encodeSchema = z.object({ role: oneOf(['prompt', 'reference']) });

export type { Attempt, Progress };

/** A request whose text is an async iterable, written while it is spoken. */
export type LiveSpeechRequest = Omit<SpeechRequest, 'text'> & { readonly text: LiveText };

export interface EngineDependencies extends SchedulerOptions {
  /** Checks the words of whole speech and of parts: as long as too many are wrong, parts are regenerated. */
  readonly recognize?: Recognize | undefined;
  /** LoRA adapters that requests may name (default: none). */
  readonly loras?: AdapterCatalog | undefined;
}

export interface RunOptions {
  /** Cancels the utterance within one step; the call rejects with CANCELLED. */
  readonly signal?: AbortSignal | undefined;
  /** Owner and weight for fair scheduling across workers; ignored by a local engine. */
  readonly share?: FairShare | undefined;
}

export interface AcceptOptions {
  /** The adapter that the request's `lora` named when it arrived (default: the one that has the name now). */
  readonly adapter?: CatalogAdapter | undefined;
}

export interface PartsOptions extends RunOptions, AcceptOptions, Pick<SpeakTextOptions, 'timestamps'> {}

export interface SynthesizeOptions
  extends PartsOptions,
    Pick<SpeakTextOptions, 'onProgress' | 'partsAtOnce' | 'sections'> {}

export interface SpeakOptions extends RunOptions, AcceptOptions, SpeakTextOptions {
  /**
   * Called with each wait for a segment of live text, and awaited before the segment is spoken. The stream holds no engine
   * resources during the call, so other requests may run.
   */
  readonly whileWaiting?: ((segment: Promise<unknown>) => Promise<void>) | undefined;
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

/** One part of a text, including pauses to its neighbors. */
export interface SpokenPart {
  /** 0-based. */
  readonly index: number;
  /** The text that was spoken. */
  readonly text: string;
  /** Mono PCM in [-1, 1]; the concatenation of all parts is the speech. */
  readonly samples: Float32Array;
  readonly patches: number;
  /**
   * When its sentences and words are heard, if requested. Words are as written, but cleaned. A silent
   * part of several has none.
   */
  readonly sentences?: readonly TimedSentence[] | undefined;
  readonly end: 'stop' | 'limit';
  /** Seed of the returned attempt. */
  readonly seed: number;
  readonly attempts: number;
  /** What was found in each attempt, in order. */
  readonly tries: readonly Attempt[];
}

export interface SpeechChunk extends Chunk {
  /** 0-based number of the part. */
  readonly part: number;
  /** In the first chunk of a part: the text that is spoken. */
  readonly text?: string | undefined;
  /** With `timestamps`, in the last chunk of a part: when its sentences and words are heard. */
  readonly sentences?: readonly TimedSentence[] | undefined;
}

/** Properties of a stream besides its audio. */
interface StreamDetails {
  readonly sampleRate: number;
  readonly seed: number;
  /** Unexpected but usable results so far, one line each; complete after the last item. */
  readonly warnings: readonly string[];
}

/** Can be iterated once. */
export interface SpeechStream extends AsyncIterable<SpeechChunk>, StreamDetails {}

/** Can be iterated once. */
export interface PartStream extends AsyncIterable<SpokenPart>, StreamDetails {}

/** A source of speech: an engine in this process, or workers on other machines. */
export interface SpeechSource {
  readonly info: ModelInfo;
  /**
   * Accepts a request whose text was read, in steps; without computing.
   *
   * @throws SvcError INVALID_REQUEST
   */
  accept(request: ParsedRequest, options?: AcceptOptions): Steps<Accepted>;
  /** Accepts a request whose text is still being written. @throws SvcError INVALID_REQUEST */
  acceptLive(fields: RequestFields, options?: AcceptOptions): AcceptedLive;
  /** Speaks an accepted request. Nothing is computed before the first pull. */
  speak(speech: Accepted | LiveSpeech, options?: SpeakOptions): AsyncGenerator<SpeechEvent, void, undefined>;
  /** As `Engine.encode`. */
  encode(audio: Audio, role: EncodedAudio['role'], options?: RunOptions): Promise<EncodedAudio>;
  /** What is kept of voices; undefined if the source can't tell. */
  voiceMemory?(): VoiceMemory | undefined;
}

export interface Engine extends SpeechSource, AsyncDisposable {
  /**
   * Validates a request like `stream`, without computing.
   *
   * @returns `silence` if the text has nothing to speak, such as only emoji, which `stream` rejects; `speech` for live text
   * @throws SvcError INVALID_REQUEST
   */
  check(request: SpeechRequest | LiveSpeechRequest): 'speech' | 'silence';
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
  stream(request: SpeechRequest | LiveSpeechRequest, options?: PartsOptions): SpeechStream;
  /** Encodes audio to the model's patches, for use in many requests. Prompt and reference are padded differently. */
  encode(audio: Audio, role: EncodedAudio['role'], options?: RunOptions): Promise<EncodedAudio>;
  /** The LoRA adapters that requests may name; undefined if the engine was made without a place for them. */
  readonly loras: EngineAdapters | undefined;
  /** Cancels running calls, then frees the model. Later calls reject with BACKEND_UNAVAILABLE. */
  close(): Promise<void>;
}

const isLive = (request: SpeechRequest | LiveSpeechRequest): request is LiveSpeechRequest => {
  const { text } = Object(request) as { readonly text?: unknown };
  return typeof text === 'object' && text !== null && Symbol.asyncIterator in text;
};

/** Creates an engine over any runtime. The engine owns the backend and disposes it. */
export function createEngineFromBackend(backend: Backend, options: EngineDependencies): Engine {
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

  function* accept(request: ParsedRequest, { adapter }: AcceptOptions = {}): Steps<Accepted> {
    const accepted = preparation.decided(yield* acceptSteps(request, info));
    adapters.check(accepted, adapter);
    const unread = yield* unreadLetters(accepted);
    return { ...accepted, letters: 'checked', warnings: [...accepted.warnings, ...unread] };
  }

  function* unreadLetters(accepted: Accepted): Steps<readonly string[]> {
    const text = accepted.passages.map((passage) => passage.style + passage.text).join(' ');
    const unread = yield* preparation.coverage.steps(text, accepted);
    return unread === undefined ? [] : [unread];
  }

  async function* speak(
    undecided: Accepted | LiveSpeech,
    { signal: outer, adapter: pinned, whileWaiting, ...spoken }: SpeakOptions = {},
  ): AsyncGenerator<SpeechEvent, void, undefined> {
    const lifetime = begin(outer);
    const { signal } = lifetime;
    const speech = preparation.decided(undecided);
    const known = new Set(speech.warnings);
    let news: string[] = [];
    const warn = (warnings: readonly string[]): void => {
      news.push(...warnings.filter((warning) => !known.has(warning)));
      for (const warning of news) known.add(warning);
    };
    try {
      throwIfCanceled(signal);
      if ('letters' in speech && speech.letters === 'unchecked') warn(await inTurns(unreadLetters(speech)));
      throwIfCanceled(signal);
      const { use: adapter, release } = await adapters.lease(speech, pinned);
      try {
        throwIfCanceled(signal);
        const plan =
          'text' in speech ? planOf(speech, { signal, whileWaiting, warn }) : itemsInTurns(planSteps(speech, info));
        const mayRetract = spoken.mayRetract === true && !('text' in speech);
        const events = synthesizer.speak({ ...speech, adapter }, plan, signal, { ...spoken, mayRetract });
        for await (const event of changeSpeed(events, { sampleRate: info.outputSampleRate, speed: speech.speed })) {
          warn(event.warnings ?? []);
          const warnings = news;
          news = [];
          yield { ...event, warnings };
        }
      } finally {
        release();
      }
    } finally {
      end(lifetime);
    }
  }

  /** The parts of a text that is still being written. */
  function planOf(
    speech: LiveSpeech,
    {
      signal,
      whileWaiting,
      warn,
    }: Pick<SpeakOptions, 'whileWaiting'> & {
      readonly signal: AbortSignal;
      readonly warn: (warnings: readonly string[]) => void;
    },
  ): AsyncGenerator<PlannedPart, void, undefined> {
    const { text, ...accepted } = speech;
    let isUnread = false;
    return planLive({
      segments: isCut(text) ? text.segments : cutLive({ text, request: accepted, info, signal, whileWaiting }),
      accepted,
      info,
      onSegment(segment, warnings) {
        const unread = isUnread ? undefined : preparation.coverage(segment, accepted);
        isUnread ||= unread !== undefined;
        warn([...warnings, ...unsupportedTags(segment, info), ...(unread === undefined ? [] : [unread])]);
      },
    });
  }

  /** Accepts a request of a user of the library. */
  function acceptInput(request: SpeechRequest | LiveSpeechRequest, options: AcceptOptions): Accepted | LiveSpeech {
    if (isLive(request)) {
      const { text, ...fields } = request;
      return { ...acceptFields(parseFields(fields), options), text };
    }
    const parsed = atOnce(parseRequestText(parseRequest(request)));
    const accepted = atOnce(accept(parsed, options));
    assertWords(accepted, parsed);
    return accepted;
  }

  function acceptFields(fields: RequestFields, { adapter }: AcceptOptions = {}): AcceptedLive {
    const live = preparation.decided(acceptLive(fields, info));
    adapters.check(live, adapter);
    return live;
  }

  /** The events of a speech as another kind of items. */
  function streamOf<Item>(
    speech: Accepted | LiveSpeech,
    options: SpeakOptions,
    itemsOf: (events: AsyncIterable<SpeechEvent>, speed: number) => AsyncGenerator<Item, void, undefined>,
  ): AsyncIterable<Item> & StreamDetails {
    const warnings = [...speech.warnings];
    async function* events(): AsyncGenerator<SpeechEvent, void, undefined> {
      for await (const event of speak(speech, options)) {
        warnings.push(...(event.warnings ?? []));
        yield event;
      }
    }
    const items = itemsOf(events(), speech.speed);
    return { sampleRate: info.outputSampleRate, seed: speech.seed, warnings, [Symbol.asyncIterator]: () => items };
  }

  async function synthesize(request: SpeechRequest, options: SynthesizeOptions = {}): Promise<Speech> {
    const stream = synthesizeParts(request, options);
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

  const synthesizeParts = (request: SpeechRequest, options: SynthesizeOptions = {}): PartStream =>
    streamOf(acceptInput(request, options), { ...options, mayRetract: true }, toParts);

  const stream = (request: SpeechRequest | LiveSpeechRequest, options: PartsOptions = {}): SpeechStream =>
    streamOf(acceptInput(request, options), options, toChunks);

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
    accept,
    acceptLive: acceptFields,
    speak,
    check(request) {
      if (isLive(request)) {
        acceptInput(request, {});
        return 'speech';
      }
      return atOnce(accept(atOnce(parseRequestText(parseRequest(request))))).hasWords ? 'speech' : 'silence';
    },
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

/** Each event of speech that may be retracted is a part. */
async function* toParts(events: AsyncIterable<SpeechEvent>): AsyncGenerator<SpokenPart, void, undefined> {
  for await (const { part, text = '', samples, patches, sentences, end = 'stop', seed = 0, attempts = [] } of events) {
    yield { index: part, text, samples, patches, sentences, end, seed, attempts: attempts.length, tries: attempts };
  }
}

/** The events of speech that is heard, but for those whose audio is held back for a join. */
async function* toChunks(
  events: AsyncIterable<SpeechEvent>,
  speed: number,
): AsyncGenerator<SpeechChunk, void, undefined> {
  const noPatch = new Float32Array(0);
  let made = 0;
  let reached: 'stop' | 'limit' = 'stop';
  for await (const { part, text, samples, patches, patch = noPatch, sentences, end, isLast } of events) {
    made += patches;
    if (end === 'limit') reached = end;
    // A change of speed holds back audio too, but of any patch.
    if (samples.length === 0 && sentences === undefined && !isLast && speed === 1) continue;
    const index = patches === 0 ? made : made - 1;
    yield { index, part, text, patch, samples, ...(isLast && { end: reached }), ...(sentences && { sentences }) };
  }
}
