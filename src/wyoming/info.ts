/** What a server has to offer, for clients such as Home Assistant: each model is a program, with the voices of the server. */
import { spokenLanguages } from '../engine/text/languages.ts';
import type { ModelStatus } from '../model-pool/served-models.ts';
import { findPackage } from '../package-root.ts';
import type { ServerContext } from '../server/context.ts';
import { ownVoiceId } from '../voices/voice-id.ts';
import type { WyomingEvent } from './event.ts';

/** Required by the protocol. */
const attribution = { name: 'VoxCPM', url: 'https://github.com/OpenBMB/VoxCPM' };

/** The first program is the default. The event has all fields that the reference implementation writes. */
export async function describeServices({ models, allVoices }: ServerContext): Promise<WyomingEvent> {
  const voices = (await allVoices().list()).map(({ id }) => id);
  const tts = models.list().map((model) => describeProgram(model, voices));
  return { type: 'info', data: { asr: [], tts, handle: [], intent: [], wake: [], mic: [], snd: [] } };
}

function describeProgram({ name, info, limits = {} }: ModelStatus, stored: readonly string[]): object {
  // A model that was never loaded speaks at least what every published model speaks.
  const languages = spokenLanguages({ architecture: info?.architecture ?? 'voxcpm', limits });
  const voices = limits.fixedVoice === true ? [ownVoiceId] : [...new Set([ownVoiceId, ...stored])];
  const artifact = { attribution, installed: true };
  return {
    ...artifact,
    name,
    description: info === undefined ? 'VoxCPM' : `${info.name} (${info.weightType}, ${info.device})`,
    version: findPackage().version,
    supports_synthesize_streaming: true,
    voices: voices.map((voice) => ({
      ...artifact,
      name: voice,
      description: voice === ownVoiceId ? 'Default' : voice,
      version: null,
      languages,
      speakers: null,
    })),
  };
}
