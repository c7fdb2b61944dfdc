/** Speaks the lines of a batch in their voices, with a model that is loaded when the first line needs it. */
import { performance } from 'node:perf_hooks';
import { assertWords } from '../../engine/accepted.ts';
import type { ModelInfo } from '../../engine/backend.ts';
import { assertVoices } from '../../engine/voice-fields.ts';
import { inTurns } from '../../event-loop.ts';
import type { Io } from '../io.ts';
import { round } from '../output/units.ts';
import type { DoneEntry } from './manifest.ts';
import type { OutputTarget } from './output-target.ts';
import { createRecordVoice, type RecordVoiceOptions } from './record-voice.ts';
import type { BatchSpeech, OpenBatchEngine } from './speech.ts';
import type { BatchUtterance } from './utterances.ts';

/** The fields of the manifest about the audio. */
export type SynthesisResult = Omit<DoneEntry, 'id' | 'line' | 'status' | 'recordHash' | 'textHash' | 'at'>;

interface BatchSynthesizerOptions extends Omit<RecordVoiceOptions, 'engine'> {
  readonly target: OutputTarget;
  readonly speech: BatchSpeech;
  /** Called with the seconds that loading the model took. */
  readonly onReady: (info: ModelInfo, seconds: number) => void;
}

type Loaded = OpenBatchEngine & { readonly voiceOf: ReturnType<typeof createRecordVoice> };

export function createBatchSynthesizer(options: BatchSynthesizerOptions, io: Io) {
  const { target, speech, onReady, recognize } = options;
  const { signal } = io;
  let loading: Promise<Loaded> | undefined;

  async function load(): Promise<Loaded> {
    const started = performance.now();
    const opened = await speech.open(io);
    const engine = opened.source;
    const voiceOf = createRecordVoice({ ...options, engine }, io);
    onReady(engine.info, (performance.now() - started) / 1000);
    return { ...opened, voiceOf };
  }

  const loaded = (): Promise<Loaded> => {
    loading ??= load();
    return loading;
  };

  return {
    /** Loads the model once. A rejection ends the batch. */
    ready: async () => void (await loaded()),
    /** Call after `ready`. Rejects with the error of this utterance, or with CANCELLED or IO; leaves no file then. */
    async speak(utterance: BatchUtterance): Promise<SynthesisResult> {
      const { file, captionsFile, record, request: parsed } = utterance;
      const { source, makeFile, voiceOf } = await loaded();
      const started = performance.now();
      const { format = 'wav', sampleFormat = 's16', captionWords } = record;
      const voice = await voiceOf(utterance);
      // The seed of the line overrides that of the voice.
      const request = { ...parsed, ...voice.request, seed: parsed.seed ?? voice.request.seed };
      assertVoices(request);
      const speech = await inTurns(source.accept(request));
      assertWords(speech, request);
      const captions = captionsFile && target.pathOf(captionsFile);
      const output = { path: target.pathOf(file), format, sampleFormat, captions, captionWords };
      const spoken = await makeFile(speech, output, signal);
      const { samples, sampleRate, seed, patches, parts, end = 'stop', tries, bytes } = spoken;
      const audioSeconds = samples / sampleRate;
      const wallSeconds = (performance.now() - started) / 1000;
      return {
        file,
        ...(captionsFile !== undefined && { captions: captionsFile }),
        ...{ bytes, seed, sampleRate },
        audioSeconds: round(audioSeconds, 4),
        wallSeconds: round(wallSeconds, 3),
        rtf: round(wallSeconds / audioSeconds, 3),
        ...{ patches, parts, end },
        // Only what is worth a look: a checked line, or one that took several attempts.
        ...(recognize !== undefined || tries.length > parts ? { attempts: tries } : {}),
        ...(record.promptAudio === undefined ? {} : { promptText: request.promptText }),
        warnings: [...voice.warnings, ...spoken.warnings],
      };
    },
  };
}
