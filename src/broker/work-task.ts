/** One task at a worker: what is asked for made, from where the answer ends, piece after piece. */
import type { Redis } from 'ioredis';
import type { Audio } from '../audio/wav.ts';
import { throwIfCancelled } from '../engine/cancellation.ts';
import type { SpeechSource } from '../engine/engine.ts';
import type { EncodedAudio, SynthesisRequest } from '../engine/request.ts';
import { SvcError, toSvcError } from '../errors.ts';
import { followSignal } from '../follow-signal.ts';
import type { AnswerWriter } from './answer-writer.ts';
import type { BrokerKeys } from './keys.ts';
import type { Listener, Listeners } from './listeners.ts';
import { unpack } from './packing.ts';
import { mostUnheard, parseTask, parseTaskAddress, type TaskData, type TaskPiece } from './task.ts';

export interface TaskMeans {
  readonly redis: Redis;
  readonly keys: BrokerKeys;
  readonly engine: SpeechSource;
  readonly answers: AnswerWriter;
  readonly listeners: Listeners;
  /** Of the model of this worker. */
  readonly identity: string;
}

/** How it ended, and how many values were made here. `left`: nobody listens now, or another worker has ended it. */
export interface WorkedTask {
  readonly end: 'done' | 'failed' | 'left';
  readonly made: number;
}

/**
 * @param signal fires when the task must be left to another worker; rejects with its reason then. All that is wrong with
 *   the task itself is told to its listener.
 */
export async function workTask(means: TaskMeans, data: unknown, signal: AbortSignal): Promise<WorkedTask> {
  const { answers, listeners } = means;
  const task = parseTaskAddress(data);
  if ((await answers.position(task)) === 'gone') return { end: 'left', made: 0 };
  const listener = listeners.watch(task.task);
  const lifetime = followSignal(signal);
  listener.signal.addEventListener('abort', () => lifetime.end(), { once: true });
  let made = 0;
  /** Those of pieces without audio, which are not sent. */
  let unsaid: readonly string[] = [];
  try {
    const understood = parseTask(data);
    for await (const piece of makePieces(means, understood, lifetime.signal)) {
      made += piece.samples.length;
      unsaid = [...unsaid, ...piece.warnings];
      if (piece.samples.length === 0) continue;
      if ((await deliver(means, understood, { ...piece, warnings: unsaid }, listener)) === 'gone')
        return { end: 'left', made };
      unsaid = [];
      throwIfCancelled(lifetime.signal);
    }
    await answers.finish(task, { kind: 'done', warnings: unsaid });
    return { end: 'done', made };
  } catch (thrown) {
    if (listener.signal.aborted) return { end: 'left', made };
    if (signal.aborted) throw signal.reason;
    const { code, message } = toSvcError(thrown);
    await answers.finish(task, { kind: 'failed', code, message });
    return { end: 'failed', made };
  } finally {
    listener.stop();
    lifetime.detach();
  }
}

async function deliver(
  { answers }: TaskMeans,
  task: TaskData,
  piece: TaskPiece,
  listener: Listener,
): Promise<'there' | 'gone'> {
  const { position, unheard } = await answers.append(task, piece);
  if (position === 'gone') return 'gone';
  const most = mostUnheard[task.kind];
  // Left as it is: the front end hands it in again, from where it was heard, when its client reads again.
  if (unheard > most && (await listener.room(most)) === 'outstayed') return 'gone';
  return listener.signal.aborted ? 'gone' : 'there';
}

/** The whole answer from its beginning: a worker that takes over makes again what was heard, and sends the rest. */
async function* makePieces(
  { redis, keys, engine, identity }: TaskMeans,
  { task, kind, request, model }: TaskData,
  signal: AbortSignal,
): AsyncGenerator<TaskPiece, void, undefined> {
  if (model !== identity) {
    throw new SvcError('BACKEND_UNAVAILABLE', 'expected workers with the model of the front end, received another one');
  }
  const floats = (await redis.getBuffer(keys.input(task))) ?? Buffer.alloc(0);
  const input = unpack({ json: request, floats });
  let start = 0;
  let said = 0;
  const next = (samples: Float32Array, details: object, known: readonly string[] = []): TaskPiece => {
    const piece = { start, samples, details, warnings: known.slice(said) };
    start += samples.length;
    said = known.length;
    return piece;
  };
  if (kind === 'encode') {
    const { audio, role } = input as { readonly audio: Audio; readonly role: EncodedAudio['role'] };
    const { patches } = await engine.encode(audio, role, { signal });
    yield next(patches, {});
  } else if (kind === 'parts') {
    const parts = engine.synthesizeParts(input as SynthesisRequest, { signal });
    for await (const { samples, ...details } of parts) yield next(samples, details, parts.warnings);
  } else {
    const chunks = engine.stream(input as SynthesisRequest, { signal });
    for await (const { samples, index, part, end } of chunks)
      yield next(samples, { index, part, end }, chunks.warnings);
  }
}
