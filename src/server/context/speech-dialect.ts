import type { AudioFormatName } from '../../audio/encode/format.ts';
import type { ErrorStyle } from '../http/problem.ts';
import type { LiveBody, SpeechBody } from '../schemas/speech.ts';
import type { RateDialect } from './output-rate.ts';

/** The differences of a dialect at the speech endpoint of the public API. */
export interface SpeechDialect {
  readonly withPublicFields?: <Body extends StatedBody>(body: Body) => Body;
  readonly speechStyle?: (body: SpeechFields) => SpeechStyle | undefined;
}

/** Fields of requests for speech, whose text may still be being written. */
export type StatedBody = LiveBody & Pick<Partial<SpeechBody>, 'ssml'>;
export type SpeechFields = Omit<SpeechBody, 'input'>;

/** Defaults of a dialect, for what a request leaves open. */
export interface SpeechStyle {
  readonly format: AudioFormatName;
  readonly pcmRate?: RateDialect;
  /** Content types that differ from those of the formats. */
  readonly contentTypes?: Readonly<Partial<Record<AudioFormatName, string>>>;
  readonly errors?: ErrorStyle | undefined;
}
