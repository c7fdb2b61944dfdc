/**
 * Speech in JSON: an object of the whole, with the audio in base64, or lines. An object is written as
 * it is generated, so that an hour of audio needs no memory.
 */
import { createByteSink, through, type WriteBytes } from '../../audio/encode/sink.ts';
import type { TimedSentence } from '../../engine/timing/timed-text.ts';
import { sendWhenComplete } from './complete-file.ts';
import type { AnswerForm, AnswerOptions, SpeechOutput } from './speech-output.ts';

/** Writes bytes as base64 as they come. */
export function createBase64Writer(send: WriteBytes) {
  let rest: Uint8Array = new Uint8Array();
  const encode = (bytes: Uint8Array): Promise<void> => send(Buffer.from(Buffer.from(bytes).toString('base64')));
  return {
    async write(bytes: Uint8Array): Promise<void> {
      const all = Buffer.concat([rest, bytes]);
      const whole = all.length - (all.length % 3);
      rest = all.subarray(whole);
      await encode(all.subarray(0, whole));
    },
    finish: (): Promise<void> => encode(rest),
  };
}

interface ObjectFields<Known extends readonly unknown[]> {
  readonly audio: string;
  /** Known before the audio. */
  readonly first?: (...known: Known) => object;
  /** Known after it; not empty. */
  readonly last: (sentences: readonly TimedSentence[], ...known: Known) => object;
}

export const jsonObject = ({ audio, first, last }: ObjectFields<[AnswerOptions]>): AnswerForm => ({
  contentType: 'application/json',
  open: (options) =>
    openObject({ audio, first: () => first?.(options) ?? {}, last: (sentences) => last(sentences, options) }, options),
});

export function openObject(
  { audio: name, first, last }: ObjectFields<[]>,
  { openEncoder, send, sizes, openFile }: Pick<AnswerOptions, 'openEncoder' | 'send' | 'sizes' | 'openFile'>,
): SpeechOutput {
  const sentences: TimedSentence[] = [];
  const write = (text: string): Promise<void> => send(Buffer.from(text));
  const base64 = createBase64Writer(send);
  let begun = false;
  async function begin(): Promise<void> {
    if (begun) return;
    begun = true;
    await write(JSON.stringify({ ...first?.(), [name]: '' }).slice(0, -2));
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
    ...through(openEncoder(), {
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

type DescribeLine = (audio: string, sentences: readonly TimedSentence[]) => object;

/** A line for each piece of audio; the audio of all lines is one file. @param begin called once a speech */
export const jsonLines = (begin: (options: AnswerOptions) => DescribeLine): AnswerForm => ({
  contentType: 'application/x-ndjson',
  open: (options) => openLines(begin(options), options),
});

function openLines(lineOf: DescribeLine, { openEncoder, send }: AnswerOptions): SpeechOutput {
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
    ...through(openEncoder(), { ...createByteSink(async (more) => void bytes.push(more)), finish: line }),
    time(timed) {
      sentences = [...sentences, ...timed];
      return line();
    },
  };
}
