/** A `SpeechSource` backed by workers: requests are checked here and computed by any worker. */

import { noShare } from '../../admission/step-turns.ts';
import {
  checkRequest,
  type HeardChunk,
  type HeardStream,
  type PartStream,
  type PartsOptions,
  type RunOptions,
  resolveRequest,
  type SpeechSource,
  type SpokenPart,
} from '../../engine/engine.ts';
import { cutLive } from '../../engine/live/cut-live.ts';
import { isCut, isLive, type LiveRequest, resolveLive, type StreamRequest } from '../../engine/live/live-request.ts';
import type { SeededRequest } from '../../engine/long-text/speak-part.ts';
import { unknownAdapter } from '../../engine/lora/adapter-catalog.ts';
import { randomSeed } from '../../engine/noise.ts';
import { type EncodedAudio, parseAudio, type SynthesisRequest } from '../../engine/request.ts';
import { SvcError } from '../../errors.ts';
import { atOnce, inTurns, type Steps } from '../../event-loop.ts';
import { concatenate } from '../../float-arrays.ts';
import type { SpeechFile, SpokenFile } from '../../speech-files/speech-file.ts';
import type { ServedModel } from '../shared/registry.ts';
import { type Priority, type TaskKind, type TaskPiece, toChunk, toPart, toSpokenFile } from '../shared/task.ts';
import type { BrokerClient } from './broker-client.ts';
import { runTask, type TaskOrder } from './run-task.ts';

/** For requests that can't be canceled. */
const never = new AbortController().signal;

/** A request for a worker. */
interface Prepared {
  readonly request: Omit<SeededRequest, 'passages'>;
  readonly warnings: readonly string[];
  readonly pieces: undefined;
  hear(pieces: AsyncIterable<TaskPiece>): AsyncGenerator<TaskPiece, void, undefined>;
}

export interface RemoteSource extends SpeechSource {
  /** Has a worker write an object such as `s3://bucket/hello.wav`. @throws SvcError */
  speakFile(request: SynthesisRequest, file: SpeechFile, options: RunOptions): Promise<SpokenFile>;
}

/** The seed is chosen here, so that a worker that takes over generates the same audio. */
export function createRemoteSource(
  client: BrokerClient,
  served: ServedModel,
  assertServed: () => void,
  priority: Priority = 'interactive',
): RemoteSource {
  const { info, identity: model, adapters } = served;
  const { outputSampleRate: sampleRate } = info;

  const run = (
    kind: TaskKind,
    request: object,
    { signal = never, timestamps = 'none', share = noShare }: PartsOptions = {},
    pieces?: TaskOrder['pieces'],
  ): AsyncGenerator<TaskPiece, void, undefined> =>
    runTask(client, { kind, request, pieces, timestamps, priority, share, model, assertServed }, signal);

  const checkLora = ({ lora }: Pick<SynthesisRequest, 'lora'>): void => {
    const names = adapters.map(({ name }) => name);
    if (lora && !names.includes(lora.normalize('NFC'))) throw unknownAdapter(lora, names);
  };

  function* preparing(input: SynthesisRequest): Steps<Prepared> {
    const { request, warnings } = yield* resolveRequest(input, info);
    checkLora(request);
    return { ...collect(request, warnings), pieces: undefined };
  }

  const prepare = (input: SynthesisRequest): Prepared => atOnce(preparing(input));

  /** The text is cut here, see `live-text.ts`. */
  function prepareLive(input: LiveRequest) {
    const { request, text } = resolveLive(input, info);
    checkLora(request);
    const pieces = (signal: AbortSignal) => (isCut(text) ? text.pieces : cutLive({ text, request, info, signal }));
    return { ...collect(request), pieces };
  }

  /** `warnings` also collects those that arrive with the worker's pieces. */
  function collect({ passages: _, ...request }: SeededRequest, atOnce: readonly string[] = []) {
    // The worker reads the script itself.
    const warnings = [...atOnce];
    async function* hear(pieces: AsyncIterable<TaskPiece>): AsyncGenerator<TaskPiece, void, undefined> {
      for await (const piece of pieces) {
        // A worker that takes over may repeat warnings.
        warnings.push(...piece.warnings.filter((warning) => !warnings.includes(warning)));
        if (piece.samples.length > 0) yield piece;
      }
    }
    return { request, warnings, hear };
  }

  function* checkSteps(request: StreamRequest): Steps<'speech' | 'silence'> {
    const found = yield* checkRequest(request, info);
    checkLora(request);
    return found;
  }

  /** Reads the text in turns with the event loop once audio is pulled. */
  function later<Item>(
    input: SynthesisRequest,
    kind: 'stream' | 'parts',
    options: PartsOptions,
    toItems: (pieces: AsyncIterable<TaskPiece>) => AsyncGenerator<Item, void, undefined>,
  ) {
    const seed = input.seed ?? randomSeed();
    let prepared: Prepared | undefined;
    async function* items(): AsyncGenerator<Item, void, undefined> {
      prepared = await inTurns(preparing({ ...input, seed }));
      yield* toItems(prepared.hear(run(kind, prepared.request, options)));
    }
    const running = items();
    return {
      sampleRate,
      seed,
      get warnings() {
        return prepared?.warnings ?? [];
      },
      [Symbol.asyncIterator]: () => running,
    };
  }

  return {
    info,
    check: (request) => atOnce(checkSteps(request)),
    checkInTurns: async (request) => inTurns(checkSteps(request)),
    stream(input, options): HeardStream {
      if (options?.reading === 'in turns' && !isLive(input)) return later(input, 'stream', options, toChunks);
      const { request, pieces, warnings, hear } = isLive(input) ? prepareLive(input) : prepare(input);
      const chunks = toChunks(hear(run('stream', request, options, pieces)));
      return { sampleRate, seed: request.seed, warnings, [Symbol.asyncIterator]: () => chunks };
    },
    synthesizeParts(input, options): PartStream {
      if (options?.reading === 'in turns') return later(input, 'parts', options, toParts);
      const { request, warnings, hear } = prepare(input);
      const parts = toParts(hear(run('parts', request, options)));
      return { sampleRate, seed: request.seed, warnings, [Symbol.asyncIterator]: () => parts };
    },
    async speakFile(input, file, options) {
      const { request, warnings } = prepare(input);
      for await (const { details } of run('file', { request, file }, options)) {
        const spoken = toSpokenFile(details);
        return { ...spoken, warnings: [...new Set([...warnings, ...spoken.warnings])] };
      }
      throw new SvcError('BACKEND_UNAVAILABLE', 'the worker ended without a file; please retry');
    },
    async encode(input, role, options): Promise<EncodedAudio> {
      const audio = parseAudio(input, role);
      if ('patches' in audio) return audio;
      const pieces: Float32Array[] = [];
      for await (const { samples } of run('encode', { audio, role }, options)) pieces.push(samples);
      return { role, patches: concatenate(pieces) };
    },
  };
}

/** The rest of a chunk, from a worker that took over, does not repeat its text and its sentences. */
async function* toChunks(pieces: AsyncIterable<TaskPiece>): AsyncGenerator<HeardChunk, void, undefined> {
  let begun = -1;
  let lastStart = -1;
  for await (const piece of pieces) {
    const { text, sentences = [], ...chunk } = toChunk(piece);
    const fresh = sentences.filter(({ start }) => start > lastStart);
    yield {
      ...chunk,
      ...(text !== undefined && chunk.part > begun && { text }),
      ...(fresh.length > 0 && { sentences: fresh }),
    };
    if (text !== undefined) begun = chunk.part;
    lastStart = fresh.at(-1)?.start ?? lastStart;
  }
}

async function* toParts(pieces: AsyncIterable<TaskPiece>): AsyncGenerator<SpokenPart, void, undefined> {
  let last = -1;
  for await (const piece of pieces) {
    const part = toPart(piece);
    // The rest of a part from a worker that took over and cut the audio elsewhere.
    yield part.index > last ? part : { ...part, sentences: part.sentences && [] };
    last = part.index;
  }
}
