import type { Audio } from '../audio/audio.ts';
import type { LexiconEntry } from './lexicon/lexicon.ts';
import type { SynthesisRequest } from './request.ts';
import type { InputFormat } from './script/input-formats.ts';
import type { EncodedAudio } from './voice-fields.ts';

/** A voice of a script; the fields are those of a request. Without any, the model's own voice. */
export type ScriptVoice = Pick<
  SpeechRequest,
  'promptAudio' | 'promptText' | 'referenceAudio' | 'voiceLexicon' | 'voiceLanguage'
>;

/** Requests to an engine: the fields of `SynthesisRequest`, documented for users of the library. */
export interface SpeechRequest extends SynthesisRequest {
  /** Text to speak, of any length. */
  readonly text: string;
  /** Recording that the speech continues, in the same voice. Needs `promptText`. */
  readonly promptAudio?: Audio | EncodedAudio | undefined;
  /** Transcript of `promptAudio`. It may be empty, which makes the voice less similar. */
  readonly promptText?: string | undefined;
  /** Recording that sets the timbre only (VoxCPM 2). */
  readonly referenceAudio?: Audio | EncodedAudio | undefined;
  /** How later parts keep the first part's voice when none is given (default: prompt; reference needs VoxCPM 2). */
  readonly continueBy?: 'prompt' | 'reference' | undefined;
  /** Style in words, such as "calm and slow" (VoxCPM 2, not with prompt audio). */
  readonly control?: string | undefined;
  /** Name of the LoRA adapter to speak with, of `EngineOptions.loras` or `Engine.loras` (default: none). */
  readonly lora?: string | undefined;
  /** Factor of the adapter, from 0 to 4; 1 is as trained (default: that of the adapter). */
  readonly loraWeight?: number | undefined;
  /** Guidance scale, from 0 to 10 (default: 2). */
  readonly cfg?: number | undefined;
  /** Number of flow-matching steps, from 1 to 100 (default: 10). More are finer and slower. */
  readonly timesteps?: number | undefined;
  /** 32-bit integer (default: random). The same seed gives the same samples. */
  readonly seed?: number | undefined;
  /** Minimum length in patches (default: 2). */
  readonly minLength?: number | undefined;
  /** Maximum length in patches, for each part of a long text (default: 4096). */
  readonly maxLength?: number | undefined;
  /** Regenerate speech that is far too long, silent, or fails a check below (default: true). */
  readonly retryBadcase?: boolean | undefined;
  /** Maximum attempts at each part, including the first, from 1 to 100 (default: 3). */
  readonly retryBadcaseMaxTimes?: number | undefined;
  /** Patches per token of the text from which speech is far too long, from 0.1 to 1000 (default: 6). */
  readonly retryBadcaseRatioThreshold?: number | undefined;
  /** Also regenerate speech that is far too short for its text (default: false). */
  readonly retryShort?: boolean | undefined;
  /** Also regenerate speech that is clipped (default: false). */
  readonly retryClipped?: boolean | undefined;
  /** Word error rate above which the recognizer of the engine has speech regenerated, from 0 to 1 (default: 0.2). */
  readonly maxWordErrors?: number | undefined;
  /** Shorten silence before and after the words to 0.2 s, in recordings and in the speech (default: false). */
  readonly trimSilence?: boolean | undefined;
  /** Speak a long text in parts, cut at the ends of sentences (default: true). */
  readonly split?: boolean | undefined;
  /** Replace typographic characters and remove emoji and invisible characters (default: true). */
  readonly clean?: boolean | undefined;
  /** BCP 47 tag of the language in which numbers are read (default: that of the voice, else found for each paragraph). */
  readonly language?: string | undefined;
  /** BCP 47 tag of the document that the text is from: the language of paragraphs that don't show theirs. */
  readonly documentLanguage?: string | undefined;
  /** Read out numbers, dates, units, currencies and abbreviations (default: auto, where the model needs it). */
  readonly normalize?: boolean | 'auto' | undefined;
  /**
   * Format of the text (default: `auto`: SSML if it begins with `<speak`, Markdown if it has its structure, else plain). `script` is plain text with tags such
   * as `[pause:1.5s]` and `[voice:anna]`, `turns` a dialogue as the JSON text of an array of `{ text, voice, pause, format }`.
   */
  readonly inputFormat?: InputFormat | undefined;
  /** Read out the code blocks of Markdown (default: false). */
  readonly readCode?: boolean | undefined;
  /** Begin a text that is still being written at its first clause, not its first sentence (default: true). */
  readonly firstClause?: boolean | undefined;
  /** Voices by the names that a script uses, at most 64. */
  readonly voices?: Readonly<Record<string, ScriptVoice>> | undefined;
  /** Pronunciations, at most 100,000; a later entry takes precedence. */
  readonly lexicon?: readonly LexiconEntry[] | undefined;
  /** Pronunciations of the voice; `lexicon` takes precedence. */
  readonly voiceLexicon?: readonly LexiconEntry[] | undefined;
  /** BCP 47 tag of the language that the voice speaks; `language` and what a script states take precedence. */
  readonly voiceLanguage?: string | undefined;
  /** Speed of the speech at the same pitch, from 0.25 to 4; above 1 is faster (default: 1). */
  readonly speed?: number | undefined;
}
