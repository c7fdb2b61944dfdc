/** Validates the arguments of a new session, so that graphs get only valid input. */
import { SvcError } from '../../../errors.ts';
import type { SessionSettings } from '../../backend.ts';

export interface SessionLimits {
  readonly vocabularySize: number;
  readonly contextLength: number;
  /** Values per patch. */
  readonly patchValues: number;
}

/** @throws SvcError INVALID_REQUEST */
export function refuse(problem: string): never {
  throw new SvcError('INVALID_REQUEST', problem);
}

/** @throws SvcError INVALID_REQUEST */
export function checkSettings(settings: SessionSettings, limits: SessionLimits): void {
  const { tokens, audioMask, features, cfg, timesteps } = settings;
  const { vocabularySize, contextLength, patchValues } = limits;
  const positions = tokens.length;
  if (positions < 1 || audioMask.length !== positions) {
    refuse(
      `the audio mask must have one value for each of at least one position, got ${audioMask.length} for ${positions}`,
    );
  }
  if (positions > contextLength)
    refuse(`text and recordings are longer than the context of ${contextLength} positions: ${positions}`);
  let patches = 0;
  for (const [index, token] of tokens.entries()) {
    const audio = audioMask[index] as number;
    if (audio > 1) refuse(`the audio mask must be 0 or 1, got ${audio}`);
    patches += audio;
    if (token < 0 || token >= vocabularySize) refuse(`tokens must be from 0 to ${vocabularySize - 1}, got ${token}`);
  }
  if (features.length !== patches * patchValues) {
    refuse(`features must have ${patches * patchValues} values for ${patches} patches, got ${features.length}`);
  }
  for (const value of features) if (!Number.isFinite(value)) refuse(`features must have finite values, got ${value}`);
  if (!Number.isInteger(timesteps) || timesteps < 1 || timesteps > 1000) {
    refuse(`timesteps must be an integer from 1 to 1000, got ${timesteps}`);
  }
  if (!Number.isFinite(cfg)) refuse(`cfg must be a finite number, got ${cfg}`);
}
