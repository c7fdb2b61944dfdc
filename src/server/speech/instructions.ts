/** Instructions for the style of a speech, which not every model and voice can follow. */
import type { ModelInfo } from '../../engine/backend.ts';
import type { UnwrittenRequest } from '../../engine/request.ts';
import { SvcError } from '../../errors.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { ModelContext } from '../context/context.ts';
import { bodyNames, type LiveBody } from '../schemas/speech.ts';
import type { ChosenVoice } from './voice-of-body.ts';

/** The style of the speech, by either name. @throws SvcError INVALID_REQUEST for two styles */
export function instructionsOf({ instructions, control_instruction }: LiveBody): string | undefined {
  if (instructions?.trim() && control_instruction?.trim() && instructions !== control_instruction) {
    throw requestError('instructions and control_instruction cannot be combined', 'control_instruction');
  }
  return instructions?.trim() ? instructions : (control_instruction ?? undefined);
}

/** Removes instructions that the model or the voice can't follow. @throws SvcError UNSUPPORTED_PARAMETER if the server is strict */
export function followInstructions<Fields extends UnwrittenRequest>(
  { engine: { info }, modelName, settings }: ModelContext,
  request: Fields,
  voice: ChosenVoice,
): { readonly request: Fields; readonly warnings: readonly string[] } {
  const reason =
    (request.control ?? '').trim() === '' ? undefined : whyNotInstructable({ ...info, name: modelName }, voice);
  if (reason === undefined) return { request, warnings: [] };
  const problem = `${bodyNames.control} ${reason}`;
  if (settings.strictness === 'strict') {
    throw new SvcError('UNSUPPORTED_PARAMETER', problem, { param: bodyNames.control });
  }
  return { request: { ...request, control: undefined }, warnings: [`${problem}; they are ignored`] };
}

function whyNotInstructable(info: ModelInfo, voice: ChosenVoice): string | undefined {
  if (info.architecture !== 'voxcpm2') return `need a VoxCPM 2 model; ${quote(info.name)} is an earlier one`;
  const isPrompt =
    voice.kind === 'recording'
      ? voice.audio !== undefined && (voice.text ?? '').trim() !== ''
      : voice.prompt !== undefined || (voice.kind === 'named' && voice.roles.includes('prompt'));
  return isPrompt ? 'cannot be combined with a voice that has a transcript' : undefined;
}
