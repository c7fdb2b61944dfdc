import { z } from 'zod';
import { once } from '../admission/concurrency.ts';
import { atOnce, inTurns, type Steps } from '../event-loop.ts';
import { concatenate } from '../float-arrays.ts';
import { oneOf, parse } from '../validation.ts';
import { type Accepted, type AcceptedLive, assertWords } from './accepted.ts';
import type { Backend } from './backend.ts';
import { assertParsed } from './check-requests.ts';
import type { Chunk } from './generate.ts';
import { createLifetimes } from './lifetimes.ts';
import { acceptLive, type LiveSpeech } from './live/live-request.ts';
import type { LiveText } from './live/live-text.ts';
import { createSpeak } from './long-text/speak.ts';
import type { Attempt, Progress } from './long-text/speak-part.ts';
import type { AdapterCatalog } from './lora/adapter-catalog.ts';
import { createLoadedAdapters, type EngineAdapters } from './lora/loaded-adapters.ts';
import { type ParsedRequest, parseRequestText, writtenText } from './parsed-request.ts';
import type { TextPreview } from './plan/preview.ts';
import { createPreparation } from './prepare.ts';
import type { Recognize } from './recognize.ts';
import { parseFields, parseRequest, type RequestFields } from './request.ts';
import { createScheduler, type SchedulerOptions } from './scheduler.ts';
import { createSummary, type Speech } from './speech.ts';
import type { SpeechEvent } from './speech-event.ts';
import type { SpeechRequest } from './speech-request.ts';
import type { AcceptOptions, RunOptions, SpeakOptions, SpeechSource } from './speech-source.ts';
import type { TimedSentence } from './timing/timed-text.ts';
import { parseAudio } from './voice-fields.ts';

const encodeSchema = z.object({ role: oneOf(['prompt', 'reference']) });
/** How many parts at once is checked where the number of places is known. */
const runSchema = z.looseObject({
  timestamps: oneOf(['none', 'words']).optional(),
  signal: z.instanceof(AbortSignal, { error: 'an AbortSignal' }).optional(),
  onProgress: z.custom((value) => typeof value === 'function', { error: 'a function' }).optional(),
  partsAtOnce: z.union([z.number(), z.literal(Number.POSITIVE_INFINITY)], { error: 'a number' }).optional(),
});

export type { Attempt, Progress };

/** A request whose text is an async iterable, written while it is spoken. */
export type LiveSpeechRequest = Omit<SpeechRequest, 'text'> & { readonly text: LiveText };

export interface EngineDependencies extends SchedulerOptions {
  /** Checks the words of whole speech and of parts: as long as too many are wrong, parts are regenerated. */
  readonly recognize?: Recognize | undefined;
  /** LoRA adapters that requests may name (default: none). */
  readonly loras?: AdapterCatalog | undefined;
}

export interface PartsOptions extends RunOptions, AcceptOptions, Pick<SpeakOptions, 'timestamps'> {}

export interface SynthesizeOptions
  extends PartsOptions,
    Pick<SpeakOptions, 'onProgress' | 'partsAtOnce' | 'sections'> {}

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
   * Times of its sentences and words, if requested. Words are as written, but cleaned. A silent
   * part of several has none.
   */
  readonly sentences?: readonly TimedSentence[] | undefined;
  readonly end: 'stop' | 'limit';
  /** Seed of the returned attempt. */
  readonly seed: number;
  readonly attempts: number;
  /** Findings of each attempt, in order. */
  readonly tries: readonly Attempt[];
}

export interface SpeechChunk extends Chunk {
  /** 0-based number of the part. */
  readonly part: number;
  /** In the first chunk of a part: the text that is spoken. */
  readonly text?: string | undefined;
  /** With `timestamps`, in the last chunk of a part: the times of its sentences and words. */
  readonly sentences?: readonly TimedSentence[] | undefined;
}

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
   * ahead of the consumer. Only a silent part is regenerated, as audio that was yielded may have been played. Throws
   * synchronously for an invalid request.
   *
   * The text may be an async iterable of pieces of any size, such as tokens of a language model. Each sentence is then spoken
   * when it is complete, the first words at the end of a clause, and what is there when the writer pauses for 2 s. An empty
   * piece has all text before it spoken at once. The stream ends with the text, and rejects with its error.
   */
  stream(request: SpeechRequest | LiveSpeechRequest, options?: PartsOptions): SpeechStream;
  /**
   * The text as the model would get it, passage by passage, without synthesis: its language, as written, as spoken, and what is
   * left out. The steps are those of synthesis. The text of a `turns` dialogue is that of its turns.
   *
   * @throws SvcError INVALID_REQUEST
   */
  previewText(request: SpeechRequest, options?: Pick<RunOptions, 'signal'>): Promise<TextPreview>;
  /** The LoRA adapters that requests may name; undefined if the engine was made without a place for them. */
  readonly loras: EngineAdapters | undefined;
  /** Cancels running calls, then frees the model. Later calls reject with BACKEND_UNAVAILABLE. */
  close(): Promise<void>;
}

const isLive = (request: SpeechRequest | LiveSpeechRequest): request is LiveSpeechRequest => {
  const { text } = Object(request) as { readonly text?: unknown };
  return typeof text === 'object' && text !== null && Symbol.asyncIterator in text;
};

/**
 * Creates an engine over any runtime. The engine owns the backend and disposes it.
 *
 * @param scheduler of the backend; itself, if it schedules its calls
 */
export function createEngineFromBackend(
  backend: Backend,
  options: EngineDependencies,
  scheduler: Backend = createScheduler(backend, options),
): Engine {
  const { info } = backend;
  const preparation = createPreparation(scheduler);
  const adapters = createLoadedAdapters(backend, options.loras);
  const lifetimes = createLifetimes();
  const { maxBatch, recognize } = options;
  const speak = createSpeak({ backend: scheduler, preparation, adapters, lifetimes, maxBatch, recognize });

  function* accept(request: ParsedRequest, options: AcceptOptions = {}): Steps<Accepted> {
    assertParsed(request, options);
    const { adapter } = options;
    const accepted = yield* preparation.accept(request);
    adapters.check(accepted, adapter);
    return accepted;
  }

  function acceptInput(request: SpeechRequest | LiveSpeechRequest, options: PartsOptions): Accepted | LiveSpeech {
    parse(runSchema, options, 'the options of the speech');
    if (isLive(request)) {
      const { text, ...fields } = request;
      return { ...acceptFields(parseFields(fields), options), text };
    }
    const accepted = acceptText(request, options);
    assertWords(accepted, request);
    return accepted;
  }

  const acceptText = (request: SpeechRequest, options?: PartsOptions): Accepted =>
    atOnce(accept(atOnce(parseRequestText(parseRequest(request)), 'skip'), options), 'skip');

  function acceptFields(fields: RequestFields, { adapter }: AcceptOptions = {}): AcceptedLive {
    const live = preparation.decided(acceptLive(fields, info));
    adapters.check(live, adapter);
    return live;
  }

  /** Turns the events of a speech into items, and collects its warnings on the way. */
  function streamOf<Item>(speech: Accepted | LiveSpeech, options: SpeakOptions, itemsOf: ItemsOf<Item>) {
    const warnings = [...speech.warnings];
    async function* events(): AsyncGenerator<SpeechEvent, void, undefined> {
      for await (const event of speak(speech, options)) {
        warnings.push(...(event.warnings ?? []));
        yield event;
      }
    }
    const items = itemsOf(events(), speech.speed);
    const { seed } = speech;
    return { sampleRate: info.outputSampleRate, seed, warnings, [Symbol.asyncIterator]: () => items };
  }

  async function synthesize(request: SpeechRequest, options: SynthesizeOptions = {}): Promise<Speech> {
    const speech = acceptInput(request, options);
    const speaking = { ...options, mayRetract: true };
    const summary = createSummary(speech, { sampleRate: info.outputSampleRate, mayRetract: true });
    const pieces: Float32Array[] = [];
    let attempts = 0;
    for await (const event of speak(speech, speaking)) {
      summary.add(event);
      pieces.push(event.samples);
      attempts = Math.max(attempts, event.attempts?.length ?? 0);
    }
    const { sentences, end = 'stop', ...details } = summary.result();
    const timed = options.timestamps === 'words' ? sentences : undefined;
    return { ...details, samples: concatenate(pieces), end, attempts, sentences: timed };
  }

  const synthesizeParts = (request: SpeechRequest, options: SynthesizeOptions = {}): PartStream =>
    streamOf(acceptInput(request, options), { ...options, mayRetract: true }, toParts);

  const stream = (request: SpeechRequest | LiveSpeechRequest, options: PartsOptions = {}): SpeechStream =>
    streamOf(acceptInput(request, options), options, toChunks);

  async function previewText(request: SpeechRequest, { signal }: Pick<RunOptions, 'signal'> = {}) {
    const parsed = await inTurns(parseRequestText(parseRequest(request)), signal);
    const accepted = await inTurns(accept(parsed), signal);
    return inTurns(preparation.preview(accepted, writtenText(parsed)), signal);
  }

  const close = once(async (): Promise<void> => {
    lifetimes.close();
    await adapters.close();
    await scheduler[Symbol.asyncDispose]();
  });

  return {
    info,
    normalizes: preparation.normalizes,
    loras: adapters.own,
    accept,
    acceptLive: acceptFields,
    preview: preparation.preview,
    previewText,
    speak,
    check(request) {
      if (!isLive(request)) return acceptText(request).hasWords ? 'speech' : 'silence';
      acceptInput(request, {});
      return 'speech';
    },
    synthesize,
    synthesizeParts,
    stream,
    encode: async (audio, role, runOptions) => {
      parse(encodeSchema, { role });
      return lifetimes.during(runOptions?.signal, (signal) =>
        preparation.encode(parseAudio(audio, role), role, signal),
      );
    },
    voiceMemory() {
      const kept = backend.voiceMemory?.();
      return kept && { ...kept, bytes: kept.bytes + preparation.recordingBytes() };
    },
    deviceUse: () => backend.deviceUse?.(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

type ItemsOf<Item> = (events: AsyncIterable<SpeechEvent>, speed: number) => AsyncGenerator<Item, void, undefined>;

/** Each event of speech that may be retracted is a part. */
async function* toParts(events: AsyncIterable<SpeechEvent>): AsyncGenerator<SpokenPart, void, undefined> {
  for await (const { part, text = '', samples, patches, sentences, end = 'stop', seed = 0, attempts = [] } of events) {
    yield { index: part, text, samples, patches, sentences, end, seed, attempts: attempts.length, tries: attempts };
  }
}

/** The events of streamed speech, but for those whose audio is held back for a join. */
async function* toChunks(events: AsyncIterable<SpeechEvent>, speed: number): AsyncGenerator<SpeechChunk, void> {
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
