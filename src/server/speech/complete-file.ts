/** Sends a complete file with its length, instead of a stream with unknown lengths in its header. */
import type { ByteOverwrite } from '../../audio/encode/format.ts';
import { createByteSink, type Sink, type WriteBytes } from '../../audio/encode/sink.ts';
import type { Encoded } from '../../audio/transform.ts';
import { ignore } from '../../errors.ts';
import type { OpenTemporaryFile, TemporaryFile } from '../context/temporary-file.ts';
import type { ByteRange } from '../http/byte-range.ts';

interface FileAnswer {
  /** Sends the headers. @returns the bytes to send of a file with a length; undefined for none */
  readonly begin: (bytes?: number) => ByteRange | undefined;
  readonly send: WriteBytes;
}

/** Sends the file when it is complete. Until then it is on disk, so that long speech takes no memory. */
export function sendWhenComplete({ begin, send }: FileAnswer, openFile: OpenTemporaryFile): Sink<Encoded> {
  let opening: Promise<TemporaryFile> | undefined;
  const open = (): Promise<TemporaryFile> => {
    opening ??= openFile();
    return opening;
  };
  return {
    write: async (encoded) => (await open()).write(encoded),
    async finish() {
      const { size, read } = await open();
      const range = begin(await size());
      if (range === undefined) return;
      for await (const bytes of read(range)) await send(bytes);
    },
    abort: async () => opening?.then(({ close }) => close(), ignore),
  };
}

const mostHeldBytes = 8 * 1024 * 1024;

/** Sends the file when it is complete if that takes at most `milliseconds`. Otherwise sends it as a stream from then on. */
export function sendCompleteIfSoon({ begin, send }: FileAnswer, milliseconds: number): Sink<Encoded> {
  let held: Uint8Array[] | undefined = [];
  let heldBytes = 0;
  let isLate = false;
  const overwrites: ByteOverwrite[] = [];
  let streaming: Promise<void> | undefined;

  function stream(pieces: readonly Uint8Array[]): Promise<void> {
    held = undefined;
    streaming = (async () => {
      begin();
      await send(Buffer.concat(pieces));
    })();
    return streaming;
  }

  const timer = setTimeout(() => {
    isLate = true;
    // The next write reports a failure.
    if (held !== undefined && held.length > 0) stream(held).catch(() => undefined);
  }, milliseconds);

  const append = async (bytes: Uint8Array): Promise<void> => {
    if (held === undefined) return send(bytes);
    held.push(bytes);
    heldBytes += bytes.length;
    if (isLate || heldBytes > mostHeldBytes) await stream(held);
  };
  const sink = createByteSink(append, async (bytes, position) => void overwrites.push({ bytes, position }));

  return {
    async write(encoded) {
      await streaming;
      await sink.write(encoded);
    },
    async finish() {
      clearTimeout(timer);
      await streaming;
      if (held === undefined) return;
      const file = Buffer.concat(held);
      for (const { bytes, position } of overwrites) file.set(bytes, position);
      const range = begin(file.length);
      if (range !== undefined) await send(file.subarray(range.start, range.end + 1));
    },
    async abort() {
      clearTimeout(timer);
    },
  };
}
