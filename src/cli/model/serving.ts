/** The common parts of `svc serve` and `svc mcp`: models, voices, a queue, and the settings of requests. */
import { delimiter, dirname, join } from 'node:path';
import type { Logger } from 'pino';
import type { RequestDefaults } from '../../server/context/request-defaults.ts';
import type { ServerSettings } from '../../server/context/settings.ts';
import type { VoiceAliases } from '../../voices/voice-aliases.ts';
import type { Io } from '../io.ts';
import { readVariable } from '../options/environment-variables.ts';
import { chooseRecognizer, type RecognizerOptions } from '../options/recognizer.ts';
import { readLexicons } from '../options/text-input.ts';
import { namedVoiceFolder, openVoiceStore, voiceStorePath } from '../options/voice-choice.ts';
import { chooseSpeech, type ServedSpeechOptions } from './served-speech.ts';

export interface ServingOptions extends ServedSpeechOptions, RecognizerOptions {
  readonly voiceDir?: string;
  readonly defaultLora?: string;
  readonly inferenceTimesteps: number;
  readonly language?: string;
  readonly strict?: boolean;
  readonly lexicon?: readonly string[];
  readonly defaultVoice?: string;
  /** Defaults of request fields, as written. */
  readonly default?: readonly string[];
  readonly voiceAlias?: VoiceAliases;
}

/** Checks the options; downloads and converts named models. @returns what opens models and voices */
export async function chooseServing(options: ServingOptions, io: Io, logger: Logger) {
  const storePath = voiceStorePath(options, io);
  const lexicon = await serverLexicon(options, io);
  const recognize = await chooseRecognizer(options, io);
  const openSpeech = await chooseSpeech(options, io);
  const [{ createMetrics, watchProcess }, { defaultLimits }, { parseRequestDefault }] = await Promise.all([
    import('../../metrics/metrics.ts'),
    import('../../server/context/settings.ts'),
    import('../../server/context/request-defaults.ts'),
  ]);
  const { source, texts } = defaultsOf(options, io);
  const requestDefaults = texts.reduce<RequestDefaults | undefined>(
    (others, text) => parseRequestDefault(text, source, others),
    undefined,
  );
  if (lexicon.entries.length > 0) logger.info({ entries: lexicon.entries.length }, 'lexicon loaded');
  for (const reason of lexicon.warnings) logger.warn({ reason }, 'pronunciation ignored');
  return async () => {
    const metrics = createMetrics();
    watchProcess(metrics);
    const store = await openVoiceStore(options, io, (reason) => logger.warn({ reason }, 'no voice store'));
    const speech = await openSpeech({ metrics, logger, recognize }).catch(async (error) => {
      await store.close();
      throw error;
    });
    const { models, queue, loras, modelsFolder } = speech;
    const voiceFolder = namedVoiceFolder(options, io);
    return {
      ...{ models, loras, store, queue, metrics, logger, recognize },
      settings: {
        strictness: options.strict ? 'strict' : 'lenient',
        timesteps: options.inferenceTimesteps,
        requestDefaults,
        language: options.language,
        lexicon: lexicon.entries,
        voiceAliases: options.voiceAlias,
        defaultVoice: options.defaultVoice,
        recordingFolders: voiceFolder === undefined ? [] : [voiceFolder],
        voiceFolder: voiceFolder ?? dirname(storePath),
        consentFolder: join(dirname(storePath), 'consents'),
        modelsFolder,
        defaultLora: options.defaultLora,
        limits: defaultLimits,
      } satisfies Partial<ServerSettings>,
      async [Symbol.asyncDispose](): Promise<void> {
        try {
          await speech.close();
        } finally {
          await store.close();
        }
      },
    };
  };
}

/** Defaults of request fields as they are written, and where. */
function defaultsOf({ default: given }: ServingOptions, io: Io) {
  if (given !== undefined) return { source: '--default', texts: given };
  const texts = (readVariable(io, 'SVC_DEFAULTS') ?? '').split(/[;\n]/).map((text) => text.trim());
  return { source: 'SVC_DEFAULTS', texts: texts.filter((text) => text !== '') };
}

/** The files of `--lexicon`, else of `SVC_LEXICON`. @throws SvcError INVALID_REQUEST */
function serverLexicon(options: ServingOptions, io: Io): ReturnType<typeof readLexicons> {
  const files = options.lexicon ?? readVariable(io, 'SVC_LEXICON')?.split(delimiter).filter(Boolean);
  return readLexicons({ lexicon: files }, io);
}
