/** The languages that the published models speak, as BCP 47 tags. */
import type { ModelInfo } from '../backend.ts';
import type { KnownLanguages } from './language/language-reader.ts';
import { languageTagOf } from './language/language-tags.ts';

/** Facts that decide how a model gets a text. */
export type TextInfo = Pick<ModelInfo, 'name' | 'architecture' | 'contextLength' | 'limits'>;

/** In the order of the README of OpenBMB/VoxCPM. */
export const voxcpm2Languages = [
  ...['ar', 'my', 'zh', 'da', 'nl', 'en', 'fi', 'fr', 'de', 'el', 'he', 'hi', 'id', 'it', 'ja', 'km', 'ko', 'lo', 'ms'],
  ...['nb', 'pl', 'pt', 'ru', 'es', 'sw', 'sv', 'tl', 'th', 'tr', 'vi'],
];

const languagesOf = {
  voxcpm: ['zh', 'en'],
  voxcpm2: voxcpm2Languages,
} as const satisfies Record<ModelInfo['architecture'], readonly string[]>;

/** The languages on the model's card, else those of the published model of its architecture. */
export const spokenLanguages = ({
  architecture,
  limits: { languages },
}: Pick<ModelInfo, 'architecture' | 'limits'>): readonly string[] => languages ?? languagesOf[architecture];

/** Languages that a request states: BCP 47 tags, or `auto`. */
export interface StatedLanguages {
  readonly language?: string | undefined;
  /** That of the document which the text is from. */
  readonly documentLanguage?: string | undefined;
}

/** Language of a text as it is known before it is read. */
export const knownLanguages = (
  { language, documentLanguage }: StatedLanguages,
  info: Pick<ModelInfo, 'architecture' | 'limits'>,
): KnownLanguages => ({
  stated: knownTag(language),
  document: knownTag(documentLanguage),
  spoken: spokenLanguages(info),
});

/** The language of a tag as it is called here; undefined for `auto`. */
export const knownTag = (given: string | undefined): string | undefined =>
  given === undefined || given.toLowerCase() === 'auto' ? undefined : languageTagOf(given);
