/**
 * Mixes of voices, written as in Kokoro-FastAPI: `anna(2)+ben(1)`. VoxCPM has no speaker embedding to average: its mix is a
 * reference that consists of the recordings of all voices, whose lengths have the ratio of the weights.
 */
import { quote } from '../messages.ts';
import { requestError } from '../validation.ts';

/** Each voice takes positions of the model. */
export const mostMixedVoices = 8;

export interface NamedShare {
  readonly name: string;
  /** All shares of a mix together are 1. */
  readonly share: number;
}

const weighted = /^([^()]{1,64})(?:\((\d{1,6}(?:\.\d{1,6})?)\))?$/;

/**
 * Reads the name of a mix; undefined for a name that is none. Names of voices have neither of its signs.
 *
 * @throws SvcError INVALID_REQUEST for a mix without sense, or that subtracts a voice
 */
export function parseVoiceMix(text: string): readonly NamedShare[] | undefined {
  if (!/[+()]/.test(text)) return undefined;
  // Names have no spaces.
  const parts = text
    .replace(/\s/g, '')
    .split('+')
    .map((part) => {
      const [, name = '', weight] = weighted.exec(part) ?? [];
      return { name, weight: weight === undefined ? 1 : Number(weight) };
    });
  if (parts.some(({ name, weight }) => name === '' || weight === 0)) {
    const minus = /\)-/.test(text) ? '; a voice cannot be subtracted' : '';
    throw requestError(
      `a mix of voices must be names with weights above 0 such as "anna(2)+ben(1)", got ${quote(text)}${minus}`,
    );
  }
  if (parts.length > mostMixedVoices) {
    throw requestError(`a mix of voices has at most ${mostMixedVoices}, got ${parts.length}`);
  }
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  return parts.map(({ name, weight }) => ({ name, share: weight / total }));
}

export interface MixedReference {
  /** `n × patchSize × featureDim` values. */
  readonly patches: Float32Array;
  readonly share: number;
}

/**
 * The beginnings of all references, one after another: as much of each as its share allows without repeating any, and at
 * least a patch.
 *
 * @param patchValues values of a patch
 */
export function mixReferences(references: readonly MixedReference[], patchValues: number): Float32Array {
  const longest = Math.min(...references.map(({ patches, share }) => patches.length / patchValues / share));
  const parts = references.map(({ patches, share }) =>
    patches.subarray(0, Math.max(1, Math.floor(longest * share + 1e-9)) * patchValues),
  );
  const mixed = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    mixed.set(part, at);
    at += part.length;
  }
  return mixed;
}
