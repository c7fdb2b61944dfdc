/** Keeps a copy of the manifest beside the objects of a batch. */
import { stat } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { toSvcError } from '../../errors.ts';
import { replaceWhole } from '../../files/file-system.ts';
import { manifestName, type OutputTarget } from './output-target.ts';

/** A copy may grow to gigabytes, so uploading it takes at most a twentieth of the time. */
const restSeconds = 60;
const restFactor = 19;
const lookMilliseconds = 5_000;

/** Replaces the local manifest if the copy has more entries, as of another machine; then uploads it now and again. */
export async function copyManifest(
  { manifest, objects, pathOf }: OutputTarget,
  signal: AbortSignal,
  onFailure: (message: string) => void,
) {
  const url = pathOf(manifestName);
  const localSize = async (): Promise<number> => (await stat(manifest).catch(() => undefined))?.size ?? 0;
  let copied = (await objects.size(url)) ?? 0;
  if (copied > (await localSize())) await replaceWhole(manifest, (partial) => objects.download(url, partial, signal));
  let running: Promise<void> | undefined;
  let dueAt = performance.now() + 1000 * restSeconds;

  async function upload(options: { readonly signal: AbortSignal }): Promise<void> {
    const size = await localSize();
    if (size === copied) return;
    const started = performance.now();
    await objects.upload(manifest, url, { ...options, mimeType: 'application/x-ndjson' });
    copied = size;
    dueAt = performance.now() + Math.max(1000 * restSeconds, restFactor * (performance.now() - started));
  }

  const timer = setInterval(() => {
    if (running !== undefined || performance.now() < dueAt) return;
    running = upload({ signal })
      .catch((error: unknown) => {
        dueAt = performance.now() + 1000 * restSeconds;
        if (!signal.aborted) onFailure(toSvcError(error).message);
      })
      .finally(() => {
        running = undefined;
      });
  }, lookMilliseconds);

  return {
    /** Uploads what the last upload lacks. @throws SvcError IO */
    async finish(): Promise<void> {
      clearInterval(timer);
      await running;
      // Also after Ctrl-C: it is short, and a second Ctrl-C ends it.
      await upload({ signal: new AbortController().signal });
    },
    stop: () => clearInterval(timer),
  };
}
