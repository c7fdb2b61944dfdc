/** Voices as fields of a request: recordings, transcripts, pronunciations, and control of how they speak. */
import { z } from 'zod';
import type { Audio } from '../audio/audio.ts';
import { areFinite } from '../audio/finite-samples.ts';
import { show } from '../messages.ts';
import { invalid, parse, recordOf, requestError, text } from '../validation.ts';
import { type LexiconEntry, longestEntry } from './lexicon/lexicon.ts';
import { schemaOf } from './request-fields.ts';

export type AudioRole = 'prompt' | 'reference';

/** Encoded audio from `Engine.encode` with the same model: `n × patchSize × featureDim` values. */
export interface EncodedAudio {
  readonly role: AudioRole;
  readonly patches: Float32Array;
}

const describeAudio = 'non-empty finite samples with a sample rate, or encoded audio of this role';

const isFilled = (values: unknown): values is Float32Array =>
  values instanceof Float32Array && values.length > 0 && areFinite(values);

const isAudio = (value: unknown, role: AudioRole): boolean => {
  const { samples, sampleRate, patches, role: given } = (value ?? {}) as Partial<Audio & EncodedAudio>;
  return given === undefined ? isFilled(samples) && Number(sampleRate) > 0 : given === role && isFilled(patches);
};

const audio = (role: AudioRole) =>
  z.custom<Audio | EncodedAudio>((value) => isAudio(value, role), { error: describeAudio });

/** In UTF-16 code units: far more than anyone says in the longest recording. A longer one would take long to tokenize. */
const longestTranscript = 8192;

const describeTranscript = `a string of at most ${longestTranscript} characters`;

/** Words of a recording; may be empty. */
export const transcript = text
  .max(longestTranscript, { error: describeTranscript })
  // A store of voices may end a text there.
  .refine((value) => !value.includes('\0'), { error: 'text without NUL characters' });

const mostLexiconEntries = 100_000;

const isEntry = (entry: unknown): boolean => {
  const { written, spoken, ...rest } = (entry ?? {}) as Record<string, unknown>;
  const isWord = (word: unknown): boolean => typeof word === 'string' && word.length > 0 && word.length <= longestEntry;
  return isWord(written) && isWord(spoken) && Object.keys(rest).length === 0;
};

export const lexiconField = z.custom<readonly LexiconEntry[]>(
  (entries) => Array.isArray(entries) && entries.length <= mostLexiconEntries && entries.every(isEntry),
  {
    error: `at most ${mostLexiconEntries} entries of two texts, "written" and "spoken", of 1 to ${longestEntry} characters`,
  },
);

/** Messages of the schemas complete `FIELD must be …`. */
export const voiceFields = {
  /** Audio that the model continues, and its transcript; an empty transcript reduces similarity. */
  promptAudio: audio('prompt').optional(),
  promptText: transcript.regex(/^$|\S/, { error: 'text with at least one visible character' }).optional(),
  /** Audio that only sets the timbre. VoxCPM 2 only. */
  referenceAudio: audio('reference').optional(),
  /** Pronunciations of this voice; `lexicon` takes precedence. */
  voiceLexicon: lexiconField.optional(),
  /** Language of this voice, in which numbers are read unless the request or its script states one. */
  voiceLanguage: schemaOf('language').optional(),
};

export const mostVoices = 64;

/** Length of the name of a voice in a script, in UTF-16 code units. */
export const longestVoiceName = 100;

export const voicesOf = <Voice extends z.ZodType>(voice: Voice) =>
  recordOf(voice, {
    most: mostVoices,
    longest: longestVoiceName,
    error: `an object of at most ${mostVoices} voices with names of 1 to ${longestVoiceName} characters`,
  });

/** The fields of a voice of a request or of its script. */
export type VoiceFields = Readonly<z.output<z.ZodObject<typeof voiceFields>>>;

/** Whether the transcript of prompt audio is part of a request, or a recognizer supplies it later. */
export type Transcript = 'given' | 'follows';

interface VoiceParts {
  readonly promptAudio?: unknown;
  readonly promptText?: string | undefined;
}

/**
 * Checks what a voice is made of.
 *
 * @throws SvcError INVALID_REQUEST for a prompt without its transcript, or with a control text
 */
export function assertVoices(
  own: VoiceParts & {
    readonly control?: string | undefined;
    readonly voices?: Readonly<Record<string, VoiceParts>> | undefined;
  },
  transcript: Transcript = 'given',
): void {
  const follows = transcript === 'follows' && own.promptAudio !== undefined;
  for (const voice of [own, ...Object.values(own.voices ?? {})]) {
    const { promptText = '' } = voice;
    if (promptText.length > longestTranscript)
      throw invalid(describeTranscript, 'promptText', show(promptText), { param: 'promptText' });
    if ((voice.promptAudio === undefined) === (voice.promptText === undefined)) continue;
    if (voice === own && follows) continue;
    const [given, missing] = voice.promptText === undefined ? ['audio', 'text'] : ['text', 'audio'];
    throw requestError(`prompt ${given} needs prompt ${missing}: give the recording and its transcript together`);
  }
  if (bareControl(own.control) !== '' && (own.promptText !== undefined || follows))
    throw requestError('control and prompt text cannot be combined');
}

/** Checks the recordings of a voice that was loaded for a request. @throws SvcError INVALID_REQUEST */
export function assertRecordings(recordings: Pick<VoiceFields, 'promptAudio' | 'referenceAudio'>): void {
  for (const role of ['prompt', 'reference'] as const) {
    const name = `${role}Audio` as const;
    const given = recordings[name];
    if (given !== undefined && !isAudio(given, role)) throw invalid(describeAudio, name, show(given), { param: name });
  }
}

/** @throws SvcError INVALID_REQUEST */
export const parseAudio = (input: unknown, role: AudioRole): Audio | EncodedAudio =>
  parse(z.object({ audio: audio(role) }), { audio: input }, 'the audio').audio;

/** The control text without parentheses, like the official `app.py`: the model expects one pair around all of it. */
export const bareControl = (control: string | undefined): string => control?.replace(/[()（）]/gu, '').trim() ?? '';

/** Two control texts as one; undefined if both are empty. */
export const joinControls = (first: string | undefined, second: string | undefined): string | undefined =>
  [first, second].map(bareControl).filter(Boolean).join(', ') || undefined;
