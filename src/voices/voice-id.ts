import { SvcError } from '../errors.ts';

/** Letters and digits of any script, as HTTP clients use non-ASCII names. Ids are never used in paths. */
const pattern = /^[\p{L}\p{N}_-][\p{L}\p{M}\p{N}._-]{0,63}$/u;

const rule = 'must be 1 to 64 letters, digits, dots, hyphens and underscores, not starting with a dot';

/**
 * Parses a voice name to an id. Case-sensitive; accented letters are normalized (NFC).
 *
 * @throws SvcError INVALID_REQUEST
 */
export function parseVoiceId(input: unknown): string {
  if (typeof input !== 'string') {
    throw new SvcError('INVALID_REQUEST', `a voice name ${rule}, got a value of type ${typeof input}`);
  }
  const id = input.normalize('NFC');
  if (pattern.test(id)) return id;
  const shown = JSON.stringify(id.slice(0, 80));
  throw new SvcError('INVALID_REQUEST', `a voice name ${rule}, got ${shown}`);
}

/** The name of the model's own voice in requests. A voice added under this name could never be selected. */
export const ownVoiceId = 'default';

/**
 * Parses the name of a new voice.
 *
 * @throws SvcError INVALID_REQUEST like `parseVoiceId`, and for a reserved name
 */
export function parseNewVoiceId(input: unknown): string {
  const id = parseVoiceId(input);
  if (id !== ownVoiceId) return id;
  throw new SvcError('INVALID_REQUEST', `a voice cannot be named "${id}", which is the model's own voice`);
}

/**
 * The id of a voice for a name as people write it: what ids cannot have becomes a hyphen.
 *
 * @example idOfName("Anna's voice") // Anna-s-voice
 * @throws SvcError INVALID_REQUEST for a name without letters and digits, and for a reserved one
 */
export function idOfName(name: string): string {
  const id = name.normalize('NFC');
  if (pattern.test(id)) return parseNewVoiceId(id);
  const words = id.replace(/[^\p{L}\p{M}\p{N}._-]/gu, '-').split('-');
  return parseNewVoiceId(words.filter(Boolean).join('-').replace(/^\.+/, '').slice(0, 64));
}

export const voiceExists = (id: string): SvcError =>
  new SvcError('CONFLICT', `voice "${id}" already exists; choose another name, or remove that voice first`);
