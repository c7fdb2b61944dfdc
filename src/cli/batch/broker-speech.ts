/** Lines that workers behind a broker speak. */
import { setTimeout as wait } from 'node:timers/promises';
import type { BrokerAddress } from '../../broker/shared/address.ts';
import { throwIfCanceled } from '../../cancellation.ts';
import { type ErrorCode, toSvcError } from '../../errors.ts';
import { loadOptional } from '../../package/optional-package.ts';
import { isObjectUrl } from '../../speech-files/object-store.ts';
import { makeSpeechFile } from '../../speech-files/speech-file.ts';
import type { Io } from '../io.ts';
import { defaultQueue } from '../options/broker-choice.ts';
import { printNote, printWarning } from '../output/messages.ts';
import type { BatchSpeech, SpeechChoice } from './batch-speech.ts';
import { defaultRetries } from './broker-options.ts';

/** Without `--max-batch`: enough for workers not to wait for the next line, and few enough for memory and open files. */
const linesPerSlot = 2;
const mostLines = 1_000;

/** Errors that may not come back with another worker. */
const passing: readonly ErrorCode[] = ['BACKEND_UNAVAILABLE', 'DEVICE_LOST', 'OUT_OF_MEMORY', 'INTERNAL'];

/** @throws SvcError BACKEND_UNAVAILABLE, CANCELLED */
export async function openBrokerSpeech(
  address: BrokerAddress,
  { options, survey, target }: SpeechChoice,
  io: Io,
): Promise<BatchSpeech> {
  const { queue = defaultQueue, defaultModel: model, maxBatch, retries = defaultRetries, quiet, verbose } = options;
  const { objects } = target;
  const isRemote = isObjectUrl(target.name);
  // Nothing to speak: only the errors are reported.
  if (survey.broken === survey.count) return nothingToSpeak;
  const { openBatchFront } = await loadOptional(
    'svc batch --broker',
    () => import('../../broker/front/open-batch-front.ts'),
  );
  const note = (message: string): void => void (quiet || printNote(message, io));
  const logger = {
    info: (_fields: unknown, message?: string) => note(`${message ?? ''} (queue ${queue} at ${address.shown})`),
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
