import type { VoiceFields } from './voice-fields.ts';

/** A chosen voice, whose recordings are not needed here. */
type ReadVoice = { readonly lexicon?: VoiceFields['voiceLexicon']; readonly language?: VoiceFields['voiceLanguage'] };

/** Fields of a request from its own voice and those that its script names. */
export const readingFieldsOf = (
  own: ReadVoice | undefined,
  named: Readonly<Record<string, ReadVoice>>,
): ReadingFields & { readonly voices: Readonly<Record<string, VoiceFields>> } => ({
  ...fieldsOf(own),
  voices: Object.fromEntries(Object.entries(named).map(([name, choice]) => [name, fieldsOf(choice)])),
});

type ReadingFields = Pick<VoiceFields, 'voiceLexicon' | 'voiceLanguage'>;

const fieldsOf = (voice: ReadVoice | undefined): ReadingFields =>
  voice === undefined ? {} : { voiceLexicon: voice.lexicon, voiceLanguage: voice.language };
