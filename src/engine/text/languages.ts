/** The languages that the published models speak, as BCP 47 tags. */
import type { ModelInfo } from '../backend.ts';

/** In the order of the README of OpenBMB/VoxCPM. */
const voxcpm2Languages = [
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
