/** Models that have a single voice: anything that asks for another one is left out, and said to be. */
import type { ModelInfo } from './backend.ts';
import type { ResolvedRequest } from './request.ts';

/** @example ignoredVoice('--prompt-audio') // this model has a single voice; --prompt-audio is ignored */
export const ignoredVoice = (...what: readonly string[]): string =>
  `this model has a single voice; ${what.join(' and ')} ${what.length > 1 ? 'are' : 'is'} ignored`;

/**
 * The request as the model can follow it. A model that was trained on one voice and on no prompts answers a prompt
 * with a moment of silence.
 */
export function withFixedVoice<Request extends ResolvedRequest>(
  request: Request,
  { limits }: ModelInfo,
): { readonly request: Request; readonly warnings: readonly string[] } {
  const { promptAudio, promptText: _, referenceAudio, ...rest } = request;
  const given = [
    ...(promptAudio === undefined ? [] : ['the prompt']),
    ...(referenceAudio === undefined ? [] : ['the reference']),
  ];
  if (limits.fixedVoice !== true || given.length === 0) return { request, warnings: [] };
  return { request: rest as Request, warnings: [ignoredVoice(...given)] };
}
