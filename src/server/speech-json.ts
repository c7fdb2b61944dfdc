/**
 * Speech in JSON: an object of the whole, with the audio in base64, or lines as in Kokoro-FastAPI. An object is written as
 * it is generated, so that an hour of audio needs no memory.
 */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createByteSink, createFileSink, type Sink, through, type WriteBytes } from '../audio/sink.ts';
import type { Encoded, Encoder } from '../audio/transform.ts';
import type { TimedSentence } from '../engine/timing/timed-text.ts';
import type { SpeechOutput } from './speech-events.ts';

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
}

/** Keeps a file in a temporary one until its sizes are known, then passes it on. */
function createKeptSink(send: WriteBytes): Sink<Encoded> {
  const path = join(tmpdir(), `svc-answer-${randomBytes(6).toString('hex')}.tmp`);
  let opening: Promise<Sink<Encoded>> | undefined;
  const file = (): Promise<Sink<Encoded>> => {
    opening ??= createFileSink(path);
    return opening;
  };
  return {
    write: async (encoded) => (await file()).write(encoded),
    async finish() {
      try {
        await (await file()).finish();
        for await (const bytes of createReadStream(path)) await send(bytes);
      } finally {
        await rm(path, { force: true });
      }
    },
    abort: async () => (await opening?.catch(() => undefined))?.abort(),
  };
}

export function jsonObject(
  encoder: Promise<Encoder>,
  send: WriteBytes,
  { audio: name, first, last, sizes }: ObjectFields,
): SpeechOutput {
  const sentences: TimedSentence[] = [];
  const write = (text: string): Promise<void> => send(Buffer.from(text));
  /** Bytes that don't fill a group of base64 yet. */
  let rest: Uint8Array = new Uint8Array();
  let begun = false;
  async function begin(): Promise<void> {
    if (begun) return;
    begun = true;
    await write(JSON.stringify({ ...first(), [name]: '' }).slice(0, -2));
  }
  async function append(bytes: Uint8Array): Promise<void> {
    await begin();
    const all = Buffer.concat([rest, bytes]);
    const whole = all.length - (all.length % 3);
    rest = all.subarray(whole);
    await write(all.subarray(0, whole).toString('base64'));
  }
  const audio = sizes === 'at the end' ? createByteSink(append) : createKeptSink(append);
  return {
    ...through(encoder, {
      ...audio,
      async finish() {
        await begin();
        await audio.finish();
        await write(`${Buffer.from(rest).toString('base64')}",${JSON.stringify(last(sentences)).slice(1)}\n`);
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
