/** A `SpeechSource` backed by workers: requests are accepted here and computed by any worker. */

import { noShare } from '../../admission/step-turns.ts';
import { type Accepted, acceptSteps } from '../../engine/accepted.ts';
import { cutLive } from '../../engine/live/cut-live.ts';
import { acceptLive, type LiveSpeech } from '../../engine/live/live-request.ts';
import { isCut } from '../../engine/live/live-text.ts';
import { unknownAdapter } from '../../engine/lora/adapter-catalog.ts';
import { previewSteps } from '../../engine/plan/preview.ts';
import type { RequestFields } from '../../engine/request.ts';
import type { SpeechEvent } from '../../engine/speech-event.ts';
import type { RunOptions, SpeakOptions, SpeechSource } from '../../engine/speech-source.ts';
import { type EncodedAudio, parseAudio } from '../../engine/voice-fields.ts';
import { SvcError } from '../../errors.ts';
import { concatenate } from '../../float-arrays.ts';
import type { SpeechFile, SpokenFile } from '../../speech-files/speech-file.ts';
import type { ServedModel } from '../shared/registry.ts';
import { type Priority, type TaskKind, type TaskPiece, toEvent, toSpokenFile } from '../shared/task.ts';
import type { BrokerClient } from './broker-client.ts';
import { runTask, type TaskOrder } from './run-task.ts';

/** For requests that can't be canceled. */
const never = new AbortController().signal;

export interface RemoteSource extends SpeechSource {
  /** Has a worker write an object such as `s3://bucket/hello.wav`. @throws SvcError */
  speakFile(speech: Accepted, file: SpeechFile, options: RunOptions): Promise<SpokenFile>;
}

/** Requests have their seed, so that a worker that takes over generates the same audio. */
export function createRemoteSource(
  client: BrokerClient,
  served: ServedModel,
  assertServed: () => void,
  priority: Priority = 'interactive',
): RemoteSource {
  const { info, identity: model, adapters } = served;
  const { normalizes = info.architecture === 'voxcpm' } = served;

  const run = (
    kind: TaskKind,
    request: object,
    { signal = never, timestamps = 'none', mayRetract = false, share = noShare }: SpeakOptions = {},
    pieces?: TaskOrder['pieces'],
  ): AsyncGenerator<TaskPiece, void, undefined> =>
    runTask(client, { kind, request, pieces, timestamps, mayRetract, priority, share, model, assertServed }, signal);

  const checkLora = ({ lora }: Pick<RequestFields, 'lora'>): void => {
    const names = adapters.map(({ name }) => name);
    if (lora && !names.includes(lora.normalize('NFC'))) throw unknownAdapter(lora, names);
  };

  /** The text is cut here, see `live-text.ts`. */
  function runLive({ text, ...accepted }: LiveSpeech, options: SpeakOptions) {
    const segments = (signal: AbortSignal) =>
      isCut(text) ? text.segments : cutLive({ text, request: accepted, info, signal });
    return run('speech', accepted, { ...options, mayRetract: false }, segments);
  }

  return {
    info,
    *accept(request) {
      const accepted = yield* acceptSteps(request, info);
      checkLora(accepted);
      return accepted;
    },
    normalizes,
    preview(speech, text) {
      const decided = speech.normalize === 'auto' ? { ...speech, normalize: normalizes } : speech;
      return previewSteps(decided, text, info);
    },
    acceptLive(fields) {
      checkLora(fields);
      return acceptLive(fields, info);
    },
    speak: (speech, options = {}) =>
      eventsOf('text' in speech ? runLive(speech, options) : run('speech', speech, options), speech.warnings),
    async speakFile(speech, file, options) {
      for await (const { details } of run('file', { speech, file }, options)) {
        const spoken = toSpokenFile(details);
        return { ...spoken, warnings: [...new Set([...speech.warnings, ...spoken.warnings])] };
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

/**
 * The pieces of an answer as events. A worker that took over repeats what it knows of a part: its text, its sentences, how it
 * ended, and warnings.
 */
async function* eventsOf(
  pieces: AsyncIterable<TaskPiece>,
  early: readonly string[],
): AsyncGenerator<SpeechEvent, void, undefined> {
  const known = new Set(early);
  let begun = -1;
  let ended = -1;
  let lastStart = -1;
  for await (const piece of pieces) {
    const warnings = piece.warnings.filter((warning) => !known.has(warning));
    for (const warning of warnings) known.add(warning);
    if (piece.samples.length === 0) {
      if (warnings.length > 0) yield { part: Math.max(0, begun), samples: piece.samples, patches: 0, warnings };
      continue;
    }
    const { text, sentences = [], end, seed, attempts, ...event } = toEvent(piece);
    const { part } = event;
    const fresh = sentences.filter(({ start }) => start > lastStart);
    yield {
      ...event,
      warnings,
      ...(part > begun && text !== undefined && { text }),
      ...(fresh.length > 0 && { sentences: fresh }),
      ...(part > ended && end !== undefined && { end, seed, attempts }),
    };
    if (text !== undefined) begun = Math.max(begun, part);
    if (end !== undefined) ended = Math.max(ended, part);
    lastStart = fresh.at(-1)?.start ?? lastStart;
  }
}
