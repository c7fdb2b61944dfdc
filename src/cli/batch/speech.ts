/** The source of speech of a batch: an engine in this process, or workers behind a broker. */
import { setTimeout as wait } from 'node:timers/promises';
import type { BrokerAddress } from '../../broker/shared/address.ts';
import { throwIfCanceled } from '../../cancellation.ts';
import type { Accepted } from '../../engine/accepted.ts';
import type { Recognize } from '../../engine/recognize.ts';
import { ranges } from '../../engine/request-fields.ts';
import type { SpeechSource } from '../../engine/speech-source.ts';
import { type ErrorCode, toSvcError } from '../../errors.ts';
import { hashModel } from '../../files/hash-files.ts';
import { loadOptional } from '../../package/optional-package.ts';
import { isObjectUrl } from '../../speech-files/object-store.ts';
import { makeSpeechFile, type SpeechFile, type SpokenFile } from '../../speech-files/speech-file.ts';
import type { Io } from '../io.ts';
import { deviceOf, threadsOf } from '../model/engine-environment.ts';
import { chooseLoras } from '../model/lora-choice.ts';
import { chooseModel } from '../model/model-choice.ts';
import { defaultQueue } from '../options/broker-choice.ts';
import { printNote, printWarning } from '../output/messages.ts';
import { type BatchOptions, chooseBatchBroker, defaultRetries } from './batch-options.ts';
import type { OutputTarget } from './output-target.ts';
import type { Survey } from './utterances.ts';

/** Checks the options; downloads and converts a named model, or connects to the broker. @throws SvcError */
export async function chooseBatchSpeech(choice: SpeechChoice, io: Io): Promise<BatchSpeech> {
  const broker = await chooseBatchBroker(choice.options, io);
  return broker === undefined ? chooseEngineSpeech(choice, io) : openBrokerSpeech(broker, choice, io);
}

async function chooseEngineSpeech({ options, survey, target, recognize }: SpeechChoice, io: Io): Promise<BatchSpeech> {
  const { maxBatch = ranges.maxBatch.default, threads = threadsOf(io) } = options;
  const backend = options.backend ?? deviceOf(io);
  const { objects } = target;
  const loras = await chooseLoras(options, io);
  // Only the errors are reported.
  if (survey.broken === survey.count) return { ...nothingToSpeak, limit: () => maxBatch };
  const modelPath = await chooseModel(options, io);
  const { resolveModelPath } = await import('../../engine/open-engine.ts');
  let close = async (): Promise<void> => undefined;
  return {
    modelHash: await hashModel(await resolveModelPath(modelPath), io.signal),
    loraRevision: loras.revision,
    limit: () => maxBatch,
    async open({ openEngine }) {
      const engineOptions = { modelPath, backend, threads, ditType: options.ditType, maxBatch };
      const source = await openEngine(engineOptions, { recognize, loras: loras.catalog });
      close = source.close;
      return {
        source,
        // One part of a long text at a time: other lines fill the passes over the weights.
        makeFile: (speech, file, signal) => makeSpeechFile(source, speech, file, { signal, objects, partsAtOnce: 1 }),
      };
    },
    [Symbol.asyncDispose]: () => close(),
  };
}

export interface BatchSpeech extends AsyncDisposable {
  /** Equal for models that make the same audio. */
  readonly modelHash: string;
  /** Equal for adapters that change the speech alike. @throws SvcError INVALID_REQUEST */
  loraRevision(name: string): Promise<string>;
  /** Lines to speak at once; may change. */
  limit(): number;
  /** Loads what the first line needs. A rejection ends the batch. */
  open(io: Io): Promise<OpenBatchEngine>;
}

export interface OpenBatchEngine {
  readonly source: SpeechSource;
  /** Leaves no file when it rejects. @throws SvcError */
  makeFile(speech: Accepted, file: SpeechFile, signal: AbortSignal): Promise<SpokenFile>;
}

export interface SpeechChoice {
  readonly options: BatchOptions;
  readonly survey: Survey;
  readonly target: OutputTarget;
  readonly recognize: Recognize | undefined;
}

/** Without `--max-batch`: enough for workers not to wait for the next line, and few enough for memory and open files. */
const linesPerSlot = 2;
const mostLines = 1_000;

/** Errors that may not come back with another worker. */
const passing: readonly ErrorCode[] = ['BACKEND_UNAVAILABLE', 'DEVICE_LOST', 'OUT_OF_MEMORY', 'INTERNAL'];

/** @throws SvcError BACKEND_UNAVAILABLE, CANCELLED */
async function openBrokerSpeech(
  address: BrokerAddress,
  { options, survey, target }: SpeechChoice,
  io: Io,
): Promise<BatchSpeech> {
  const { queue = defaultQueue, defaultModel: model, maxBatch, retries = defaultRetries, quiet, verbose } = options;
  const { objects } = target;
  const isRemote = isObjectUrl(target.name);
  if (survey.broken === survey.count) return nothingToSpeak;
  const { openBatchFront } = await loadOptional(
    'svc batch --broker',
    () => import('../../broker/front/open-batch-front.ts'),
  );
  const logger = {
    info: (_fields: unknown, message?: string) => {
      if (!quiet) printNote(`${message ?? ''} (queue ${queue} at ${address.shown})`, io);
    },
    warn: (fields: unknown, message?: string) => {
      // That a first connection fails is the error of the whole command.
      if (!quiet && isOpen) printWarning(`${message ?? ''}: ${(fields as { readonly reason: string }).reason}`, io);
    },
  };
  let isOpen = false;
  const front = await openBatchFront({ address, queue, model, logger, signal: io.signal });
  isOpen = true;
  const { served, source } = front;

  /** Tries again what a worker could not do, and waits while there is no broker or no worker. */
  async function retrying<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 0; ; attempt += 1) {
      await front.ready(signal);
      try {
        return await work();
      } catch (error) {
        const { code, message } = toSvcError(error);
        // A full disk of this machine is no reason to try again, unlike a bucket that is away.
        const mayPass = passing.includes(code) || (code === 'IO' && isRemote);
        if (!mayPass || attempt >= retries) throw error;
        if (verbose) printNote(`trying a line again: ${message}`, io);
        await wait(1000 * 2 ** attempt, undefined, { signal }).catch(() => throwIfCanceled(signal));
      }
    }
  }

  return {
    modelHash: served.identity,
    // Part of the identity.
    loraRevision: async (name) => name,
    limit: () => maxBatch ?? Math.min(mostLines, Math.max(1, linesPerSlot * front.capacity)),
    async open({ signal }) {
      return {
        source: {
          ...source,
          encode: (audio, role, running) => retrying(signal, () => source.encode(audio, role, running)),
        },
        makeFile: (speech, file, signal) =>
          retrying(signal, () =>
            isRemote
              ? source.speakFile(speech, file, { signal })
              : makeSpeechFile(source, speech, file, { signal, objects }),
          ),
      };
    },
    [Symbol.asyncDispose]: front.close,
  };
}

const nothingToSpeak: BatchSpeech = {
  modelHash: '',
  loraRevision: async (name) => name,
  limit: () => 1,
  open: () => Promise.reject(new Error('nothing to speak')),
  async [Symbol.asyncDispose]() {},
};
