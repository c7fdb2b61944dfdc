/**
 * Speaks texts of any length part by part, as one sequence of events. What may be retracted decides how: parts for a file are
 * generated at once, and bad ones again before they are passed on; a listener hears each patch as it is generated. A text of
 * one part gives the same utterance in both cases.
 */

import { createSilenceTrim, trimRecording } from '../../audio/analyze/trim-silence.ts';
import type { Audio } from '../../audio/audio.ts';
import { createSpeed } from '../../audio/resample/speed.ts';
import { chain, type SampleTransform } from '../../audio/transform.ts';
import { canceled, followSignal } from '../../cancellation.ts';
import { concatenate } from '../../float-arrays.ts';
import { lexiconOf, requestInVoice, type SpokenFields } from '../accepted.ts';
import type { Backend } from '../backend.ts';
import type { Preparation } from '../prepare.ts';
import type { Recognize } from '../recognize.ts';
import type { EncodedAudio } from '../request.ts';
import type { SpeechEvent } from '../speech-event.ts';
import { timeSentences } from '../timing/time-sentences.ts';
import type { TimedSentence } from '../timing/timed-text.ts';
import { createFindings } from './findings.ts';
import { createJoiner, type Joiner } from './join.ts';
import { type KeptSections, sectionsOf } from './kept-sections.ts';
import { initialVoice, learnVoice, type Speaker } from './part-voice.ts';
import type { PlannedPart } from './plan.ts';
import { type Fragment, type OnPatch, type PartOutcome, type Progress, speakPart } from './speak-part.ts';

export interface TextSynthesizerOptions {
  /** Maximum number of parts generated at once. */
  readonly maxBatch: number;
  /** Checks the words of speech that may be retracted. */
  readonly recognize?: Recognize | undefined;
}

export interface SpeakTextOptions {
  /** Nobody hears the speech before it is complete, so that parts are generated at once, and bad ones again. */
  readonly mayRetract?: boolean | undefined;
  /** Whether parts have the times of their sentences and words (default: none). */
  readonly timestamps?: 'none' | 'words' | undefined;
  /** Called after each patch. An exception ends the utterance. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Maximum number of parts to generate at once; at most `maxBatch`, the default. */
  readonly partsAtOnce?: number | undefined;
  /** Keeps finished sections of a long text, and has those that an earlier call with the same request has kept. */
  readonly sections?: KeptSections | undefined;
}

export interface TextSynthesizer {
  /**
   * Yields events in order. Nothing is computed before the first pull. If the speech may be retracted, at most
   * `2 × partsAtOnce` parts are held, else at most one step is ahead of the consumer.
   *
   * @param plan parts in order; a text that is still being written has some of them later
   */
  speak(
    request: SpokenFields,
    plan: AsyncIterable<PlannedPart>,
    signal: AbortSignal,
    options: SpeakTextOptions,
  ): AsyncGenerator<SpeechEvent, void, undefined>;
}

interface Shaping extends SampleTransform {
  /** Number of samples that were trimmed off the beginning. */
  skipped(): number;
}

/** @param backend must accept concurrent calls, like a scheduler */
export function createTextSynthesizer(
  backend: Backend,
  preparation: Preparation,
  { maxBatch, recognize }: TextSynthesizerOptions,
): TextSynthesizer {
  const { info } = backend;
  const sampleRate = info.outputSampleRate;
  const engine = { backend, preparation, recognize };

  /** The speakers of a request by the name of their voice; audio is encoded once, when first needed. */
  function createSpeakers(request: SpokenFields, signal: AbortSignal): (name: string | undefined) => Speaker {
    const speakers = new Map<string | undefined, Speaker>();
    return (name) => {
      const known = speakers.get(name);
      if (known !== undefined) return known;
      const own = requestInVoice(request, name);
      const encode = async (): Promise<SpokenFields> => {
        const { promptAudio, referenceAudio, trimSilence } = own;
        const trimmed = (audio: Audio | EncodedAudio) =>
          trimSilence && !('patches' in audio) ? trimRecording(audio) : audio;
        return {
          ...own,
          promptAudio: promptAudio && (await preparation.encode(trimmed(promptAudio), 'prompt', signal)),
          referenceAudio: referenceAudio && (await preparation.encode(trimmed(referenceAudio), 'reference', signal)),
        };
      };
      let encoded: Promise<SpokenFields> | undefined;
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

  interface Speaking extends Pick<SpeakTextOptions, 'onProgress'> {
    readonly request: SpokenFields;
    readonly speakerOf: ReturnType<typeof createSpeakers>;
    readonly mayRetract: boolean;
    readonly timestamps: 'none' | 'words';
    readonly signal: AbortSignal;
    /** Ends the signal. */
    stop(): void;
  }

  const fragmentsOf = (part: PlannedPart, speaking: Speaking, onPatch: OnPatch) =>
    speakPart(engine, { ...speaking, part, speaker: speaking.speakerOf(part.voice), onPatch });

  /** One part after the other, as it is generated. */
  async function* inOrder(
    plan: AsyncIterable<PlannedPart>,
    speaking: Speaking,
  ): AsyncGenerator<Fragment, void, undefined> {
    const { onProgress } = speaking;
    for await (const part of plan) {
      const report = { part: part.index + 1, parts: part.index + 1, finished: part.index };
      yield* fragmentsOf(part, speaking, (patch) => onProgress?.({ ...patch, ...report }));
    }
  }

  /**
   * Finished parts, several of which are generated at once.
   *
   * @param first number of the first part of the plan
   * @param total number of parts of the text
   */
  async function* atOnce(
    plan: AsyncIterable<PlannedPart>,
    speaking: Speaking,
    { most: atMost, first, total }: { readonly most: number; readonly first: number; readonly total: number },
  ): AsyncGenerator<Fragment, void, undefined> {
    const { speakerOf, signal, onProgress } = speaking;
    const planned = plan[Symbol.asyncIterator]();
    const waiting: PlannedPart[] = [];
    let isPlanned = false;
    /** Number of parts that were planned. */
    let count = first;
    const started: Promise<Fragment>[] = [];
    const done = new Set<number>();
    /** Number of leading parts that are all finished. */
    let finished = first;
    /** Number of parts that the consumer has taken. */
    let taken = first;
    let isOver = false;

    /** Plans the parts that may start next, so that which ones do never depends on how long planning takes. */
    async function planAhead(): Promise<void> {
      for (; !isPlanned && count <= taken + 2 * atMost; count += 1) {
        const next = await planned.next();
        if (next.done) isPlanned = true;
        else waiting.push(next.value);
      }
    }

    const begin = async (part: PlannedPart): Promise<Fragment> => {
      const onPatch: OnPatch = (report) =>
        onProgress?.({ ...report, part: part.index + 1, parts: total, finished: first + done.size });
      const [fragment] = await collect(fragmentsOf(part, speaking, onPatch));
      done.add(part.index);
      for (; done.has(finished); finished += 1);
      launch();
      return fragment as Fragment;
    };

    /**
     * Starts the parts that may run now. Unless the consumer is slower than the model, text and seed alone determine which
     * parts share a pass, so that the same call gives bit-identical samples.
     */
    function launch(): void {
      for (let [next] = waiting; next !== undefined && !signal.aborted; [next] = waiting) {
        const { index, voice } = next;
        const most = speakerOf(voice).voice.isKnown ? atMost : 1;
        if (index - finished >= most || index - taken >= 2 * atMost) return;
        const outcome = begin(next);
        void outcome.catch(ignore);
        started.push(outcome);
        waiting.shift();
      }
    }

    try {
      await planAhead();
      for (launch(); started.length > 0; launch()) {
        const fragment = await (started[0] as Promise<Fragment>);
        started.shift();
        yield fragment;
        taken += 1;
        await planAhead();
      }
      // No part starts after the signal, so the speech is incomplete.
      if (waiting.length > 0 || !isPlanned) throw canceled(signal);
      isOver = true;
    } finally {
      if (!isOver) speaking.stop();
      await planned.return?.();
      await Promise.allSettled(started);
    }
  }

  /** Section by section, with those that an earlier call has kept. */
  async function* resumed(
    parts: readonly PlannedPart[],
    speaking: Speaking,
    store: KeptSections,
    most: number,
  ): AsyncGenerator<Fragment, void, undefined> {
    for (const section of sectionsOf(parts)) {
      const first = section[0]?.index ?? 0;
      const kept = await store.read(first, section.length);
      for (const [number, outcome] of kept?.entries() ?? []) {
        const part = section[number] as PlannedPart;
        const speaker = speaking.speakerOf(part.voice);
        const spoken = { ...outcome, part, text: part.text, style: part.style };
        speaker.voice = learnVoice(speaker.voice, spoken, info);
        yield { part, samples: spoken.samples, patches: spoken.count, attempt: 1, outcome: spoken };
      }
      if (kept !== undefined) continue;
      const made: PartOutcome[] = [];
      for await (const fragment of atOnce(itemsOf(section), speaking, { most, first, total: parts.length })) {
        if (fragment.outcome !== undefined) made.push(fragment.outcome);
        if (made.length === section.length) await store.keep(first, made);
        yield fragment;
      }
    }
  }

  async function* fragments(
    plan: AsyncIterable<PlannedPart>,
    speaking: Speaking,
    { partsAtOnce = maxBatch, sections }: SpeakTextOptions,
  ): AsyncGenerator<Fragment, void, undefined> {
    if (!speaking.mayRetract) return yield* inOrder(plan, speaking);
    const most = Math.max(1, Math.min(partsAtOnce, maxBatch));
    // Progress needs the number of parts, and so do sections; elsewhere the text is split as it is spoken.
    if (sections === undefined && speaking.onProgress === undefined)
      return yield* atOnce(plan, speaking, { most, first: 0, total: 0 });
    const parts = await collect(plan);
    if (sections !== undefined) return yield* resumed(parts, speaking, sections, most);
    yield* atOnce(itemsOf(parts), speaking, { most, first: 0, total: parts.length });
  }

  async function* speak(
    request: SpokenFields,
    plan: AsyncIterable<PlannedPart>,
    outer: AbortSignal,
    options: SpeakTextOptions,
  ): AsyncGenerator<SpeechEvent, void, undefined> {
    const { mayRetract = false, timestamps = 'none', onProgress } = options;
    const lifetime = followSignal(outer);
    const { signal } = lifetime;
    const speakerOf = createSpeakers(request, signal);
    const speaking = { request, speakerOf, mayRetract, timestamps, signal, onProgress, stop: lifetime.end };
    const joiner = createJoiner(sampleRate);
    const findings = createFindings();
    let leadSamples = 0;
    let open: OpenPart | undefined;
    try {
      for await (const fragment of fragments(plan, speaking, options)) {
        const { part, samples, patches, patch, attempt, outcome } = fragment;
        if (open?.part !== part) {
          const lead = silenceBefore(part, joiner);
          leadSamples += lead.length;
          const shaping = await openShaping(part, request);
          open = { part, shaping, lead, text: part.text, patches: 0, attempt, generated: 0, wasted: 0 };
        }
        const { shaping } = open;
        if (attempt !== open.attempt) open.wasted = open.generated;
        open.attempt = attempt;
        open.generated += samples.length;
        open.patches += patches;
        // Alone, a part is joined to nothing, so none of it is held back.
        const isOnly = part.isLast && part.index === 0;
        const joined = (shaped: Float32Array): Float32Array => (isOnly ? shaped : joiner.push(shaped));
        const heard = [open.lead, joined(shaping.push(samples))];
        open.lead = silenceOf(0);
        if (outcome === undefined) {
          const event = {
            part: part.index,
            text: open.text,
            samples: concatenate(heard),
            patches: open.patches,
            patch,
          };
          if (event.samples.length === 0) continue;
          open.text = undefined;
          open.patches = 0;
          yield event;
          continue;
        }
        heard.push(joined(shaping.flush()));
        if (part.isLast) heard.push(isOnly ? silenceOf(0) : joiner.end(), silenceOf(part.pauseSeconds));
        else joiner.pause(part.pauseSeconds);
        findings.add(outcome);
        yield {
          part: part.index,
          text: open.text,
          samples: concatenate(heard),
          patches: open.patches,
          patch,
          sentences: timestamps === 'words' ? sentencesOf(outcome, open) : undefined,
          end: outcome.end,
          seed: outcome.seed,
          attempts: outcome.tries,
          ...(part.isLast && { isLast: true, warnings: findings.warnings() }),
        };
        shaping.close();
      }
      // A text that was still being written may end after its last part.
      if (open === undefined || open.part.isLast) return;
      const warnings = findings.warnings();
      yield { part: open.part.index, samples: joiner.end(), patches: 0, isLast: true, warnings };
    } finally {
      open?.shaping.close();
      lifetime.end();
      lifetime.detach();
    }

    function sentencesOf(outcome: PartOutcome, { part, shaping, wasted }: OpenPart): readonly TimedSentence[] {
      const { samples, reading } = outcome;
      const { rate, text, voice, stretches } = part;
      // When the first sample that the model generated is or would be heard.
      const start = startOf(part, joiner, leadSamples + (wasted - shaping.skipped()) / rate);
      if (start === undefined) return [];
      const heard = { samples, sampleRate, start, rate, reading, voice, stretches };
      return timeSentences(text, heard, lexiconOf(request, voice));
    }
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
    return start === undefined ? undefined : (start + samples) / sampleRate;
  }

  const silenceOf = (seconds: number): Float32Array => new Float32Array(Math.round(seconds * sampleRate));

  /** Trims and sets the rate of a part. */
  async function openShaping({ rate }: PlannedPart, { trimSilence }: SpokenFields): Promise<Shaping> {
    const speed = await createSpeed(sampleRate, rate);
    if (!trimSilence) return { ...speed, skipped: () => 0 };
    const trim = createSilenceTrim(sampleRate);
    return { ...chain(trim, speed), skipped: trim.skipped };
  }

  return { speak };
}

/** The part that is being heard. */
interface OpenPart {
  readonly part: PlannedPart;
  readonly shaping: Shaping;
  /** Silence in front of it. */
  lead: Float32Array;
  /** Until an event has it. */
  text: string | undefined;
  /** Those that no event has yet. */
  patches: number;
  attempt: number;
  /** Samples that the model has generated, and those of attempts that turned out silent. */
  generated: number;
  wasted: number;
}

async function* itemsOf<Item>(items: Iterable<Item>): AsyncGenerator<Item, void, undefined> {
  yield* items;
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const ignore = (): void => undefined;
