/** From what a route understood of a request to audio, piece by piece. */

import type { Job } from '../admission/queue.ts';
import { createConverter } from '../audio/convert.ts';
import { pushInSlices } from '../audio/slices.ts';
import type { Audio } from '../audio/wav.ts';
import type { ModelInfo } from '../engine/backend.ts';
import { randomSeed } from '../engine/noise.ts';
import type { SynthesisRequest } from '../engine/request.ts';
import type { LoadedVoice } from '../voices/voice-catalog.ts';
import type { VoiceChoice } from '../voices/voice-choice.ts';
import type { VoiceRequest } from '../voices/voice-service.ts';
import type { ServerContext } from './context.ts';

export interface SpeechOrder {
  /** All but the voice. */
  readonly request: SynthesisRequest;
  readonly voice:
    | VoiceChoice
    | { readonly kind: 'recording'; readonly audio: Audio; readonly text: string | undefined };
  /** Above 1 is faster. */
  readonly speed: number;
  /** Hz of the audio. */
  readonly sampleRate: number;
  /** `parts` are made again when they babble; `patches` are heard as soon as they are made, and made again while silent. */
  readonly pieces: 'patches' | 'parts';
  /** The text has no words, as an emoji or `...` has none: clients that send sentence by sentence get a short silence. */
  readonly isSilent: boolean;
}

/** Length of the silence for a text without words. */
const silenceSeconds = 0.25;

export interface OpenSpeech {
  readonly seed: number;
  /** Mono PCM at the rate of the order; none is empty. */
  readonly audio: AsyncIterable<Float32Array>;
  /** What the client may not expect: what is known so far, and all of it when the audio has ended. */
  readonly warnings: () => readonly string[];
  /** To be called in the end, whether or not the audio was read: gives the engine's stream and the converters back. */
  close(): Promise<void>;
}

/**
 * Checks what can be checked without computing.
 *
 * @returns `silence` when the text has no words
 * @throws SvcError INVALID_REQUEST
 */
export const checkSpeech = (
  { engine }: ServerContext,
  request: SynthesisRequest,
  voice: SpeechOrder['voice'],
): 'speech' | 'silence' =>
  engine.check(voice.kind === 'recording' ? { ...request, ...voiceOfRecording(voice, engine.info) } : request);

/** Resolves when the first audio is there, so that what fails before it has a status of its own. */
export async function openSpeech(
  context: ServerContext,
  order: SpeechOrder,
  { job, arrived }: { readonly job: Job; readonly arrived: number },
): Promise<OpenSpeech> {
  if (order.isSilent) return openSilence(order);
  const { engine, voices, metrics } = context;
  const { signal } = job;
  const { voice } = order;
  const spokenBy: LoadedVoice =
    voice.kind === 'recording'
      ? { request: voiceOfRecording(voice, engine.info), warnings: [] }
      : await voices.load(voice, { signal });
  // A seed that is asked for goes before that of the voice.
  const request = { ...spokenBy.request, ...order.request };
  const stream =
    order.pieces === 'parts' ? engine.synthesizeParts(request, { signal }) : engine.stream(request, { signal });
  // A codec may have to be loaded, meanwhile the first audio is made.
  const opening = createConverter({ speed: order.speed, from: stream.sampleRate, to: order.sampleRate });
  opening.catch(() => undefined);
  const pieces = run();
  const first = await pieces.next();
  metrics.firstAudio((performance.now() - arrived) / 1000);

  async function* run(): AsyncGenerator<Float32Array, void, undefined> {
    const started = performance.now();
    let made = 0;
    try {
      for await (const { samples } of stream) {
        made += samples.length;
        // A part of a long text comes in one piece; nobody else should wait for all of it.
        const heard = await pushInSlices(await opening, samples);
        if (heard.length > 0) yield heard;
      }
      const rest = (await opening).flush();
      if (rest.length > 0) yield rest;
    } finally {
      void opening.then(
        ({ close }) => close(),
        () => undefined,
      );
    }
    const seconds = (performance.now() - started) / 1000 - job.stoodBackSeconds();
    metrics.spoken(made / stream.sampleRate, seconds);
  }

  async function* resumed(): AsyncGenerator<Float32Array, void, undefined> {
    if (first.done) return;
    yield first.value;
    yield* pieces;
  }
  // Not left to the generator around it: one that was never begun runs nothing when it is returned from.
  const close = async (): Promise<void> => void (await pieces.return());
  const warnings = (): readonly string[] => [...spokenBy.warnings, ...stream.warnings];
  return { seed: stream.seed, audio: resumed(), warnings, close };
}

function openSilence({ request, voice, sampleRate }: SpeechOrder): OpenSpeech {
  const seed = request.seed ?? (voice.kind === 'own' ? voice.seed : undefined) ?? randomSeed();
  async function* silence(): AsyncGenerator<Float32Array, void, undefined> {
    yield new Float32Array(Math.round(sampleRate * silenceSeconds));
  }
  return { seed, audio: silence(), warnings: () => [], close: async () => undefined };
}

/** Without a transcript a recording is a reference; model 1 has none, and continues it without knowing its words. */
function voiceOfRecording(
  { audio, text = '' }: Extract<SpeechOrder['voice'], { readonly kind: 'recording' }>,
  { architecture }: ModelInfo,
): VoiceRequest {
  const promptText = text.trim();
  if (promptText === '' && architecture === 'voxcpm2') return { referenceAudio: audio };
  return { promptAudio: audio, promptText };
}
