/** Generates the audio of an order, piece by piece. */

import type { Job } from '../../admission/queue.ts';
import type { Audio } from '../../audio/audio.ts';
import { createConverter } from '../../audio/resample/convert.ts';
import { pushInSlices } from '../../audio/slices.ts';
import type { ModelInfo } from '../../engine/backend.ts';
import type { HeardChunk, HeardStream, PartStream, SpokenPart } from '../../engine/engine.ts';
import type { LiveText } from '../../engine/live/live-request.ts';
import type { CatalogAdapter } from '../../engine/lora/adapter-catalog.ts';
import { randomSeed } from '../../engine/noise.ts';
import type { SynthesisRequest } from '../../engine/request.ts';
import { atSpeed } from '../../engine/timing/time-sentences.ts';
import type { TimedSentence } from '../../engine/timing/timed-text.ts';
import { SvcError } from '../../errors.ts';
import { currentSpan, pulledWithin } from '../../tracing/span.ts';
import { traceSpeech } from '../../tracing/trace-speech.ts';
import { loadScriptVoices } from '../../voices/script-voices.ts';
import type { LoadedVoice } from '../../voices/voice-catalog.ts';
import type { VoiceChoice } from '../../voices/voice-choice.ts';
import type { VoiceRequest } from '../../voices/voice-service.ts';
import type { ModelContext } from '../context.ts';
import { withErrorParam } from '../http/with-error-param.ts';
import type { ServerLimits } from '../settings.ts';
import type { TimestampLevel } from './timestamps.ts';

export interface SpeechOrder {
  /** Everything but the voices, and for live speech the text. */
  readonly request: SynthesisRequest;
  /** The adapter that the request named when it was accepted. */
  readonly adapter?: CatalogAdapter | undefined;
  /** A text that is still being written, in place of the request's. */
  readonly live?: LiveText | undefined;
  readonly voice:
    | VoiceChoice
    | { readonly kind: 'recording'; readonly audio: Audio; readonly text: string | undefined };
  /** Voices that a script names. */
  readonly voices: Readonly<Record<string, VoiceChoice>>;
  /** Length of the text; 0 while it is being written. */
  readonly characters: number;
  readonly timestamps: TimestampLevel;
  /** How the order differs from the request. */
  readonly warnings: readonly string[];
  /** Above 1 is faster. */
  readonly speed: number;
  /** Sample rate of the audio in Hz. */
  readonly sampleRate: number;
  /** `parts` are regenerated if they run too long; `patches` are sent at once, and regenerated only while silent. */
  readonly pieces: 'patches' | 'parts';
  /** The text has no words (an emoji, `...`): answered with a short silence for clients that send single sentences. */
  readonly isSilent: boolean;
}

/** Length of the silence for texts without words. */
const silenceSeconds = 0.25;

/** A piece of audio. */
export interface SpeechPiece {
  /** Mono PCM at the order's sample rate; may be empty where sentences end. */
  readonly samples: Float32Array;
  /** Number of the part of the text, from 0. */
  readonly part: number;
  /** What is spoken in this part; unknown over a broker. */
  readonly text: string;
  /** Sentences that begin in this piece or in one before; with timestamps only. */
  readonly sentences: readonly TimedSentence[];
}

export interface SpeechInProgress {
  readonly seed: number;
  readonly audio: AsyncIterable<SpeechPiece>;
  /** Warnings so far; complete when the audio has ended. */
  readonly warnings: () => readonly string[];
  /** Frees the engine's stream and the converters. Always call it, even if the audio was not read. */
  close(): Promise<void>;
}

/**
 * Checks everything that needs no computation.
 *
 * @returns `silence` when the text has no words
 * @throws SvcError INVALID_REQUEST
 */
export const checkSpeech = (
  { engine }: ModelContext,
  request: SynthesisRequest,
  voice: SpeechOrder['voice'],
): Promise<'speech' | 'silence'> =>
  engine.checkInTurns(voice.kind === 'recording' ? { ...request, ...voiceOfRecording(voice, engine.info) } : request);

/** Resolves with the first audio, so that earlier errors can still set the status. */
export async function openSpeech(
  context: ModelContext,
  order: SpeechOrder,
  { job, arrived }: { readonly job: Job; readonly arrived: number },
): Promise<SpeechInProgress> {
  if (order.isSilent) return openSilence(order);
  const { modelName, engine, voices, metrics, settings, forecast } = context;
  const { signal, share } = job;
  const { voice } = order;
  const spokenBy: LoadedVoice =
    voice.kind === 'recording'
      ? { request: { ...voiceOfRecording(voice, engine.info), voiceLexicon: settings.lexicon }, warnings: [] }
      : await withErrorParam('voice', () => voices.load(voice, { signal }));
  const named = await loadScriptVoices(voices, order.voices, signal);
  // The request's seed takes precedence over the voice's.
  const request = { ...spokenBy.request, ...order.request, voices: named.voices };
  const timestamps = order.timestamps === 'none' ? ('none' as const) : ('words' as const);
  const stream = openStream();
  // Loads a resampler, if needed, while the first audio is generated.
  const opening = createConverter({ speed: order.speed, from: stream.sampleRate, to: order.sampleRate });
  opening.catch(() => undefined);
  const pieces = run();
  const first = await pieces.next();
  job.begun?.();
  metrics.firstAudio((performance.now() - arrived) / 1000);

  function openStream(): HeardStream | PartStream {
    const { live: text, adapter } = order;
    if (text !== undefined) {
      const whileWaiting = (piece: Promise<unknown>): Promise<void> => restUntil(piece, job);
      return engine.stream({ ...request, text }, { signal, share, timestamps, adapter, whileWaiting });
    }
    return order.pieces === 'parts'
      ? engine.synthesizeParts(request, { signal, share, timestamps, adapter, reading: 'in turns' })
      : engine.stream(request, { signal, share, adapter, reading: 'in turns' });
  }

  async function* run(): AsyncGenerator<SpeechPiece, void, undefined> {
    const span = currentSpan().child('speech', {
      attributes: { 'svc.model': modelName, 'svc.voice': voice.kind, 'svc.text.characters': order.characters },
    });
    const trace = traceSpeech(span);
    let failure: unknown;
    const started = performance.now();
    let made = 0;
    let index = 0;
    let text = '';
    let sentences: readonly TimedSentence[] = [];
    try {
      for await (const { samples: generated, ...part } of pulledWithin<SpokenPart | HeardChunk>(span, stream)) {
        made += generated.length;
        assertLength(made / stream.sampleRate / order.speed, settings.limits);
        // A part of a long text comes in one piece; converting it in slices keeps other requests responsive.
        const samples = await pushInSlices(await opening, generated);
        sentences = [...sentences, ...atSpeed(part.sentences ?? [], order.speed)];
        index = 'part' in part ? part.part : part.index;
        trace.record(index, generated.length / stream.sampleRate, 'patches' in part ? part.patches : undefined);
        text = part.text ?? text;
        if (samples.length === 0 && (order.live === undefined || sentences.length === 0)) continue;
        yield { samples, part: index, text, sentences };
        sentences = [];
      }
      const rest = (await opening).flush();
      if (rest.length > 0) yield { samples: rest, part: index, text, sentences };
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      trace.end(failure);
      void opening.then(
        ({ close }) => close(),
        () => undefined,
      );
    }
    const seconds = (performance.now() - started) / 1000 - job.yieldedSeconds();
    metrics.spoken(modelName, made / stream.sampleRate, seconds);
    if (order.live === undefined) forecast.learn(modelName, order.characters, seconds);
  }

  async function* resumed(): AsyncGenerator<SpeechPiece, void, undefined> {
    if (first.done) return;
    yield first.value;
    yield* pieces;
  }
  // `return()` of the outer generator would run nothing if it was never started.
  const close = async (): Promise<void> => void (await pieces.return());
  const warnings = (): readonly string[] => [
    ...new Set([...order.warnings, ...spokenBy.warnings, ...named.warnings, ...stream.warnings]),
  ];
  return { seed: stream.seed, audio: resumed(), warnings, close };
}

/** @throws SvcError PAYLOAD_TOO_LARGE */
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
  audio: SpeechInProgress['audio'],
  order: SpeechOrder,
): AsyncGenerator<SpeechPiece, void, undefined> {
  let isSilent = true;
  for await (const piece of audio) {
    isSilent = false;
    yield piece;
  }
  if (isSilent) yield silenceAt(order.sampleRate);
}

const silenceAt = (sampleRate: number): SpeechPiece => ({
  samples: new Float32Array(Math.round(sampleRate * silenceSeconds)),
  part: 0,
  text: '',
  sentences: [],
});

function openSilence({ request, voice, warnings, sampleRate }: SpeechOrder): SpeechInProgress {
  const seed = request.seed ?? (voice.kind === 'own' ? voice.seed : undefined) ?? randomSeed();
  async function* silence(): AsyncGenerator<SpeechPiece, void, undefined> {
    yield silenceAt(sampleRate);
  }
  return { seed, audio: silence(), warnings: () => warnings, close: async () => undefined };
}

/** Without a transcript a recording is a reference; VoxCPM 1 lacks references and continues it without a transcript. */
function voiceOfRecording(
  { audio, text = '' }: Extract<SpeechOrder['voice'], { readonly kind: 'recording' }>,
  { architecture }: ModelInfo,
): VoiceRequest {
  const promptText = text.trim();
  if (promptText === '' && architecture === 'voxcpm2') return { referenceAudio: audio };
  return { promptAudio: audio, promptText };
}
