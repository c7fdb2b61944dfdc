/** The engine of a batch, loaded when the first line needs it, and its voices. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { ModelInfo } from '../../engine/backend.ts';
import type { Engine } from '../../engine/engine.ts';
import type { AdapterCatalog } from '../../engine/lora/adapter-catalog.ts';
import type { Recognize } from '../../engine/recognize.ts';
import type { EngineOptions, SynthesisRequest } from '../../engine/request.ts';
import type { Io } from '../io.ts';
import type { OutputOptions, VoiceOptions } from '../options/options.ts';
import { writeCaptions } from '../output/captions.ts';
import { speakToFile } from '../output/speak-to-file.ts';
import type { DoneEntry } from './manifest.ts';
import { requestOf } from './record.ts';
import { createRecordVoice } from './record-voice.ts';
import type { Utterance } from './utterances.ts';

/** The fields of the manifest about the audio. */
export type Take = Omit<DoneEntry, 'id' | 'line' | 'status' | 'recordHash' | 'textHash' | 'at'>;

export interface StudioOptions extends Pick<VoiceOptions, 'voiceDir'>, Pick<OutputOptions, 'quiet'> {
  /** Folder for the audio files. */
  readonly folder: string;
  readonly engineOptions: EngineOptions;
  /** Adapters that lines name. */
  readonly loras?: AdapterCatalog | undefined;
  /** Checks speech, and transcribes prompts without transcript. */
  readonly recognize?: Recognize | undefined;
  /** Called when the engine is loaded, with the seconds that it took. */
  readonly onReady: (info: ModelInfo, seconds: number) => void;
  readonly onWarning: (warning: string) => void;
}

export interface Studio extends AsyncDisposable {
  /** Loads the engine once. A rejection, as of `openEngine`, ends the batch. */
  ready(): Promise<void>;
  /** Call after `ready`. Rejects with the error of this utterance, or with CANCELLED or IO; leaves no file then. */
  speak(utterance: Utterance): Promise<Take>;
}

interface Loaded {
  readonly engine: Engine;
  readonly voiceOf: ReturnType<typeof createRecordVoice>;
}

export function createStudio(options: StudioOptions, io: Io): Studio {
  const { folder, engineOptions, onReady, recognize, loras } = options;
  const { signal } = io;
  let loading: Promise<Loaded> | undefined;

  async function load(): Promise<Loaded> {
    const started = performance.now();
    const engine = await io.openEngine(engineOptions, { recognize, loras });
    const voiceOf = createRecordVoice({ ...options, engine, signal }, io);
    onReady(engine.info, (performance.now() - started) / 1000);
    return { engine, voiceOf };
  }

  const loaded = (): Promise<Loaded> => {
    loading ??= load();
    return loading;
  };

  return {
    ready: async () => void (await loaded()),
    async speak({ file, captionsFile, record }) {
      const { engine, voiceOf } = await loaded();
      const started = performance.now();
      const { format = 'wav', sampleFormat = 's16', speed = 1 } = record;
      const path = join(folder, file);
      const output = { kind: 'file', path, format, sampleFormat } as const;
      const voice = await voiceOf(record);
      // The seed of the line overrides that of the voice.
      const request: SynthesisRequest = { ...voice.request, ...requestOf(record) };
      // One part of a long text at a time: other lines fill the passes over the weights.
      const timestamps = captionsFile === undefined ? ('none' as const) : ('words' as const);
      const speaking = { engine, request, output, signal, timestamps, partsAtOnce: 1 };
      const spoken = await speakToFile(speaking, { speed }, io);
      if (captionsFile !== undefined) {
        const { captionWords } = record;
        await writeCaptions(spoken.sentences, { captions: join(folder, captionsFile), captionWords, speed });
      }
      const { samples, sampleRate, seed, patches, parts, end = 'stop', tries } = spoken;
      const audioSeconds = samples / sampleRate / speed;
      const wallSeconds = (performance.now() - started) / 1000;
      return {
        file,
        ...(captionsFile === undefined ? {} : { captions: captionsFile }),
        bytes: (await stat(path)).size,
        seed,
        sampleRate,
        audioSeconds: round(audioSeconds, 4),
        wallSeconds: round(wallSeconds, 3),
        rtf: round(wallSeconds / audioSeconds, 3),
        patches,
        parts,
        end,
        // Only what is worth a look: a checked line, or one that took several attempts.
        ...(recognize !== undefined || tries.length > parts ? { attempts: tries } : {}),
        ...(record.promptAudio === undefined ? {} : { promptText: request.promptText }),
        warnings: [...voice.warnings, ...spoken.warnings],
      };
    },
    async [Symbol.asyncDispose]() {
      await (await loading?.catch(() => undefined))?.engine.close();
    },
  };
}

const round = (value: number, digits: number): number => Number(value.toFixed(digits));
