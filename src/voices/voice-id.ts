import { SvcError } from '../errors.ts';

/** Letters and digits of any script: names of the HTTP interfaces are not all ASCII. No path is built from an id. */
const pattern = /^[\p{L}\p{N}_-][\p{L}\p{M}\p{N}._-]{0,63}$/u;

const expected = '1 to 64 letters, digits, dots, hyphens and underscores, not beginning with a dot,';

/**
 * An id as the store keeps it. Upper and lower case differ; the two ways to write an accented letter do not (NFC).
 *
 * @throws SvcError INVALID_REQUEST, one line.
 */
export function parseVoiceId(input: unknown): string {
  if (typeof input !== 'string') {
    throw new SvcError('INVALID_REQUEST', `expected ${expected} for a voice's name, received ${typeof input}`);
  }
  const id = input.normalize('NFC');
  if (pattern.test(id)) return id;
  const shown = JSON.stringify(id.slice(0, 80));
  throw new SvcError('INVALID_REQUEST', `expected ${expected} for a voice's name, received ${shown}`);
}

/** What requests call the voice of the model itself; a voice of this name could be added, but never be meant. */
export const ownVoiceId = 'default';

/**
 * An id for a voice that is to be added.
 *
 * @throws SvcError INVALID_REQUEST, as `parseVoiceId`, and for a name that means something else.
 */
export function parseNewVoiceId(input: unknown): string {
  const id = parseVoiceId(input);
  if (id !== ownVoiceId) return id;
  throw new SvcError(
    'INVALID_REQUEST',
    `expected another name for a voice, received ${id}, which stands for the model's own`,
  );
}
