/** Options that `svc serve` and `svc mcp` share: models, voices, and how requests are spoken. */
import { Option } from 'commander';
import { ranges, requestFields } from '../../engine/request-fields.ts';
import type { Range } from '../../validation.ts';
import { parseVoiceAliases, type VoiceAliases } from '../../voices/voice-aliases.ts';
import { parseVoiceId } from '../../voices/voice-id.ts';
import { suggesting } from '../completion/suggested.ts';
import { brokerOptions } from './broker-choice.ts';
import { loraOptions } from './lora-options.ts';
import { modelOptions } from './model-options.ts';
import { type Described, grouped, rangeOption, repeated } from './option-values.ts';
import { servedModelOptions } from './served-model-options.ts';
import { languageOption, lexiconOption } from './speech-options.ts';

const maxQueue: Range = { kind: 'integer', minimum: 0, maximum: 10_000, default: 64 };

const modelsOptions = (): readonly Option[] => [
  ...servedModelOptions(),
  ...modelOptions().filter(({ long }) => long !== '--model'),
  ...grouped('Model:', ['--model-name <name>: name of the only model in requests; other names are refused']),
  ...loraOptions('may be repeated; requests choose one with the field lora'),
  ...grouped('Model:', [new Option('--default-lora <name>', 'default LoRA adapter')]),
];

const voiceOptions = (): readonly Described[] => [
  "--cache-dir, --voice-dir <folder>: folder of the voice store and of recordings that requests may use (default: the user's data folder, without recordings)",
  suggesting(new Option('--default-voice <name>', 'default voice').argParser(parseVoiceId), 'voices'),
  new Option('--voice-alias <alias=name>', 'another name for a voice, such as alloy=anna; may be repeated').argParser(
    (text: string, others?: VoiceAliases) => parseVoiceAliases(text, '--voice-alias', others),
  ),
  lexiconOption('pronunciations of all voices'),
];

const speechOptions = (): readonly Described[] => [
  rangeOption('--max-queue', maxQueue, 'maximum number of waiting requests; with --broker, for each model'),
  rangeOption('--max-batch', ranges.maxBatch, 'requests processed at once, sharing each pass over the weights'),
  rangeOption(
    '--inference-timesteps',
    requestFields.timesteps,
    'default number of flow-matching steps (a request may override it)',
  ),
  new Option(
    '--default <field=value>',
    'default of a request field, as normalize=on; for a model, demo:normalize=on; for a voice, voice/iris:speed=1.1; may be repeated',
  ).argParser(repeated),
  languageOption('--language', 'language of texts that do not show theirs, such as "de"'),
  '--strict: refuse unknown fields, and instructions that the model or voice cannot follow, instead of ignoring them',
];

/** Options of models that are loaded here. */
const ofModels =
  'model modelPath type file backend device threads ditType maxBatch memoryLimit lora loraAlpha loraDir'.split(' ');

/** The options by their place in the help. */
export const servingOptions = () => ({
  models: modelsOptions(),
  voices: grouped('Voices:', voiceOptions()),
  speech: grouped('Speech:', speechOptions()),
  broker: brokerOptions(
    'Redis or Valkey, such as redis://host:6379; workers generate the speech, and no model is loaded here',
    ofModels,
  ),
});
