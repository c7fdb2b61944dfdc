/** A task as a worker receives it. */
import type { Redis } from 'ioredis';
import { createStepTurns } from '../../src/admission/step-turns.ts';
import { brokerKeys, protocolVersion } from '../../src/broker/shared/keys.ts';
import type { TextReceivers } from '../../src/broker/shared/live-text.ts';
import { pack } from '../../src/broker/shared/packing.ts';
import type { TaskData, TaskKind } from '../../src/broker/shared/task.ts';
import type { Listeners } from '../../src/broker/worker/listeners.ts';
import type { TaskContext } from '../../src/broker/worker/work-task.ts';
import type { ModelInfo } from '../../src/engine/backend.ts';
import { createEngineFromBackend } from '../../src/engine/engine.ts';
import { acceptLive } from '../../src/engine/live/live-request.ts';
import type { LiveSegment } from '../../src/engine/live/live-text.ts';
import { parseFields, type SynthesisRequest } from '../../src/engine/request.ts';
import { createObjectStore } from '../../src/speech-files/object-store.ts';
import { createFakeBackend, type FakeOptions } from '../engine/fake-backend.ts';
import { accept } from '../support/accept.ts';
import type { MemoryAnswers } from './memory-answers.ts';

interface PrepareOptions extends FakeOptions {
  readonly timestamps?: TaskData['timestamps'];
  readonly mayRetract?: boolean;
  /** Segments of a live text. */
  readonly segments?: readonly LiveSegment[];
}

interface TaskRequest extends Partial<SynthesisRequest> {
  /** Request for a file. */
  readonly request?: SynthesisRequest;
}

/** A task, and the context of a worker with a fake backend. */
export function prepareTask(
  kind: TaskKind,
  request: TaskRequest | object,
  answers: MemoryAnswers,
  { timestamps = 'none', mayRetract = false, segments, ...options }: PrepareOptions = {},
) {
  const backend = createFakeBackend({ stopAt: 9, ...options });
  const { json, floats } = pack(acceptedOf(request, backend.info));
  const address = { task: 'one', news: 'news' };
  const task: TaskData = {
    version: protocolVersion,
    ...address,
    kind,
    request: json,
    text: segments === undefined ? 'whole' : 'live',
    timestamps,
    mayRetract,
    priority: 'interactive',
    share: { weight: 1 },
    model: 'model',
  };
  const leaving = new AbortController();
  const listeners: Listeners = {
    watch: () => ({ signal: leaving.signal, room: async () => 'room', stop: () => undefined }),
    close: () => undefined,
  };
  const engine = createEngineFromBackend(backend, { maxBatch: 2 });
  const redis = { getBuffer: async () => (floats.length > 0 ? floats : null) } as unknown as Redis;
  async function* receive() {
    yield* segments ?? [];
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

/** Content of a front end's message: an accepted request, and what else a task has. */
function acceptedOf({ request, text, ...rest }: TaskRequest, info: ModelInfo): object {
  if (request !== undefined) return { ...rest, speech: accept(request, info) };
  if (text !== undefined) return accept({ ...rest, text }, info);
  return 'audio' in rest ? rest : acceptLive(parseFields(rest), info);
}
