/** A source of speech: an engine in this process, or workers on other machines. */
import type { FairShare } from '../admission/step-turns.ts';
import type { Audio } from '../audio/audio.ts';
import type { Steps } from '../event-loop.ts';
import type { Accepted, AcceptedLive } from './accepted.ts';
import type { DeviceUse, ModelInfo, VoiceMemory } from './backend.ts';
import type { LiveSpeech } from './live/live-request.ts';
import type { KeptSections } from './long-text/kept-sections.ts';
import type { Progress } from './long-text/speak-part.ts';
import type { CatalogAdapter } from './lora/adapter-catalog.ts';
import type { ParsedRequest } from './parsed-request.ts';
import type { TextPreview } from './plan/preview.ts';
import type { RequestFields } from './request.ts';
import type { SpeechEvent } from './speech-event.ts';
import type { EncodedAudio } from './voice-fields.ts';

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

export interface SpeakOptions extends RunOptions, AcceptOptions {
  /** The speech is played once it is complete, so that parts are generated at once, and bad ones again. */
  readonly mayRetract?: boolean | undefined;
  /** Whether parts have the times of their sentences and words (default: none). */
  readonly timestamps?: 'none' | 'words' | undefined;
  /** Called after each patch. An exception ends the utterance. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Maximum number of parts to generate at once; at most `maxBatch`, the default. */
  readonly partsAtOnce?: number | undefined;
  /** Keeps finished sections of a long text, and has those that an earlier call with the same request has kept. */
  readonly sections?: KeptSections | undefined;
  /**
   * Called with each wait for a segment of live text, and awaited before the segment is spoken. The stream holds no engine
   * resources during the call, so other requests may run.
   */
  readonly whileWaiting?: ((segment: Promise<unknown>) => Promise<void>) | undefined;
}

export interface SpeechSource {
  readonly info: ModelInfo;
  /** Meaning of `normalize: auto` for the model. */
  readonly normalizes: boolean;
  /** Accepts a request whose text was read, in steps; without computing. @throws SvcError INVALID_REQUEST */
  accept(request: ParsedRequest, options?: AcceptOptions): Steps<Accepted>;
  /** Accepts a request whose text is still being written. @throws SvcError INVALID_REQUEST */
  acceptLive(fields: RequestFields, options?: AcceptOptions): AcceptedLive;
  /**
   * The text of an accepted request as the model gets it, in steps, without computing.
   *
   * @param text of the request, as written
   */
  preview(speech: Accepted, text: string): Steps<TextPreview>;
  /**
   * Speaks an accepted request. Nothing is computed before the first pull. If the speech may be retracted, at most
   * `2 × partsAtOnce` parts are held, else at most one step is ahead of the consumer.
   */
  speak(speech: Accepted | LiveSpeech, options?: SpeakOptions): AsyncGenerator<SpeechEvent, void, undefined>;
  /** Encodes audio to the model's patches, for use in many requests. Prompt and reference are padded differently. */
  encode(audio: Audio, role: EncodedAudio['role'], options?: RunOptions): Promise<EncodedAudio>;
  /** Memory of voices; undefined if the source can't report it. */
  voiceMemory?(): VoiceMemory | undefined;
  /** The GPUs that it computes on, if any. */
  deviceUse?(): readonly DeviceUse[] | undefined;
}
