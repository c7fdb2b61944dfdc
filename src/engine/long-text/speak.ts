/**
 * Speaks texts of any length part by part: in order as a stream, or several parts at once if nobody is listening yet. A
 * text of one part gives the same utterance in both cases.
 */

import { createSilenceTrim, trimRecording } from '../../audio/analyze/trim-silence.ts';
import type { Audio } from '../../audio/audio.ts';
import { createSpeed } from '../../audio/resample/speed.ts';
import { chain, type SampleTransform } from '../../audio/transform.ts';
import { canceled, followSignal } from '../../cancellation.ts';
import { itemsInTurns } from '../../event-loop.ts';
import { concatenate } from '../../float-arrays.ts';
import type { Backend } from '../backend.ts';
import { attemptSeed, createSoundCheck, silenceWarning } from '../bad-case.ts';
import { type Chunk, generate } from '../generate.ts';
import { seededNoise } from '../noise.ts';
import type { Preparation } from '../prepare.ts';
import type { Recognize } from '../recognize.ts';
import type { EncodedAudio } from '../request.ts';
import { isSpeakable } from '../text/clean.ts';
import { timeSentences } from '../timing/time-sentences.ts';
import type { TimedSentence } from '../timing/timed-text.ts';
import { createFindings } from './findings.ts';
import { createJoiner, type Joiner } from './join.ts';
import { type KeptSections, sectionsOf } from './kept-sections.ts';
import { initialVoice, learnVoice, type PartVoice, partRequest, partSeed, requestInVoice } from './part-voice.ts';
import { isToBeHeard, lexiconOf, type PlannedPart, planParts, planSteps } from './plan.ts';
import {
  type Attempt,
  type OnPatch,
  type PartOutcome,
  type Progress,
  readingOf,
  type SeededRequest,
  speakPart,
} from './speak-part.ts';

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

export interface TextSynthesizerOptions {
  /** Maximum number of parts generated at once. */
  readonly maxBatch: number;
  /** Checks the words of parts; not of streams. */
  readonly recognize?: Recognize | undefined;
}

export interface ChunksOptions {
  /** Called before the last item is yielded, with one line. */
  readonly onWarning?: ((warning: string) => void) | undefined;
  /** Whether parts say when their words are heard. */
  readonly timestamps?: 'none' | 'words' | undefined;
  /** Whether the text is planned in turns with the event loop. */
  readonly reading?: 'at once' | 'in turns' | undefined;
}

export interface PartsOptions extends ChunksOptions {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Maximum number of parts generated at once; at most `maxBatch`, the default. */
  readonly partsAtOnce?: number | undefined;
  readonly sections?: KeptSections | undefined;
}

/** Parts in order; a text that is still being written has some of them later. */
export type Plan = Iterable<PlannedPart> | AsyncIterable<PlannedPart>;

export interface TextSynthesizer {
  /**
   * Yields parts in order. Up to `partsAtOnce` are generated at once, and as many wait for the consumer; bad ones are
   * repeated.
   */
  parts(
    request: SeededRequest,
    signal: AbortSignal,
    options?: PartsOptions,
  ): AsyncGenerator<SpokenPart, void, undefined>;
  /**
   * Streams audio as it is generated, at most one step ahead of the consumer. Audio that was heard cannot be replaced,
   * but after a silent attempt at a part, the next attempt simply follows.
   *
   * @param plan the parts, by default those of the text; if the last one does not say so, a chunk without a patch follows
   */
  chunks(
    request: SeededRequest,
    signal: AbortSignal,
    plan?: Plan,
    options?: ChunksOptions,
  ): AsyncGenerator<SpeechChunk, void, undefined>;
}

/** One voice of a request. */
interface Speaker {
  voice: PartVoice;
  /** The request in this voice, with its audio encoded. */
  request(): Promise<SeededRequest>;
}

interface Shaping extends SampleTransform {
  /** Number of samples left out at the beginning so far. */
  skipped(): number;
}

interface ShapedPart {
  readonly samples: Float32Array;
  readonly skipped: number;
}

/** @param backend must accept concurrent calls, like a scheduler */
export function createTextSynthesizer(
  backend: Backend,
  preparation: Preparation,
  { maxBatch, recognize }: TextSynthesizerOptions,
): TextSynthesizer {
  const { info } = backend;

  /** The speakers of a request by the name of their voice; audio is encoded once, when first needed. */
  function createSpeakers(request: SeededRequest, signal: AbortSignal): (name: string | undefined) => Speaker {
    const speakers = new Map<string | undefined, Speaker>();
    return (name) => {
      const known = speakers.get(name);
      if (known !== undefined) return known;
      const own = requestInVoice(request, name);
      const encode = async (): Promise<SeededRequest> => {
        const { promptAudio, referenceAudio, trimSilence } = own;
        const trimmed = (audio: Audio | EncodedAudio) =>
          trimSilence && !('patches' in audio) ? trimRecording(audio) : audio;
        return {
          ...own,
          promptAudio: promptAudio && (await preparation.encode(trimmed(promptAudio), 'prompt', signal)),
          referenceAudio: referenceAudio && (await preparation.encode(trimmed(referenceAudio), 'reference', signal)),
        };
      };
      let encoded: Promise<SeededRequest> | undefined;
      const speaker = {
        voice: initialVoice(own),
        request: () => {
          encoded ??= encode();
          return encoded;
        },
      };
      speakers.set(name, speaker);
      return speaker;
    };
  }

  async function* parts(
    request: SeededRequest,
    outer: AbortSignal,
    { onProgress, onWarning, partsAtOnce = maxBatch, timestamps = 'none', sections, reading }: PartsOptions = {},
  ): AsyncGenerator<SpokenPart, void, undefined> {
    const atOnce = Math.max(1, Math.min(partsAtOnce, maxBatch));
    const lifetime = followSignal(outer);
    const { signal } = lifetime;
    const started: Promise<PartOutcome>[] = [];
    try {
      const speakerOf = createSpeakers(request, signal);
      // Progress needs the number of parts, and so do sections; elsewhere the text is split as it is spoken. Parts that
      // start together must not depend on time, so all are planned before the first one where that is done in turns.
      const needsAll = onProgress !== undefined || sections !== undefined;
      const planNow = () => (needsAll ? [...planParts(request, info)] : undefined);
      const all = reading === 'in turns' ? await plannedInTurns(request) : planNow();
      const total = all?.length ?? 0;
      const sampleRate = info.outputSampleRate;
      const joiner = createJoiner(sampleRate);
      let leadSamples = 0;

      /** Speaks parts of the text, of which `first` is the number of the first. */
      async function* outcomes(
        plan: Iterator<PlannedPart>,
        first: number,
      ): AsyncGenerator<PartOutcome, void, undefined> {
        let planned = plan.next();
        const done = new Set<number>();
        /** Number of leading parts that are all finished. */
        let finished = first;
        /** Number of parts that the consumer has taken. */
        let taken = first;

        const begin = async (part: PlannedPart): Promise<PartOutcome> => {
          const seed = partSeed(request.seed, part.index);
          const speaker = speakerOf(part.voice);
          const { voice } = speaker;
          const own = partRequest(await speaker.request(), part, voice);
          const onPatch: OnPatch = (report) =>
            onProgress?.({ ...report, part: part.index + 1, parts: total, finished: first + done.size });
          const engine = { backend, preparation, recognize };
          const outcome = await speakPart(engine, part, { ...own, seed }, signal, onPatch, timestamps);
          done.add(part.index);
          for (; done.has(finished); finished += 1);
          speaker.voice = learnVoice(speaker.voice, outcome, info);
          launch();
          return outcome;
        };
        /**
         * Starts the parts that may run now. Unless the consumer is slower than the model, text and seed alone determine
         * which parts share a pass, so that the same call gives bit-identical samples.
         */
        function launch(): void {
          while (!planned.done && !signal.aborted) {
            const { index, voice } = planned.value;
            const most = speakerOf(voice).voice.isKnown ? atOnce : 1;
            if (index - finished >= most || index - taken >= 2 * atOnce) return;
            const outcome = begin(planned.value);
            void outcome.catch(ignore);
            started.push(outcome);
            planned = plan.next();
          }
        }

        for (launch(); started.length > 0; launch()) {
          const outcome = await (started[0] as Promise<PartOutcome>);
          started.shift();
          yield outcome;
          taken += 1;
        }
        // No part starts after the signal, so the speech is incomplete.
        if (!planned.done) throw canceled(signal);
      }

      /** Section by section, with those that an earlier call has kept. */
      async function* resumed(
        plan: readonly PlannedPart[],
        store: KeptSections,
      ): AsyncGenerator<PartOutcome, void, undefined> {
        for (const section of sectionsOf(plan)) {
          const first = section[0]?.index ?? 0;
          const kept = await store.read(first, section.length);
          for (const [number, outcome] of kept?.entries() ?? []) {
            const part = section[number] as PlannedPart;
            const speaker = speakerOf(part.voice);
            const spoken = { ...outcome, part, text: part.text, style: part.style };
            speaker.voice = learnVoice(speaker.voice, spoken, info);
            yield spoken;
          }
          if (kept !== undefined) continue;
          const made: PartOutcome[] = [];
          for await (const outcome of outcomes(section.values(), first)) {
            made.push(outcome);
            if (made.length === section.length) await store.keep(first, made);
            yield outcome;
          }
        }
      }

      const findings = createFindings();
      const spokenParts =
        all !== undefined && sections !== undefined
          ? resumed(all, sections)
          : outcomes(all?.values() ?? planParts(request, info), 0);
      for await (const outcome of spokenParts) {
        const { part, samples, count, end, seed, tries, reading } = outcome;
        findings.add(outcome);
        if (part.isLast) for (const warning of findings.warnings()) onWarning?.(warning);
        const { index, text } = part;
        const silence = silenceBefore(part, joiner);
        const { samples: spoken, skipped } = await shape(samples, part, request);
        const heard = concatenate([
          silence,
          joiner.push(spoken),
          ...(part.isLast ? [joiner.end(), silenceOf(part.pauseSeconds)] : []),
        ]);
        if (!part.isLast) joiner.pause(part.pauseSeconds);
        leadSamples += silence.length;
        // When the first sample that the model generated is or would be heard.
        const start = startOf(part, joiner, leadSamples - skipped / part.rate);
        const { rate, voice, stretches } = part;
        const heardAt =
          start === undefined ? undefined : { samples, sampleRate, start, rate, reading, voice, stretches };
        const timed = heardAt === undefined ? [] : timeSentences(text, heardAt, lexiconOf(request, part.voice));
        const sentences = timestamps === 'words' ? timed : undefined;
        const attempts = tries.length;
        yield { index, text, samples: heard, patches: count, sentences, end, seed, attempts, tries };
      }
    } finally {
      lifetime.end();
      lifetime.detach();
      await Promise.allSettled(started);
    }
  }

  async function plannedInTurns(request: SeededRequest): Promise<readonly PlannedPart[]> {
    const parts: PlannedPart[] = [];
    for await (const part of itemsInTurns(planSteps(request, info))) parts.push(part);
    return parts;
  }

  async function* chunks(
    request: SeededRequest,
    signal: AbortSignal,
    given?: Plan,
    { onWarning, timestamps = 'none', reading }: ChunksOptions = {},
  ): AsyncGenerator<SpeechChunk, void, undefined> {
    const speakerOf = createSpeakers(request, signal);
    const sampleRate = info.outputSampleRate;
    const joiner = createJoiner(sampleRate);
    let index = 0;
    let outcome: NonNullable<Chunk['end']> = 'stop';
    let leadSamples = 0;
    let last: PlannedPart | undefined;
    const silent: number[] = [];
    const ownPlan = () => (reading === 'in turns' ? itemsInTurns(planSteps(request, info)) : planParts(request, info));
    for await (const part of given ?? ownPlan()) {
      last = part;
      const speaker = speakerOf(part.voice);
      const own = partRequest(await speaker.request(), part, speaker.voice);
      const seed = partSeed(request.seed, part.index);
      const prepared = await preparation.prepare(own, signal);
      const isOnly = part.isLast && part.index === 0;
      const hasWords = isSpeakable(part.text);
      const shaping = await openShaping(part, request);
      const join = (samples: Float32Array): Float32Array =>
        isOnly ? shaping.push(samples) : joiner.push(shaping.push(samples));
      const finish = (samples: Float32Array): Float32Array => {
        const rest = shaping.flush();
        const spoken = [samples, isOnly ? rest : joiner.push(rest)];
        if (!part.isLast) joiner.pause(part.pauseSeconds);
        else spoken.push(isOnly ? rest.subarray(0, 0) : joiner.end(), silenceOf(part.pauseSeconds));
        return concatenate(spoken);
      };
      let text: string | undefined = part.text;
      let lead = silenceBefore(part, joiner);
      leadSamples += lead.length;
      const place = timestamps === 'words' ? preparation.locate(own, prepared, part.text) : undefined;
      /** Samples of attempts at the part that turned out silent. */
      let wasted = 0;
      let patches: Float32Array[] = [];
      try {
        for (let attempt = 1, again = true; again; attempt += 1) {
          const mayRetry = hasWords && request.retryBadcase && attempt < request.retryBadcaseMaxTimes;
          const silence = createSoundCheck(info);
          const noise = seededNoise(attemptSeed(seed, attempt - 1));
          again = false;
          patches = [];
          const chunks: Chunk[] = [];
          for await (const chunk of generate(backend, { ...prepared, noise, text: place?.positions }, signal)) {
            const { patch } = chunk;
            silence.push(chunk.samples);
            if (place !== undefined) chunks.push(chunk);
            again = mayRetry && (chunk.end === undefined ? silence.isHopeless() : silence.isSilent());
            const end = again ? undefined : chunk.end;
            if (!speaker.voice.isKnown) patches.push(patch);
            const joined = join(chunk.samples);
            const heard = end === undefined ? joined : finish(joined);
            const samples = lead.length === 0 ? heard : concatenate([lead, heard]);
            lead = lead.subarray(0, 0);
            if (end === 'limit') outcome = 'limit';
            const isSilent = isToBeHeard(part) && silence.isSilent();
            if (end !== undefined && isSilent) silent.push(part.index);
            if (end !== undefined && part.isLast) warnOfSilence(silent, part.index + 1, onWarning);
            const ending: Partial<SpeechChunk> = end !== undefined && part.isLast ? { end: outcome } : {};
            let sentences: readonly TimedSentence[] | undefined;
            if (end !== undefined && place !== undefined) {
              const spoken = concatenate(chunks.map(({ samples: some }) => some));
              // When the first sample of this attempt is or would be heard.
              const start = startOf(part, joiner, leadSamples + (wasted - shaping.skipped()) / part.rate);
              const { rate, voice, stretches } = part;
              const heardAt = {
                samples: spoken,
                sampleRate,
                rate,
                voice,
                stretches,
                reading: readingOf(place, chunks),
              };
              const lexicon = lexiconOf(request, part.voice);
              sentences = start === undefined ? [] : timeSentences(part.text, { ...heardAt, start }, lexicon);
            }
            if (samples.length > 0 || sentences !== undefined) {
              yield { index, part: part.index, text, patch, samples, ...ending, ...(sentences && { sentences }) };
              text = undefined;
            }
            index += 1;
            if (end !== undefined) {
              const sample = { text: part.text, style: part.style, patches: concatenate(patches), end, isSilent };
              speaker.voice = learnVoice(speaker.voice, sample, info);
            }
            if (again) break;
          }
          for (const { samples } of chunks) wasted += samples.length;
        }
      } finally {
        shaping.close();
      }
    }
    if (last === undefined || last.isLast) return;
    warnOfSilence(silent, last.index + 1, onWarning);
    yield { index, part: last.index, patch: new Float32Array(0), samples: joiner.end(), end: outcome };
  }

  /** Silence that the script states in front of a part: of the first one, or a longer pause. */
  function silenceBefore({ index, leadSeconds }: PlannedPart, joiner: Joiner): Float32Array {
    if (index === 0) return silenceOf(leadSeconds);
    if (leadSeconds > 0) joiner.pause(leadSeconds);
    return silenceOf(0);
  }

  /**
   * Seconds at which a part begins in the output, and after it `samples`. Undefined for one of several parts that has no
   * sound: its words are not heard, and where they should be others are.
   */
  function startOf({ index, isLast }: PlannedPart, joiner: Joiner, samples: number): number | undefined {
    const start = index === 0 && isLast ? 0 : joiner.partStart();
    return start === undefined ? undefined : (start + samples) / info.outputSampleRate;
  }

  const silenceOf = (seconds: number): Float32Array => new Float32Array(Math.round(seconds * info.outputSampleRate));

  /** Trims and sets the rate of a part. */
  async function openShaping({ rate }: PlannedPart, { trimSilence }: SeededRequest): Promise<Shaping> {
    const speed = await createSpeed(info.outputSampleRate, rate);
    if (!trimSilence) return { ...speed, skipped: () => 0 };
    const trim = createSilenceTrim(info.outputSampleRate);
    return { ...chain(trim, speed), skipped: trim.skipped };
  }

  /** A whole part, and the number of its samples before what is left of it. */
  async function shape(samples: Float32Array, part: PlannedPart, request: SeededRequest): Promise<ShapedPart> {
    if (part.rate === 1 && !request.trimSilence) return { samples, skipped: 0 };
    const shaping = await openShaping(part, request);
    try {
      return { samples: concatenate([shaping.push(samples), shaping.flush()]), skipped: shaping.skipped() };
    } finally {
      shaping.close();
    }
  }

  return { parts, chunks };
}

function warnOfSilence(silent: readonly number[], parts: number, onWarning: ChunksOptions['onWarning']): void {
  const warning = silenceWarning(silent, parts);
  if (warning !== undefined) onWarning?.(warning);
}

const ignore = (): void => undefined;
