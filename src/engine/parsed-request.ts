/** A request whose text has been read: what can be known of a speech before there is a model. */
import type { Steps } from '../event-loop.ts';
import type { ResolvedRequest } from './request.ts';
import { type ScriptText, scriptSteps, type VoiceTags } from './script/parse-script.ts';
import type { Passage } from './script/passage.ts';
import { parseTurns, type Turn } from './script/turns.ts';
import { voiceNamesIn } from './script/voice-names.ts';

export interface ParsedRequest extends ResolvedRequest {
  readonly passages: readonly Passage[];
  readonly script: ScriptText;
  /** Names of the voices that the script may use: those it names itself, then those of the request. */
  readonly voiceNames: readonly string[];
  /** Pauses that the author states, together, in seconds. */
  readonly statedSeconds: number;
  /** Parts of the script that are ignored, one line each. */
  readonly warnings: readonly string[];
}

export interface TextReading {
  /** The turns of a dialogue, if the text is not their JSON. */
  readonly turns?: readonly Turn[] | undefined;
  /**
   * Names of voices that the caller has. It looks up those that the script names besides; without a list, only the voices of
   * the request are known.
   */
  readonly listed?: readonly string[] | undefined;
  /** Whether tags are followed in a text of no stated format; by default they are read. */
  readonly tags?: VoiceTags | undefined;
}

/** Reads the text of a request, once, in steps. @throws SvcError INVALID_REQUEST for a script with errors */
export function* parseRequestText(
  request: ResolvedRequest,
  { turns, listed, tags }: TextReading = {},
): Steps<ParsedRequest> {
  const { text, inputFormat, readCode, voices = {} } = request;
  const script = turns ?? (inputFormat === 'turns' ? parseTurns(text) : text);
  const given = listed ?? Object.keys(voices);
  const voiceNames = listed === undefined ? given : withNames(voiceNamesIn(script, inputFormat, given, tags), given);
  const code = readCode ? 'read' : 'skip';
  const read = yield* scriptSteps(script, { format: inputFormat, voices: voiceNames, given, code, tags });
  return { ...request, ...read, script, voiceNames };
}

/** The text as written; of turns, that of all of them. */
export const writtenText = ({ text, script }: Pick<ParsedRequest, 'text' | 'script'>): string =>
  typeof script === 'string' ? text : script.map((turn) => turn.text).join('\n');

function withNames(found: readonly string[], listed: readonly string[]): readonly string[] {
  const known = new Set(listed.map((name) => name.toLowerCase()));
  return [...found.filter((name) => !known.has(name.toLowerCase())), ...listed];
}
