/** The source of speech for `svc serve`: a model in this process, or workers behind a broker. */
import { dirname, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { AdmissionQueue } from '../../admission/queue.ts';
import type { SpeechSource } from '../../engine/engine.ts';
import type { Recognize } from '../../engine/recognize.ts';
import { loadOptional } from '../../optional-package.ts';
import type { Metrics } from '../../server/metrics.ts';
import type { Io } from '../io.ts';
import { type BrokerOptions, chooseBroker } from '../options/broker-choice.ts';
import type { ModelOptions } from '../options/options.ts';
import { chooseEngine } from './model-choice.ts';

export interface SpeechSourceOptions extends ModelOptions, BrokerOptions {
  readonly maxBatch: number;
  readonly maxQueue: number;
}

export interface SpeechSourceMeans {
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Checks speech that is made here; workers have their own. */
  readonly recognize: Recognize | undefined;
}

export interface OpenedSpeech {
  readonly source: SpeechSource;
  readonly queue: AdmissionQueue;
  /** Folder of the model; empty for the demo model and for models of workers. */
  readonly modelsFolder: string;
  close(): Promise<void>;
}

/** Opens the source; nothing is loaded before. */
export type OpenSpeechSource = (means: SpeechSourceMeans) => Promise<OpenedSpeech>;

/**
 * Checks the options; downloads and converts a named model.
 *
 * @throws SvcError
 */
export async function chooseSpeech(options: SpeechSourceOptions, io: Io): Promise<OpenSpeechSource> {
  const { model, modelPath: path, queue, maxQueue: maxWaiting } = options;
  // A model option overrides SVC_BROKER_URL.
  const broker = model === undefined && path === undefined ? await chooseBroker(options, io) : undefined;
  if (broker !== undefined) {
    return async ({ metrics, logger }) => {
      const { openBrokerFront } = await loadOptional(
        'svc serve --broker',
        () => import('../../broker/open-broker-front.ts'),
      );
      const { signal } = io;
      const front = await openBrokerFront({ address: broker, queue, maxWaiting, metrics, logger, signal });
      return { ...front, modelsFolder: '' };
    };
  }
  const { maxBatch } = options;
  const chosen = await chooseEngine(options, io);
  const { modelPath } = chosen;
  return async ({ metrics, recognize }) => {
    const { createQueue } = await import('../../admission/queue.ts');
    const engine = await io.openEngine({ ...chosen, maxBatch }, { onStep: metrics.batch, recognize });
    return {
      source: engine,
      queue: createQueue({ slots: maxBatch, maxWaiting }),
      modelsFolder: modelPath === undefined ? '' : dirname(resolve(modelPath)),
      close: engine.close,
    };
  };
}
