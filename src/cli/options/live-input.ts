/** Text that is spoken while it is written to standard input. */
import { liveFormats } from '../../engine/live/live-request.ts';
import type { LiveText } from '../../engine/live/live-text.ts';
import { describeNoText } from '../../files/file-kinds.ts';
import { encodingOf } from '../../files/unicode-text.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import type { SpeakOptions } from './speak-options.ts';
import { inputFormatOf, maxTextBytes, tooMuchText } from './text-input.ts';

/** @throws SvcError INVALID_REQUEST for options that do not fit live text, or only live text */
export function checkLive(options: SpeakOptions): void {
  const { live, text, textFile, split, firstClause, checkWith, promptAudio } = options;
  if (!live) {
    if (firstClause !== undefined) throw requestError(`--${firstClause ? '' : 'no-'}first-clause needs --live`);
    return;
  }
  if (text !== undefined || (textFile !== undefined && textFile !== '-'))
    throw requestError('--live reads the text from standard input; leave out the text and --text-file');
  if (!liveFormats.some((format) => format === inputFormatOf(options)))
    throw requestError(`--live reads plain text, Markdown or scripts; leave out --input-format ${options.inputFormat}`);
  if (split === false) throw requestError('--no-split does not apply to --live; leave it out');
  if (checkWith !== undefined && promptAudio === undefined) {
    throw requestError(
      '--check-with does not apply to --live, where audio that was played cannot be replaced; leave it out',
    );
  }
}

/** Standard input in the pieces in which it arrives; destroyed when the reader stops. */
export function liveText({ stdin, signal }: Pick<Io, 'stdin' | 'signal'>): LiveText {
  const pieces = decoded(stdin);
  const destroy = (): void => void stdin.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => pieces.next(),
      async return() {
        signal.removeEventListener('abort', destroy);
        destroy();
        return { done: true, value: undefined };
      },
    }),
  };
}

async function* decoded(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<string, void, undefined> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let length = 0;
  let hasText = false;
  const decode = (bytes?: Uint8Array): string => {
    if (bytes?.length === 0) return '';
    // A writer that begins with half a byte order mark is none that anyone has seen.
    decoder ??= new TextDecoder(encodingOf(bytes ?? new Uint8Array()), { fatal: true });
    const name = decoder.encoding === 'utf-8' ? 'UTF-8' : 'UTF-16';
    let text: string;
    try {
      text = decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw requestError(`standard input is not ${name} text; send UTF-8`);
    }
    // NUL is valid, but occurs in no text that anyone wants spoken.
    if (text.includes('\0')) throw requestError(`standard input is not ${name} text but binary data`);
    return text;
  };
  for await (const part of source) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    length += bytes.length;
    if (length > maxTextBytes) throw tooMuchText('standard input');
    if (decoder === undefined) {
      const other = describeNoText(bytes, 'refused');
      if (other !== undefined) throw requestError(`standard input is ${other}`);
    }
    const piece = decode(bytes);
    hasText ||= piece.trim() !== '';
    // An empty piece would flush.
    if (piece !== '') yield piece;
  }
  decode();
  if (!hasText) throw requestError('no text to speak: standard input is empty');
}
