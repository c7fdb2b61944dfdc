/** The source of speech of a batch: an engine in this process, or workers behind a broker. */
import type { Accepted } from '../../engine/accepted.ts';
import type { Recognize } from '../../engine/recognize.ts';
import type { SpeechSource } from '../../engine/speech-source.ts';
import type { SpeechFile, SpokenFile } from '../../speech-files/speech-file.ts';
import type { Io } from '../io.ts';
import type { BatchOptions } from './batch-options.ts';
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
