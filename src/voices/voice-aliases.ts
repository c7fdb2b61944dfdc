/** Names that the operator of a server gives to voices. */
import { SvcError } from '../errors.ts';
import { show } from '../messages.ts';
import { invalid, requestError } from '../validation.ts';
import { parseNewVoiceId, parseVoiceId } from './voice-id.ts';

/** Names of voices by alias. An alias of an alias is unknown. */
export type VoiceAliases = ReadonlyMap<string, string>;

/**
 * Reads `alloy=anna,nova=ben`.
 *
 * @param field names the value in messages
 * @param others those that were given before
 * @throws SvcError INVALID_REQUEST, also for an alias that is given twice
 */
export function parseVoiceAliases(text: string, field: string, others: VoiceAliases = new Map()): VoiceAliases {
  const aliases = new Map(others);
  for (const pair of text.split(',')) {
    const [alias = '', target = '', ...rest] = pair.split('=').map((part) => part.trim());
    if (alias === '' || target === '' || rest.length > 0) {
      throw invalid('ALIAS=NAME such as alloy=anna', field, show(text));
    }
    const id = atField(field, () => parseNewVoiceId(alias));
    if (aliases.has(id)) throw requestError(`${field} names ${show(id)} twice`);
    aliases.set(
      id,
      atField(field, () => parseVoiceId(target)),
    );
  }
  return aliases;
}

function atField<Result>(field: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof SvcError ? new SvcError(error.code, `${field}: ${error.message}`, { cause: error }) : error;
  }
}
