/** Generates the audio of an accepted request, event by event. */
import type { Job } from '../../admission/queue.ts';
import { createResampler } from '../../audio/resample/library-resample.ts';
import { pushInSlices } from '../../audio/slices.ts';
import { withVoices } from '../../engine/accepted.ts';
import { joinEvents, type SpeechEvent } from '../../engine/speech-event.ts';
import { ignore, SvcError } from '../../errors.ts';
import { currentSpan, pulledWithin } from '../../tracing/span.ts';
import { traceSpeech } from '../../tracing/trace-speech.ts';
import { loadScriptVoices } from '../../voices/script-voices.ts';
import type { LoadedVoice } from '../../voices/voice-catalog.ts';
import type { ModelContext } from '../context/context.ts';
import type { ServerLimits } from '../context/settings.ts';
import { withErrorParam } from '../http/with-error-param.ts';
import type { AcceptedRequest } from './accepted-request.ts';

const silenceSeconds = 0.25;

export interface SpeechInProgress {
  readonly seed: number;
  /** At the sample rate of the request. Events without audio are joined with the next one, except at ends of sentences. */
  readonly events: AsyncIterable<SpeechEvent>;
  /** Warnings so far; complete when the audio has ended. */
  readonly warnings: () => readonly string[];
  /** Frees the engine's stream and the converters. Always call it, even if the audio was not read. */
  close(): Promise<void>;
}

/** Resolves with the first audio, so that earlier errors can still set the status. */
export async function openSpeech(
  context: ModelContext,
  request: AcceptedRequest,
  { job, arrived }: { readonly job: Job; readonly arrived: number },
): Promise<SpeechInProgress> {
  if (request.isSilent) return openSilence(request);
  const { modelName, engine, voices, metrics, settings, forecast } = context;
  const { signal, share } = job;
  const { voice, adapter, mayRetract } = request;
  const spokenBy: Partial<LoadedVoice> =
    voice.kind === 'recording' ? {} : await withErrorParam('voice', () => voices.load(voice, { signal }));
  const prompt = voice.kind === 'recording' ? undefined : voice.prompt;
  const named = await loadScriptVoices(voices, request.voices, signal);
  const speech = withVoices(
    request.speech,
    { own: prompt ? { ...spokenBy.request, ...prompt } : spokenBy.request, voices: named.voices },
    engine.info,
  );
  const { speed } = speech;
  const isLive = 'text' in speech;
  const timestamps = request.timestamps === 'none' ? ('none' as const) : ('words' as const);
  const whileWaiting = (segment: Promise<unknown>): Promise<void> => restUntil(segment, job);
  const stream = engine.speak(speech, { signal, share, timestamps, adapter, mayRetract, whileWaiting });
  const { outputSampleRate } = engine.info;
  const warnings = [...request.warnings, ...(spokenBy.warnings ?? []), ...named.warnings, ...speech.warnings];
  // Loads a resampler, if needed, while the first audio is generated.
  const opening = createResampler(outputSampleRate, request.sampleRate);
  opening.catch(ignore);
  const events = run();
  const first = await events.next();
  job.begun?.();
  metrics.firstAudio((performance.now() - arrived) / 1000);

  async function* run(): AsyncGenerator<SpeechEvent, void, undefined> {
    const span = currentSpan().child('speech', {
      attributes: { 'svc.model': modelName, 'svc.voice': voice.kind, 'svc.text.characters': request.characters },
    });
    const trace = traceSpeech(span);
    let failure: unknown;
    const started = performance.now();
    /** Seconds of audio so far. */
    let played = 0;
    let part = 0;
    let held: SpeechEvent | undefined;
    try {
      for await (const { samples: generated, ...event } of pulledWithin(span, stream)) {
        warnings.push(...(event.warnings ?? []));
        part = event.part;
        const seconds = generated.length / outputSampleRate;
        played += seconds;
        assertLength(played, settings.limits);
        trace.record(part, seconds * speed, event.patches);
        // A part of a long text comes in one piece; converting it in slices keeps other requests responsive.
        const samples = amplified(await pushInSlices(await opening, generated), request.volume);
        const next = held === undefined ? { ...event, samples } : joinEvents(held, { ...event, samples });
        const isDue = samples.length > 0 || (isLive && (next.sentences ?? []).length > 0);
        held = isDue ? undefined : next;
        if (isDue) yield next;
      }
      const samples = amplified((await opening).flush(), request.volume);
      if (samples.length > 0) yield { ...held, part, samples, patches: 0 };
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      trace.end(failure);
      void opening.then(({ close }) => close(), ignore);
    }
    const seconds = (performance.now() - started) / 1000 - job.yieldedSeconds();
    metrics.spoken(modelName, played * speed, seconds);
    if (!isLive) forecast.learn(modelName, request.characters, seconds);
  }

  async function* resumed(): AsyncGenerator<SpeechEvent, void, undefined> {
    if (first.done) return;
    yield first.value;
    yield* events;
  }
  // `return()` of the outer generator would run nothing if it was never started.
  const close = async (): Promise<void> => void (await events.return());
  return { seed: speech.seed, events: resumed(), warnings: () => [...new Set(warnings)], close };
}

/** Clipped, as encoders expect. */
const amplified = (samples: Float32Array, volume: number): Float32Array =>
  volume === 1 ? samples : samples.map((sample) => Math.max(-1, Math.min(1, sample * volume)));

function assertLength(seconds: number, { speechSeconds: most }: ServerLimits): void {
  if (seconds <= most) return;
  throw new SvcError('PAYLOAD_TOO_LARGE', `the speech is longer than the limit of ${most} s; send shorter texts`);
}

/** Shorter waits for text keep the slot, in milliseconds. */
const briefMilliseconds = 50;

/** Gives up the slot of a job until there is a piece of text to speak, so that idle writers don't keep others waiting. */
async function restUntil(piece: Promise<unknown>, job: Job): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const brief = new Promise<'waiting'>((resolve) => {
    timer = setTimeout(() => resolve('waiting'), briefMilliseconds);
  });
  try {
    if ((await Promise.race([piece, brief])) === 'waiting') await job.releaseSlotUntil(piece);
  } finally {
    clearTimeout(timer);
  }
}

/** Adds the silence of a text without words, which a text that was still being written is known to be at its end. */
export async function* withSilence(
  events: SpeechInProgress['events'],
  request: AcceptedRequest,
): AsyncGenerator<SpeechEvent, void, undefined> {
  let isSilent = true;
  for await (const event of events) {
    isSilent = false;
    yield event;
  }
  if (isSilent) yield silenceAt(request.sampleRate);
}

const silenceAt = (sampleRate: number): SpeechEvent => ({
  samples: new Float32Array(Math.round(sampleRate * silenceSeconds)),
  part: 0,
  patches: 0,
});

function openSilence({ speech: { seed }, warnings, sampleRate }: AcceptedRequest): SpeechInProgress {
  async function* silence(): AsyncGenerator<SpeechEvent, void, undefined> {
    yield silenceAt(sampleRate);
  }
  return { seed, events: silence(), warnings: () => warnings, close: async () => undefined };
}
