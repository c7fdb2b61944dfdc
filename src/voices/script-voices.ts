/** Resolves the voices named in a script. */
import type { ParsedRequest } from '../engine/parsed-request.ts';
import type { SynthesisRequest } from '../engine/request.ts';
import { placeOfVoice } from '../engine/script/voice-names.ts';
import { SvcError } from '../errors.ts';
import type { ScriptVoiceNames } from './script-voice-names.ts';
import type { VoiceCatalog } from './voice-catalog.ts';
import type { VoiceChoice } from './voice-choice.ts';
import type { VoiceRequest } from './voice-service.ts';

/** Those that are given, and for the others that a script uses the voices of the same name. */
export const storedNames = (
  { voiceNames }: Pick<ParsedRequest, 'voiceNames'>,
  given: ScriptVoiceNames = {},
): ScriptVoiceNames =>
  Object.fromEntries(voiceNames.map((name) => [name, Object.hasOwn(given, name) ? (given[name] as string) : name]));

/** Voices by the names that a script uses. */
export type ScriptVoiceChoices = Readonly<Record<string, VoiceChoice>>;

interface ScriptVoices {
  /** Undefined for a script without named voices. */
  readonly voices: SynthesisRequest['voices'];
  readonly warnings: readonly string[];
}

export async function loadScriptVoices(
  catalog: VoiceCatalog,
  choices: ScriptVoiceChoices,
  signal: AbortSignal,
): Promise<ScriptVoices> {
  const voices = new Map<string, VoiceRequest>();
  const warnings: string[] = [];
  for (const [name, choice] of Object.entries(choices)) {
    const loaded = await catalog.load(choice, { signal });
    const { seed: _s, voices: _v, ...voice } = loaded.request;
    voices.set(name, voice);
    warnings.push(...loaded.warnings);
  }
  return { voices: voices.size === 0 ? undefined : Object.fromEntries(voices), warnings: [...new Set(warnings)] };
}

/**
 * @param choose finds a voice by its name, for the name that the script uses
 * @param script to say where it names a voice that there is not
 * @throws SvcError VOICE_NOT_FOUND
 */
export async function chooseScriptVoices(
  choose: (stored: string, name: string) => Promise<VoiceChoice>,
  names: ScriptVoiceNames,
  script?: Pick<ParsedRequest, 'script' | 'inputFormat'>,
): Promise<ScriptVoiceChoices> {
  const choices = new Map<string, VoiceChoice>();
  for (const [name, stored] of Object.entries(names)) {
    const choice = await choose(stored, name).catch((error: unknown) => {
      // A voice with another name is one that the request lists.
      const isOfScript = script !== undefined && stored === name;
      throw isOfScript ? atPlace(error, placeOfVoice(script.script, script.inputFormat, name)) : error;
    });
    choices.set(name, choice);
  }
  return Object.fromEntries(choices);
}

function atPlace(error: unknown, place: string | undefined): unknown {
  if (place === undefined || !(error instanceof SvcError) || error.code !== 'VOICE_NOT_FOUND') return error;
  return new SvcError(error.code, `${place}: ${error.message}`, { param: error.param, cause: error.cause });
}
