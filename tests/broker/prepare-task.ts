/** A task as a worker receives it. */
import type { Redis } from 'ioredis';
import { createStepTurns } from '../../src/admission/step-turns.ts';
import { brokerKeys, protocolVersion } from '../../src/broker/shared/keys.ts';
import type { TextReceivers } from '../../src/broker/shared/live-text.ts';
import { pack } from '../../src/broker/shared/packing.ts';
import type { TaskData, TaskKind } from '../../src/broker/shared/task.ts';
import type { Listeners } from '../../src/broker/worker/listeners.ts';
import type { TaskContext } from '../../src/broker/worker/work-task.ts';
import { createEngineOver } from '../../src/engine/engine.ts';
import type { TextPiece } from '../../src/engine/live/cut-live.ts';
import { createObjectStore } from '../../src/speech-files/object-store.ts';
import { createFakeBackend, type FakeOptions } from '../engine/fake-backend.ts';
import type { MemoryAnswers } from './memory-answers.ts';

interface PrepareOptions extends FakeOptions {
  readonly timestamps?: TaskData['timestamps'];
  /** Of a live text. */
  readonly pieces?: readonly TextPiece[];
}

/** A task, and the context of a worker with a fake backend. */
export function prepareTask(
  kind: TaskKind,
  request: object,
  answers: MemoryAnswers,
  { timestamps = 'none', pieces, ...options }: PrepareOptions = {},
) {
  const { json, floats } = pack(request);
  const address = { task: 'one', news: 'news' };
  const task: TaskData = {
    version: protocolVersion,
    ...address,
    kind,
    request: json,
    text: pieces === undefined ? 'whole' : 'live',
    timestamps,
    priority: 'interactive',
    share: { weight: 1 },
    model: 'model',
  };
  const leaving = new AbortController();
  const listeners: Listeners = {
    watch: () => ({ signal: leaving.signal, room: async () => 'room', stop: () => undefined }),
    close: () => undefined,
  };
  const backend = createFakeBackend({ stopAt: 9, ...options });
  const engine = createEngineOver(backend, { maxBatch: 2 });
  const redis = { getBuffer: async () => (floats.length > 0 ? floats : null) } as unknown as Redis;
  async function* receive() {
    yield* pieces ?? [];
  }
  const texts: TextReceivers = { receive, close: () => undefined };
  const context: TaskContext = {
    redis,
    keys: brokerKeys('test'),
    engine,
    answers,
    listeners,
    texts,
    objects: createObjectStore({}),
    turns: createStepTurns(2),
    identity: 'model',
  };
  return { task, context, engine, backend, leaving };
}
