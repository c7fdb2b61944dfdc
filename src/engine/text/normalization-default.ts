/** Meaning of `normalize: auto` for a model (docs/adr/0065-text-is-classified-then-spoken.md). */
import type { ModelInfo } from '../backend.ts';
import type { Tokenizer } from './tokenizer.ts';

/**
 * Whether numbers are spelled out by default: for models before VoxCPM 2, as their documentation advises, and for any whose
 * tokenizer has no digits.
 */
export const normalizesByDefault = (
  { architecture }: Pick<ModelInfo, 'architecture'>,
  { tokensOf }: Pick<Tokenizer, 'tokensOf'>,
): boolean => architecture === 'voxcpm' || [...'0123456789'].some((digit) => tokensOf(digit) !== 'own');
