/** Runs one task on a worker and appends the answer piece by piece. */

import type { StepTurn, StepTurns } from '../../admission/step-turns.ts';
import type { Audio } from '../../audio/audio.ts';
import { followSignal, throwIfCanceled } from '../../cancellation.ts';
import type { Accepted } from '../../engine/accepted.ts';
import type { LiveSegment } from '../../engine/live/live-text.ts';
import { joinEvents, type SpeechEvent } from '../../engine/speech-event.ts';
import type { SpeechSource } from '../../engine/speech-source.ts';
import { assertRecordings, type EncodedAudio } from '../../engine/voice-fields.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { isObjectUrl, type ObjectStore } from '../../speech-files/object-store.ts';
import { makeSpeechFile, type SpeechFile } from '../../speech-files/speech-file.ts';
import { noSpan, startSpan } from '../../tracing/span.ts';
import { traceSpeech } from '../../tracing/trace-speech.ts';
import type { RedisClient } from '../shared/connection.ts';
import type { BrokerKeys } from '../shared/keys.ts';
import type { TextReceivers } from '../shared/live-text.ts';
import { unpack } from '../shared/packing.ts';
import {
  mostUnread,
  parseTask,
  parseTaskAddress,
  type TaskData,
  type TaskPiece,
  toSpokenFile,
} from '../shared/task.ts';
import type { AnswerWriter } from './answer-writer.ts';
import { createGatherer, type PieceGatherer } from './gather-pieces.ts';
import type { Listener, Listeners } from './listeners.ts';

export interface TaskContext {
  readonly redis: RedisClient;
  readonly keys: BrokerKeys;
  readonly engine: SpeechSource;
  readonly answers: AnswerWriter;
  readonly listeners: Listeners;
  readonly texts: TextReceivers;
  readonly objects: ObjectStore;
  /** Shared by the tasks of a worker. */
  readonly turns: StepTurns;
  readonly identity: string;
}

/** How a task ended and how many values were generated. `left`: the listener has gone, or another worker has finished it. */
export interface WorkedTask {
  readonly end: 'done' | 'failed' | 'left';
  readonly made: number;
}

/**
 * Errors of the task itself go to its listener.
 *
 * @param signal aborts when the task must be left to another worker
 * @param leave aborts the signal; called when a listener waits for the place of a task of a batch, or when the broker has
 *   lost a piece of the answer: another attempt then generates it again
 * @throws the signal's reason
 */
export async function workTask(
  context: TaskContext,
  data: unknown,
  signal: AbortSignal,
  leave: () => void = () => undefined,
): Promise<WorkedTask> {
  const { answers, listeners } = context;
  const { outputSampleRate } = context.engine.info;
  const task = parseTaskAddress(data);
  const received = await answers.position(task);
  if (received === 'gone') return { end: 'left', made: 0 };
  const listener = listeners.watch(task.task);
  const lifetime = followSignal(signal);
  listener.signal.addEventListener('abort', () => lifetime.end(), { once: true });
  let made = 0;
  let sent = received;
  let turn: StepTurn | undefined;
  /** Warnings of pieces without audio, which are not sent. */
  let unsent: readonly string[] = [];
  let result: Readonly<Record<string, unknown>> | undefined;
  let span = noSpan;
  let failure: unknown;
  let trace = traceSpeech(noSpan);
  try {
    const understood = parseTask(data);
    const { traceparent, kind } = understood;
    // Continues the trace of the front end.
    span = startSpan('worker.task', { kind: 'consumer', traceparent, attributes: { 'svc.task.kind': kind } });
    if (understood.kind !== 'encode') trace = traceSpeech(span.child('speech'));
    // A live text mostly waits for its writer, and has slots of its own.
    if (understood.text === 'whole') {
      const { priority, share } = understood;
      turn = await context.turns.enter({ owner: share.owner, weight: share.weight, priority }, lifetime.signal, leave);
    }
    const isStreamed = understood.kind === 'speech' && !understood.mayRetract;
    const gatherer = isStreamed ? createGatherer(outputSampleRate) : sendAtOnce;
    const send = async (pieces: readonly TaskPiece[]): Promise<'there' | 'gone'> => {
      for (const piece of pieces) {
        throwIfCanceled(lifetime.signal);
        if ((await deliver(context, understood, piece, listener, leave)) === 'gone') return 'gone';
        sent = piece.start + piece.samples.length;
      }
      return 'there';
    };
    for await (const piece of makePieces(context, understood, lifetime.signal)) {
      throwIfCanceled(lifetime.signal);
      made += piece.samples.length;
      const { part = 0, patches } = piece.details as Partial<SpeechEvent>;
      trace.record(part, piece.samples.length / outputSampleRate, patches);
      unsent = [...unsent, ...piece.warnings];
      if (understood.kind === 'file') {
        result = { ...piece.details };
        made = toSpokenFile(result).samples;
      }
      // Another worker has sent it.
      if (piece.samples.length === 0 || made <= received) continue;
      const due = gatherer.add({ ...piece, warnings: unsent });
      unsent = [];
      if ((await send(due)) === 'gone') return { end: 'left', made };
      if (turn?.isFree() === false && (await send(gatherer.flush())) === 'gone') return { end: 'left', made };
      await turn?.next(part);
      throwIfCanceled(lifetime.signal);
    }
    if ((await send(gatherer.flush())) === 'gone') return { end: 'left', made };
    const ended = await answers.finish(task, { kind: 'done', warnings: unsent, ...(result && { result }) }, sent);
    if (ended === 'behind') leave();
    throwIfCanceled(lifetime.signal);
    return { end: 'done', made };
  } catch (thrown) {
    failure = thrown;
    if (listener.signal.aborted) return { end: 'left', made };
    if (signal.aborted) throw signal.reason;
    const { code, message } = toSvcError(thrown);
    await answers.finish(task, { kind: 'failed', code, message });
    return { end: 'failed', made };
  } finally {
    turn?.leave();
    trace.end(failure);
    span.end(failure);
    listener.stop();
    lifetime.detach();
  }
}

/** Parts of a text and encoded recordings are long enough. */
const sendAtOnce: PieceGatherer = { add: (piece) => [piece], flush: () => [] };

async function deliver(
  { answers }: TaskContext,
  task: TaskData,
  piece: TaskPiece,
  listener: Listener,
  leave: () => void,
): Promise<'there' | 'gone'> {
  const { position, unread } = await answers.append(task, piece);
  if (position === 'gone') return 'gone';
  // A replica that became the master lacks what came before: generate it again.
  if (position < piece.start) {
    leave();
    return 'there';
  }
  const most = mostUnread(task);
  // The front end submits the task again, from where it was read, once its client reads again.
  if (unread > most && (await listener.room(most)) === 'outstayed') return 'gone';
  return listener.signal.aborted ? 'gone' : 'there';
}

/** Yields the answer from its beginning: a worker that takes over regenerates what was sent and sends only the rest. */
async function* makePieces(
  { redis, keys, engine, identity, texts, objects }: TaskContext,
  { task, kind, request, text, model, timestamps, mayRetract }: TaskData,
  signal: AbortSignal,
): AsyncGenerator<TaskPiece, void, undefined> {
  if (model !== identity) {
    throw new SvcError(
      'BACKEND_UNAVAILABLE',
      'the worker has another model than the server; start all workers of a queue with the same model and LoRA adapters',
    );
  }
  const floats = (await redis.getBuffer(keys.input(task))) ?? Buffer.alloc(0);
  const input = unpack({ json: request, floats });
  let start = 0;
  const next = (samples: Float32Array, details: object, warnings: readonly string[] = []): TaskPiece => {
    const piece = { start, samples, details, warnings };
    start += samples.length;
    return piece;
  };
  if (kind === 'encode') {
    const { audio, role } = input as { readonly audio: Audio; readonly role: EncodedAudio['role'] };
    const { patches } = await engine.encode(audio, role, { signal });
    yield next(patches, {});
    return;
  }
  if (kind === 'file') {
    const { speech, file } = input as { readonly speech: Accepted; readonly file: SpeechFile };
    assertVoices(speech);
    // A path would let others write anywhere on this machine.
    if (!isObjectUrl(file.path)) throw new SvcError('INVALID_REQUEST', 'workers write files to S3 only');
    yield next(new Float32Array(0), await makeSpeechFile(engine, speech, file, { signal, objects }));
    return;
  }
  let taken = 0;
  async function* segments(): AsyncGenerator<LiveSegment, void, undefined> {
    for await (const segment of texts.receive(task, signal)) {
      taken += 1;
      yield segment;
    }
  }
  const accepted = input as Accepted;
  assertVoices(accepted);
  const speech = text === 'live' ? { ...accepted, text: { segments: segments() } } : accepted;
  /** Pieces without audio are not sent. */
  let held: SpeechEvent | undefined;
  for await (const { patch: _, warnings, ...event } of engine.speak(speech, { signal, timestamps, mayRetract })) {
    const joined = held === undefined ? event : joinEvents(held, event);
    held = event.samples.length === 0 ? joined : undefined;
    const { samples, ...details } = joined;
    yield next(samples, { ...details, taken }, warnings);
  }
}

/** The broker may have lost the recordings. */
function assertVoices(speech: Accepted): void {
  for (const voice of [speech, ...Object.values(speech.voices ?? {})]) assertRecordings(voice);
}
