/** The worker of the page: the server's engine, over a model that onnxruntime runs in this thread. */
import { checkPrompt } from '../../audio/analyze/prompt-check.ts';
import type { Backend } from '../../engine/backend.ts';
import { createEngineFromBackend, type Engine } from '../../engine/engine.ts';
import type { EncodedAudio } from '../../engine/voice-fields.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { openBrowserBackend } from './browser-backend.ts';
import { openFileStore } from './file-store.ts';
import { type ModelFiles, openModelFiles } from './model-files.ts';
import { openWebRuntime } from './onnx-web.ts';
import type { FromWorker, LoadOrder, Order, Outcome, Recording, Report, SpeakOrder, ToWorker } from './protocol.ts';

/** The scope of a worker, which TypeScript's DOM types leave out. */
type WorkerScope = { onmessage: (event: MessageEvent<ToWorker>) => void; postMessage(message: FromWorker): void };
const scope = globalThis as unknown as WorkerScope;

/** onnxruntime's own files are beside this script. */
const runtimeFiles = new URL('./ort/', import.meta.url).href;

type Send = (report: Report) => void;

let engine: Engine | undefined;
let encoded: { readonly number: number; readonly role: string; readonly audio: EncodedAudio } | undefined;
const running = new Map<number, AbortController>();

async function load({ address, device }: LoadOrder, send: Send, signal: AbortSignal): Promise<Outcome> {
  await engine?.close();
  engine = undefined;
  encoded = undefined;
  const files = await openModelFiles(address, {
    ...{ store: openFileStore(), signal },
    onReceived: (received) => send({ kind: 'received', ...received }),
  });
  const { backend, shown } = await openBackend(files, device, send);
  // One utterance at a time: there is nothing to batch.
  engine = createEngineFromBackend(backend, { maxBatch: 1 });
  const { name, architecture, outputSampleRate } = engine.info;
  return { kind: 'loaded', model: { name, architecture, sampleRate: outputSampleRate, device: shown } };
}

/** Falls back to WebAssembly if WebGPU was chosen automatically and can't run the model. */
async function openBackend(
  files: ModelFiles,
  device: LoadOrder['device'],
  send: Send,
): Promise<{ readonly backend: Backend; readonly shown: string }> {
  const runtime = await openWebRuntime(device, runtimeFiles);
  try {
    return { backend: await openBrowserBackend(files, runtime), shown: runtime.device };
  } catch (thrown) {
    const { code, message } = toSvcError(thrown);
    if (device !== 'auto' || runtime.kind === 'wasm' || code !== 'INTERNAL') throw thrown;
    send({ kind: 'warning', message: `WebGPU can't run this model (${message})` });
    return openBackend(files, 'wasm', send);
  }
}

async function speak(order: SpeakOrder, send: Send, signal: AbortSignal): Promise<Outcome> {
  if (engine === undefined) throw new SvcError('INTERNAL', 'no model is loaded');
  const { kind: _, recording, transcript: promptText, ...fields } = order;
  const audio = recording && (await encode(engine, recording, send, signal));
  const voice = audio?.role === 'prompt' ? { promptAudio: audio, promptText } : { referenceAudio: audio };
  const speech = engine.stream({ ...fields, ...voice }, { signal });
  let sent = 0;
  const warn = (): void => {
    for (const message of speech.warnings.slice(sent)) send({ kind: 'warning', message });
    sent = speech.warnings.length;
  };
  warn();
  for await (const { samples } of speech) {
    send({ kind: 'samples', samples });
    warn();
  }
  return { kind: 'spoken' };
}

async function encode(
  { info, encode: encodeAudio }: Engine,
  { number, role, samples, sampleRate }: Recording,
  send: Send,
  signal: AbortSignal,
): Promise<EncodedAudio> {
  const audio = { samples, sampleRate, channels: 1 };
  for (const message of checkPrompt(audio, info, role)) send({ kind: 'warning', message });
  if (encoded?.number === number && encoded.role === role) return encoded.audio;
  const made = await encodeAudio(audio, role, { signal });
  encoded = { number, role, audio: made };
  return made;
}

async function obey(number: number, order: Order): Promise<void> {
  const controller = new AbortController();
  running.set(number, controller);
  const send = (report: Report | Outcome): void => scope.postMessage({ number, report });
  try {
    const { signal } = controller;
    send(await (order.kind === 'load' ? load(order, send, signal) : speak(order, send, signal)));
  } catch (thrown) {
    const { code, message } = toSvcError(thrown);
    send({ kind: 'failed', code, message });
  } finally {
    running.delete(number);
  }
}

scope.onmessage = ({ data: { number, order } }) => {
  if (order === 'cancel') running.get(number)?.abort();
  else void obey(number, order);
};
