/** Models with a single voice: request fields for another voice are ignored with a warning. */
import type { ModelInfo } from './backend.ts';
import type { ResolvedRequest } from './request.ts';

/** @example ignoredVoice('--prompt-audio') // this model has a single voice; --prompt-audio is ignored */
export const ignoredVoice = (...what: readonly string[]): string =>
  `this model has a single voice; ${what.join(' and ')} ${what.length > 1 ? 'are' : 'is'} ignored`;

/** A warning about given audio; empty if none is given. */
export function ignoredAudio({
  promptAudio,
  referenceAudio,
}: Readonly<Partial<Record<'promptAudio' | 'referenceAudio', unknown>>>): readonly string[] {
  const given = [
    ...(promptAudio === undefined ? [] : ['the prompt']),
    ...(referenceAudio === undefined ? [] : ['the reference']),
  ];
  return given.length === 0 ? [] : [ignoredVoice(...given)];
}

/**
 * Removes audio from a request if the model has a single voice. A model trained on one voice without prompts would
 * answer a prompt with a moment of silence.
 */
export function withFixedVoice<Request extends ResolvedRequest>(
  request: Request,
  { limits }: ModelInfo,
): { readonly request: Request; readonly warnings: readonly string[] } {
  if (limits.fixedVoice !== true) return { request, warnings: [] };
  const { promptAudio, promptText: _, referenceAudio, ...rest } = request;
  // A script may still name its voices.
  const named = Object.entries(request.voices ?? {});
  const names = named.map(([name]) => name);
  const voices = Object.fromEntries(named.map(([name, { voiceLexicon }]) => [name, { voiceLexicon }]));
  const warnings = [
    ...ignoredAudio({ promptAudio, referenceAudio }),
    ...(names.length === 0 ? [] : [ignoredVoice(...names.map((name) => `voice ${name}`))]),
  ];
  return { request: warnings.length === 0 ? request : ({ ...rest, voices } as Request), warnings };
}
