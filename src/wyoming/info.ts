/** Description of a server for clients such as Home Assistant: each model is a program, with the voices of the server. */
import { spokenLanguages } from '../engine/text/languages.ts';
import type { ModelStatus } from '../model-pool/served-models.ts';
import { findPackage } from '../package/package-root.ts';
import type { ServerContext } from '../server/context/context.ts';
import { ownVoiceId } from '../voices/voice-id.ts';
import { encodeEvent } from './events.ts';

/** Required by the protocol. */
const attribution = { name: 'VoxCPM', url: 'https://github.com/OpenBMB/VoxCPM' };

/** How long the list of voices may be repeated, in milliseconds. */
const repeatMilliseconds = 250;

/** Returns the encoded `info` event: the last one again when clients ask often and no model has changed. */
export function createDescription({ models, allVoices }: ServerContext): () => Promise<Uint8Array> {
  let latest: Promise<Uint8Array> | undefined;
  let infos: readonly unknown[] = [];
  let expires = 0;
  return () => {
    const programs = models.list();
    const isSame = programs.every(({ info }, index) => info === infos[index]);
    if (latest !== undefined && isSame && performance.now() < expires) return latest;
    infos = programs.map(({ info }) => info);
    expires = performance.now() + repeatMilliseconds;
    latest = allVoices()
      .list()
      .then((voices) => describeServices(programs, voices));
    return latest;
  };
}

/** The first program is the default. The event has all fields that the reference implementation writes. */
function describeServices(programs: readonly ModelStatus[], stored: readonly { readonly id: string }[]): Uint8Array {
  const voices = stored.map(({ id }) => id);
  const tts = programs.map((program) => describeProgram(program, voices));
  return encodeEvent({ type: 'info', data: { asr: [], tts, handle: [], intent: [], wake: [], mic: [], snd: [] } });
}

function describeProgram({ name, info, limits = {} }: ModelStatus, stored: readonly string[]): object {
  // A model that was never loaded speaks at least what every published model speaks.
  const languages = spokenLanguages({ architecture: info?.architecture ?? 'voxcpm', limits });
  const voices = [...new Set([ownVoiceId, ...stored])];
  const artifact = { attribution, installed: true };
  return {
    ...artifact,
    name,
    description: info === undefined ? name : `${info.name} (${info.weightType}, ${info.device})`,
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
