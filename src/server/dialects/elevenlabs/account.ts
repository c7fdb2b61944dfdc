/** Account and voice settings, which clients of ElevenLabs ask for; this server has neither. */
import { z } from 'zod';
import type { ServerContext } from '../../context/context.ts';
import { keyOf } from '../../http/api-keys.ts';
import { withErrorParam } from '../../http/with-error-param.ts';
import { answering, jsonAnswer, type Operation, route } from '../../openapi/operation.ts';

const subscription = z.object({
  tier: z.string().describe('Always `local`.'),
  status: z.literal('active'),
  character_count: z.int().describe('Always 0: nothing is counted.'),
  character_limit: z.int().describe('As good as none.'),
  can_extend_character_limit: z.boolean().describe('Always `false`.'),
  allowed_to_extend_character_limit: z.boolean().describe('Always `false`.'),
  voice_slots_used: z.int().describe('Voices that were added.'),
  voice_limit: z.int().describe('As good as none.'),
  voice_add_edit_counter: z.int().describe('Always 0.'),
  professional_voice_slots_used: z.int().describe('Always 0.'),
  professional_voice_limit: z.int().describe('Always 0.'),
  can_extend_voice_limit: z.boolean().describe('Always `false`.'),
  can_use_instant_voice_cloning: z.boolean().describe('Always `true`.'),
  can_use_professional_voice_cloning: z.boolean().describe('Always `false`.'),
});

const user = z.object({
  user_id: z.string().describe('Name of the API key, or `local`.'),
  subscription: subscription.describe('The same as `GET /v1/user/subscription`.'),
  is_new_user: z.boolean().describe('Always `false`.'),
  can_use_delayed_payment_methods: z.boolean().describe('Always `false`.'),
  is_onboarding_completed: z.boolean().describe('Always `true`.'),
  is_onboarding_checklist_completed: z.boolean().describe('Always `true`.'),
  created_at: z.int().describe('Always 0.'),
});

const settings = z.object({
  stability: z.number().describe('Has no effect.'),
  similarity_boost: z.number().describe('Has no effect.'),
  style: z.number().describe('Has no effect.'),
  use_speaker_boost: z.boolean().describe('Has no effect.'),
  speed: z.number().describe('Speed of requests that state none.'),
});

/** Those of ElevenLabs; only the speed has an effect. */
const defaultSettings = { stability: 0.5, similarity_boost: 0.75, style: 0, use_speaker_boost: true, speed: 1 };

/** Any number that is never reached; clients compute with it. */
const unlimited = 2 ** 31 - 1;

export function accountOperations({ allVoices }: ServerContext): readonly Operation[] {
  const subscriptionOf = (voices: number): z.output<typeof subscription> => ({
    tier: 'local',
    status: 'active',
    character_count: 0,
    character_limit: unlimited,
    can_extend_character_limit: false,
    allowed_to_extend_character_limit: false,
    voice_slots_used: voices,
    voice_limit: unlimited,
    voice_add_edit_counter: 0,
    professional_voice_slots_used: 0,
    professional_voice_limit: 0,
    can_extend_voice_limit: false,
    can_use_instant_voice_cloning: true,
    can_use_professional_voice_cloning: false,
  });
  const countVoices = async (): Promise<number> =>
    (await allVoices().list()).filter(({ origin, aliasOf }) => origin === 'stored' && aliasOf === undefined).length;
  const settingsAnswers = { 200: jsonAnswer('The settings.', settings, defaultSettings) };
  return [
    {
      ...route('get', '/v1/user/subscription', 'service', 'Get the limits of a client.'),
      description: 'Compatible with ElevenLabs, whose clients ask for it before anything else. There are none.',
      ...answering('The limits.', subscription, subscriptionOf(3)),
      handle: async (_request, response) => void response.json(subscriptionOf(await countVoices())),
    },
    {
      ...route('get', '/v1/user', 'service', 'Get the client as a user.'),
      description: 'Compatible with ElevenLabs. The user is the API key.',
      ...answering('The user.', user, { user_id: 'local', subscription: subscriptionOf(3) }),
      async handle(_request, response) {
        const answer: z.output<typeof user> = {
          user_id: keyOf(response)?.name ?? 'local',
          subscription: subscriptionOf(await countVoices()),
          is_new_user: false,
          can_use_delayed_payment_methods: false,
          is_onboarding_completed: true,
          is_onboarding_checklist_completed: true,
          created_at: 0,
        };
        response.json(answer);
      },
    },
    {
      ...route('get', '/v1/voices/settings/default', 'voices', 'Get the settings of voices.'),
      description: 'Compatible with ElevenLabs. Only the speed has an effect in requests.',
      answers: settingsAnswers,
      handle: (_request, response) => void response.json(defaultSettings),
    },
    {
      ...route('get', '/v1/voices/:id/settings', 'voices', 'Get the settings of a voice.'),
      description: 'Compatible with ElevenLabs. All voices have the same.',
      answers: settingsAnswers,
      failures: [404],
      async handle(request, response) {
        await withErrorParam('id', () => allVoices().choose(String(request.params.id)));
        response.json(defaultSettings);
      },
    },
  ];
}
