/** VoxCPMANE: how requests of its clients are answered, and the names of voices as it lists them. */
import { basename } from 'node:path';
import { z } from 'zod';
import type { CatalogVoice } from '../../../voices/voice-catalog.ts';
import type { ServerContext } from '../../context/context.ts';
import type { SpeechFields, SpeechStyle } from '../../context/speech-dialect.ts';
import { type ErrorStyle, fastApiErrors } from '../../http/problem.ts';
import { answering, type Operation, route } from '../../openapi/operation.ts';
import type { Dialect } from '../dialect.ts';
import { speechOperations } from './speech.ts';

const voiceNames = z.object({
  voices: z.array(z.string()).describe('Voice names.'),
  count: z.int().describe('Number of voices.'),
  system_voices: z.array(z.string()).describe('Those that come with the server, and aliases.'),
  custom_voices: z.array(z.string()).describe('Those that were added.'),
  cache_directory: z.string().describe('Name of the folder of the voice store.'),
});

export const voicesOperation = ({ allVoices, settings }: ServerContext): Operation => ({
  ...route('get', '/voices', 'voices', 'List the names of voices.'),
  access: 'list',
  description: 'Compatible with VoxCPMANE.',
  ...answering('The names.', voiceNames, {
    ...{ voices: ['anna', 'alma'], count: 2, cache_directory: 'voices' },
    ...{ system_voices: ['alma'], custom_voices: ['anna'] },
  }),
  async handle(_request, response) {
    const voices = await allVoices().list();
    const names = voices.map(({ id }) => id);
    const isCustom = ({ origin, aliasOf }: CatalogVoice) => origin === 'stored' && aliasOf === undefined;
    response.json({
      voices: names,
      count: names.length,
      cache_directory: basename(settings.voiceFolder),
      system_voices: voices.filter((voice) => !isCustom(voice)).map(({ id }) => id),
      custom_voices: voices.filter(isCustom).map(({ id }) => id),
    });
  },
});

const errors: ErrorStyle = { ...fastApiErrors, busyStatus: 429 };

function hasOwnFields(body: SpeechFields): boolean {
  const own = [
    ...[body.prompt_wav_path, body.prompt_text, body.max_length, body.cfg_value, body.inference_timesteps],
    ...[body.control_instruction, body.reference_wav_path, body.voice_mode],
  ];
  return own.some((value) => value !== undefined);
}

/** Requests without a voice too: the public API requires one, at the same address. */
function speechStyle(body: SpeechFields): SpeechStyle | undefined {
  const isOwn = hasOwnFields(body);
  if (!isOwn && (body.voice ?? body.speaker ?? undefined) !== undefined) return;
  const contentTypes = { opus: 'audio/opus' };
  return { format: 'wav', pcmRate: 'model', contentTypes, errors: isOwn ? errors : undefined };
}

export const voxcpmane: Dialect = {
  errors,
  operations: (context) => [...speechOperations(context), voicesOperation(context)],
  speechStyle,
};
