/** The models, as ElevenLabs lists them. */
import { z } from 'zod';
import { spokenLanguages } from '../../../engine/text/languages.ts';
import type { ModelStatus } from '../../../model-pool/served-models.ts';
import type { ServerContext } from '../../context/context.ts';
import type { Variant } from '../dialect.ts';

const model = z.object({
  model_id: z.string().describe('Model name, or an alias.'),
  name: z.string().describe('Same as `model_id`.'),
  can_do_text_to_speech: z.literal(true),
  can_do_voice_conversion: z.literal(false),
  can_use_style: z.literal(false),
  can_use_speaker_boost: z.literal(false),
  maximum_text_length_per_request: z.int().describe('In characters.'),
  languages: z
    .array(z.object({ language_id: z.string().describe('BCP 47 tag.'), name: z.string().describe('In English.') }))
    .describe('Empty until the model was loaded for the first time.'),
});

const languageNames = new Intl.DisplayNames('en', { type: 'language' });

function languagesOf({ info }: ModelStatus) {
  const tags = info === undefined ? [] : spokenLanguages(info);
  return tags.map((tag) => ({ language_id: tag, name: languageNames.of(tag) ?? tag }));
}

export const modelsVariant = ({ models, settings }: ServerContext, path: string): Variant => ({
  method: 'get',
  path,
  description: 'A request with the header `xi-api-key` gets an array, as from ElevenLabs.',
  answer: z.array(model),
  answerWith(_request, response) {
    const describe = (id: string, status: ModelStatus): z.output<typeof model> => ({
      model_id: id,
      name: id,
      can_do_text_to_speech: true,
      can_do_voice_conversion: false,
      can_use_style: false,
      can_use_speaker_boost: false,
      maximum_text_length_per_request: settings.limits.inputCharacters,
      languages: languagesOf(status),
    });
    const statuses = models.list();
    const aliases = statuses.flatMap((status) => status.aliases.map((alias) => describe(alias, status)));
    response.json([...statuses.map((status) => describe(status.name, status)), ...aliases]);
  },
});
