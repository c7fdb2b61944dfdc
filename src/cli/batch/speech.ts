/** What speaks the lines of a batch: an engine in this process, or workers behind a broker. */
import type { Accepted } from '../../engine/accepted.ts';
import type { SpeechSource } from '../../engine/engine.ts';
import type { Recognize } from '../../engine/recognize.ts';
import { ranges } from '../../engine/request.ts';
import { hashModel } from '../../files/hash-files.ts';
import { makeSpeechFile, type SpeechFile, type SpokenFile } from '../../speech-files/speech-file.ts';
import type { Io } from '../io.ts';
import { deviceOf, threadsOf } from '../model/engine-environment.ts';
import { chooseLoras } from '../model/lora-choice.ts';
import { chooseModel } from '../model/model-choice.ts';
import type { BatchOptions } from './batch-options.ts';
import { chooseBatchBroker } from './broker-options.ts';
import type { OutputTarget } from './output-target.ts';
import type { Survey } from './utterances.ts';

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

interface Model {
  /** Undefined for the demo model. */
  readonly path: string | undefined;
  readonly hash: string;
}

async function findModel({ count, broken }: Survey, options: BatchOptions, io: Io): Promise<Model> {
  // Nothing to speak: only the errors are reported.
  if (broken === count) return { path: undefined, hash: '' };
  const path = await chooseModel(options, io);
  const { resolveModelPath } = await import('../../engine/open-engine.ts');
  return { path, hash: await hashModel(await resolveModelPath(path), io.signal) };
}
