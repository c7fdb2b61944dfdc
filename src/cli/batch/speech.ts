/** Chooses what speaks the lines of a batch. */
import { ranges } from '../../engine/request-fields.ts';
import { hashModel } from '../../files/hash-files.ts';
import { makeSpeechFile } from '../../speech-files/speech-file.ts';
import type { Io } from '../io.ts';
import { deviceOf, threadsOf } from '../model/engine-environment.ts';
import { chooseLoras } from '../model/lora-choice.ts';
import { chooseModel } from '../model/model-choice.ts';
import type { BatchOptions } from './batch-options.ts';
import type { BatchSpeech, SpeechChoice } from './batch-speech.ts';
import { chooseBatchBroker } from './broker-options.ts';
import type { Survey } from './utterances.ts';

/** Checks the options; downloads and converts a named model, or connects to the broker. @throws SvcError */
export async function chooseBatchSpeech(choice: SpeechChoice, io: Io): Promise<BatchSpeech> {
  const broker = await chooseBatchBroker(choice.options, io);
  if (broker === undefined) return chooseEngineSpeech(choice, io);
  const { openBrokerSpeech } = await import('./broker-speech.ts');
  return openBrokerSpeech(broker, choice, io);
}

async function chooseEngineSpeech({ options, survey, target, recognize }: SpeechChoice, io: Io): Promise<BatchSpeech> {
  const { maxBatch = ranges.maxBatch.default, threads = threadsOf(io) } = options;
  const backend = options.backend ?? deviceOf(io);
  const { objects } = target;
  const loras = await chooseLoras(options, io);
  const model = await findModel(survey, options, io);
  let close = async (): Promise<void> => undefined;
  return {
    modelHash: model.hash,
    loraRevision: loras.revision,
    limit: () => maxBatch,
    async open({ openEngine }) {
      const engineOptions = { modelPath: model.path, backend, threads, ditType: options.ditType, maxBatch };
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

/** Its path is undefined for the demo model. */
async function findModel({ count, broken }: Survey, options: BatchOptions, io: Io) {
  // Nothing to speak: only the errors are reported.
  if (broken === count) return { path: undefined, hash: '' };
  const path = await chooseModel(options, io);
  const { resolveModelPath } = await import('../../engine/open-engine.ts');
  return { path, hash: await hashModel(await resolveModelPath(path), io.signal) };
}
