import type { Readable } from 'node:stream';
import type { Engine } from '../engine/engine.ts';
import type { EngineOptions } from '../engine/engine-options.ts';
import type { EngineCallbacks } from '../engine/open-engine.ts';
import type { Loudspeaker } from './output/loudspeaker.ts';

/** Everything of the process that commands use. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** Fires on Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly openEngine: (options: EngineOptions, callbacks?: EngineCallbacks) => Promise<Engine>;
  readonly loudspeaker: Loudspeaker;
}
