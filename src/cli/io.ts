import type { Readable } from 'node:stream';
import type { AudioSink } from '../audio/encode/sink.ts';
import type { Engine } from '../engine/engine.ts';
import type { EngineOptions } from '../engine/engine-options.ts';
import type { EngineCallbacks } from '../engine/open-engine.ts';
import type { TextReader } from '../engine/text-reader.ts';
import type { Check } from './probe/check.ts';

/** Everything of the process that commands use. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  /** Fires on Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly openEngine: (options: EngineOptions, callbacks?: EngineCallbacks) => Promise<Engine>;
  /** Replaces the engine's function of this name. */
  readonly openTextReader?: (options: Pick<EngineOptions, 'modelPath'>) => Promise<TextReader>;
  readonly loudspeaker: Loudspeaker;
}

export interface Loudspeaker {
  /** Whether there is one. Never rejects. */
  find(): Promise<Check>;
  /** @throws SvcError PLAYBACK_UNAVAILABLE */
  open(sampleRate: number): Promise<AudioSink>;
}
