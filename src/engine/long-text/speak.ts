/**
 * Speaks texts of any length part by part, as one sequence of events. What may be retracted decides how: parts for a file are
 * generated at once, and bad ones again before they are passed on; a listener gets each patch as it is generated. A text of
 * one part gives the same utterance in both cases.
 */
import { once } from '../../admission/concurrency.ts';
import { trimRecording } from '../../audio/analyze/trim-silence.ts';
import type { Audio } from '../../audio/audio.ts';
import { assertRate } from '../../audio/resample/resample.ts';
import { throwIfCanceled } from '../../cancellation.ts';
import { inTurns, itemsInTurns } from '../../event-loop.ts';
import { type AcceptedFields, requestInVoice, unsupportedTags } from '../accepted.ts';
import { assertAccepted } from '../check-requests.ts';
import type { Lifetimes } from '../lifetimes.ts';
import { cutLive } from '../live/cut-live.ts';
import type { LiveSpeech } from '../live/live-request.ts';
import { isCut } from '../live/live-text.ts';
import { planLive } from '../live/plan-live.ts';
import type { LoadedAdapters } from '../lora/loaded-adapters.ts';
import { type PlannedPart, planSteps } from '../plan/plan.ts';
import type { Preparation } from '../prepare.ts';
import type { SpeechEvent } from '../speech-event.ts';
import type { SpeakOptions, SpeechSource } from '../speech-source.ts';
import { openSpeedChange } from '../speed.ts';
import type { EncodedAudio } from '../voice-fields.ts';
import { createAssembly } from './assemble.ts';
import { finishedParts, keptParts } from './finished-parts.ts';
import { initialVoice, type Speaker } from './part-voice.ts';
import { type OnPatch, type PartEngine, type PartOutcome, type Speaking, speakPart } from './speak-part.ts';

export interface SpeakDependencies extends PartEngine {
  readonly adapters: LoadedAdapters;
  readonly lifetimes: Lifetimes;
  /** Maximum number of parts generated at once. */
  readonly maxBatch: number;
}

export function createSpeak(dependencies: SpeakDependencies): SpeechSource['speak'] {
  const { backend, preparation, adapters, lifetimes, maxBatch } = dependencies;
  const { info } = backend;

  return async function* speak(undecided, options = {}): AsyncGenerator<SpeechEvent, void, undefined> {
    assertAccepted(undecided, options);
    const { signal: outer, adapter: pinned, timestamps = 'none', onProgress } = options;
    const lifetime = lifetimes.begin(outer);
    const { signal } = lifetime;
    const speech = preparation.decided(undecided);
    const warnings = createNews(speech.warnings);
    const assembly = createAssembly(speech, info.outputSampleRate, timestamps);
    const speed = openSpeedChange(info.outputSampleRate, speech.speed);
    const finish = async (event: SpeechEvent): Promise<SpeechEvent> => {
      const changed = await speed.apply(event);
      warnings.add(event.warnings ?? []);
      return { ...changed, warnings: warnings.take() };
    };
    try {
      throwIfCanceled(signal);
      if ('letters' in speech && speech.letters === 'unchecked')
        warnings.add(await inTurns(preparation.unread(speech)));
      throwIfCanceled(signal);
      const { use: adapter, release } = await adapters.lease(speech, pinned);
      try {
        throwIfCanceled(signal);
        const isLive = 'text' in speech;
        const plan = isLive ? planText(speech, options, signal, warnings.add) : itemsInTurns(planSteps(speech, info));
        const mayRetract = options.mayRetract === true && !isLive;
        const speakerOf = createSpeakers(speech, preparation, signal);
        const speaking = { request: speech, adapter, speakerOf, mayRetract, timestamps, signal };
        if (mayRetract) {
          for await (const outcome of await inAdvance(plan, speaking, options, lifetime.end))
            yield await finish(await assembly.finish(outcome));
        } else {
          for await (const part of plan) {
            const report = { part: part.index + 1, parts: part.index + 1, finished: part.index };
            const onPatch: OnPatch = (patch) => onProgress?.({ ...patch, ...report });
            for await (const item of speakPart(dependencies, part, speaking, onPatch)) {
              const event = 'tries' in item ? await assembly.finish(item) : await assembly.add(part, item);
              if (event !== undefined) yield await finish(event);
            }
          }
        }
        const last = assembly.end();
        if (last !== undefined) yield await finish(last);
      } finally {
        lifetime.end();
        release();
      }
    } finally {
      assembly.close();
      speed.close();
      lifetimes.end(lifetime);
    }
  };

  async function inAdvance(
    plan: AsyncIterable<PlannedPart>,
    speaking: Speaking,
    { partsAtOnce = maxBatch, onProgress, sections }: SpeakOptions,
    stop: () => void,
  ): Promise<AsyncIterable<PartOutcome>> {
    const options = { most: Math.max(1, Math.min(partsAtOnce, maxBatch)), onProgress, stop };
    // Progress needs the number of parts, and so do sections; elsewhere the text is split as it is spoken.
    if (sections === undefined && onProgress === undefined)
      return finishedParts(dependencies, { plan, first: 0, total: 0 }, speaking, options);
    const parts: PlannedPart[] = [];
    for await (const part of plan) parts.push(part);
    if (sections !== undefined) return keptParts(dependencies, parts, speaking, { ...options, sections });
    return finishedParts(dependencies, { plan: parts, first: 0, total: parts.length }, speaking, options);
  }

  function planText(
    { text, ...accepted }: LiveSpeech,
    { whileWaiting }: SpeakOptions,
    signal: AbortSignal,
    warn: (warnings: readonly string[]) => void,
  ): AsyncGenerator<PlannedPart, void, undefined> {
    let isUnread = false;
    return planLive({
      segments: isCut(text) ? text.segments : cutLive({ text, request: accepted, info, signal, whileWaiting }),
      accepted,
      info,
      async onSegment(segment, found) {
        const unread = isUnread ? undefined : await inTurns(preparation.coverage(segment, accepted));
        isUnread ||= unread !== undefined;
        warn([...found, ...unsupportedTags(segment, info), ...(unread === undefined ? [] : [unread])]);
      },
    });
  }
}

function createNews(given: readonly string[]) {
  const known = new Set(given);
  let news: string[] = [];
  return {
    add(warnings: readonly string[]): void {
      news.push(...warnings.filter((warning) => !known.has(warning)));
      for (const warning of news) known.add(warning);
    },
    take(): readonly string[] {
      const taken = news;
      news = [];
      return taken;
    },
  };
}

/** The speakers of a request by the name of their voice; audio is encoded once, when first needed. */
function createSpeakers(
  request: AcceptedFields,
  preparation: Pick<Preparation, 'encode'>,
  signal: AbortSignal,
): (name: string | undefined) => Speaker {
  const speakers = new Map<string | undefined, Speaker>();
  return (name) => {
    const known = speakers.get(name);
    if (known !== undefined) return known;
    const own = requestInVoice(request, name);
    const encoded = once(async (): Promise<AcceptedFields> => {
      const { promptAudio, referenceAudio, trimSilence } = own;
      const trimmed = (audio: Audio | EncodedAudio) => {
        if (!trimSilence || 'patches' in audio) return audio;
        assertRate(audio);
        return trimRecording(audio);
      };
      return {
        ...own,
        promptAudio: promptAudio && (await preparation.encode(trimmed(promptAudio), 'prompt', signal)),
        referenceAudio: referenceAudio && (await preparation.encode(trimmed(referenceAudio), 'reference', signal)),
      };
    });
    const speaker = { voice: initialVoice(own), request: encoded };
    speakers.set(name, speaker);
    return speaker;
  };
}
