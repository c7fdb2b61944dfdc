/** Checks of what a session is opened with: after them a graph gets only what it can compute. */
import { SvcError } from '../../../errors.ts';
import type { Prefix, SessionOptions } from '../../backend.ts';

export interface PrefixLimits {
  readonly vocabularySize: number;
  readonly maxLength: number;
  /** Values of one patch. */
  readonly patchValues: number;
}

/** @throws SvcError INVALID_REQUEST */
export function invalid(expected: string, received: string | number): never {
  throw new SvcError('INVALID_REQUEST', `expected ${expected}, received ${received}`);
}

/** @throws SvcError INVALID_REQUEST */
export function checkPrefix(prefix: Prefix, { cfg, timesteps }: SessionOptions, limits: PrefixLimits): void {
  const { tokens, audioMask, features } = prefix;
  const { vocabularySize, maxLength, patchValues } = limits;
  const positions = tokens.length;
  if (positions < 1 || audioMask.length !== positions) {
    invalid('one mask value for each of at least one position', `${audioMask.length} for ${positions}`);
  }
  if (positions > maxLength) invalid(`at most ${maxLength} positions for text and prompt together`, positions);
  let patches = 0;
  for (const [index, token] of tokens.entries()) {
    const audio = audioMask[index] as number;
    if (audio > 1) invalid('0 or 1 for the audio mask', audio);
    patches += audio;
    if (token < 0 || token >= vocabularySize) invalid(`a token below ${vocabularySize}`, token);
  }
  if (features.length !== patches * patchValues) {
    invalid(`${patches * patchValues} feature values for ${patches} patches`, features.length);
  }
  for (const value of features) if (!Number.isFinite(value)) invalid('finite feature values', value);
  if (!Number.isInteger(timesteps) || timesteps < 1 || timesteps > 1000) invalid('1 to 1000 timesteps', timesteps);
  if (!Number.isFinite(cfg)) invalid('a finite cfg value', cfg);
}
