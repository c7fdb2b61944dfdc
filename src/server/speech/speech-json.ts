/**
 * Speech in JSON: an object of the whole, with the audio in base64, or lines as in Kokoro-FastAPI. An object is written as
 * it is generated, so that an hour of audio needs no memory.
 */
import { createByteSink, through, type WriteBytes } from '../../audio/encode/sink.ts';
import type { Encoder } from '../../audio/transform.ts';
import type { TimedSentence } from '../../engine/timing/timed-text.ts';
import { createBase64Writer } from './base64-writer.ts';
import { sendWhenComplete } from './complete-file.ts';
import type { SpeechOutput } from './speech-output.ts';
import type { OpenTemporaryFile } from './temporary-file.ts';

/** Fields of an object, and those beside the audio. */
export interface ObjectFields {
  /** Name of the audio. */
  readonly audio: string;
  /** Known before the audio. */
  readonly first: () => object;
  /** Known after it; not empty. */
  readonly last: (sentences: readonly TimedSentence[]) => object;
  /** Whether the file begins with its sizes, as WAV does: such a file is sent when it is complete. */
  readonly sizes: 'at the beginning' | 'at the end';
  readonly openFile: OpenTemporaryFile;
}

export function jsonObject(
  encoder: Promise<Encoder>,
  send: WriteBytes,
  { audio: name, first, last, sizes, openFile }: ObjectFields,
): SpeechOutput {
  const sentences: TimedSentence[] = [];
  const write = (text: string): Promise<void> => send(Buffer.from(text));
  const base64 = createBase64Writer(send);
  let begun = false;
  async function begin(): Promise<void> {
    if (begun) return;
    begun = true;
    await write(JSON.stringify({ ...first(), [name]: '' }).slice(0, -2));
  }
  async function append(bytes: Uint8Array): Promise<void> {
    await begin();
    await base64.write(bytes);
  }
  const audio =
    sizes === 'at the end'
      ? createByteSink(append)
      : sendWhenComplete({ begin: (bytes = 0) => ({ start: 0, end: bytes - 1 }), send: append }, openFile);
  return {
    ...through(encoder, {
      ...audio,
      async finish() {
        await begin();
        await audio.finish();
        await base64.finish();
        await write(`",${JSON.stringify(last(sentences)).slice(1)}\n`);
      },
    }),
    time: async (timed) => void sentences.push(...timed),
  };
}

/** A line for each piece of audio; the audio of all lines is one file. */
export function jsonLines(
  encoder: Promise<Encoder>,
  send: WriteBytes,
  lineOf: (audio: string, sentences: readonly TimedSentence[]) => object,
): SpeechOutput {
  let bytes: Uint8Array[] = [];
  let sentences: readonly TimedSentence[] = [];
  async function line(): Promise<void> {
    // An encoder may hold back short audio.
    if (bytes.length === 0) return;
    const object = lineOf(Buffer.concat(bytes).toString('base64'), sentences);
    bytes = [];
    sentences = [];
    await send(Buffer.from(`${JSON.stringify(object)}\n`));
  }
  return {
    ...through(encoder, { ...createByteSink(async (more) => void bytes.push(more)), finish: line }),
    time(timed) {
      sentences = [...sentences, ...timed];
      return line();
    },
  };
}
