/** Workers and front ends as processes, and requests to them. */
import { type ServerProcess, type SvcProcess, startSvc, startSvcServe } from '../svc-process.ts';

/** With one thread: ggml's threads spin, so two workers with two threads each would wait for one another. */
export const startWorker = (broker: string, ...settings: readonly string[]): Promise<SvcProcess> =>
  startSvc(['worker', '--broker', broker, '--backend', 'cpu', '--threads', '1', ...settings], 'working');

export const startFront = (
  broker: string,
  voiceFolder: string,
  settings: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> => startSvcServe(['--broker', broker, '--voice-dir', voiceFolder, ...settings], environment);

export interface SpeakOptions {
  readonly seed: number;
  readonly signal?: AbortSignal;
}

/** Streams raw samples at the model's rate. */
export const speak = (url: string, input: string, { seed, signal }: SpeakOptions): Promise<Response> =>
  fetch(`${url}/v1/audio/speech/stream`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ input, seed }),
    signal: signal ?? null,
  });

/** @throws Error unless the answer is complete */
export async function samplesOf(response: Response): Promise<Int16Array> {
  if (response.status !== 200) throw new Error(`the server answered ${response.status}: ${await response.text()}`);
  return new Int16Array(await response.arrayBuffer());
}
