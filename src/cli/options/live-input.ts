/** Text that is spoken while it is written to standard input. */
import { type LiveText, liveFormats } from '../../engine/live/live-request.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import type { SpeakOptions } from './options.ts';
import { inputFormatOf } from './script-options.ts';
import { maxTextBytes, tooMuchText } from './text-input.ts';

/** @throws SvcError INVALID_REQUEST for options that do not fit live text, or only live text */
export function checkLive(options: SpeakOptions): void {
  const { live, text, textFile, split, firstClause, checkWith, promptAudio } = options;
  if (!live) {
    if (firstClause !== undefined) throw requestError(`--${firstClause ? '' : 'no-'}first-clause needs --live`);
    return;
  }
  if (text !== undefined || (textFile !== undefined && textFile !== '-')) {
    throw requestError('--live reads the text from standard input; leave out the text and --text-file');
  }
  if (!liveFormats.some((format) => format === inputFormatOf(options))) {
    throw requestError(`--live reads plain text, Markdown or scripts; leave out --input-format ${options.inputFormat}`);
  }
  if (split === false) throw requestError('--no-split does not apply to --live; leave it out');
  if (checkWith !== undefined && promptAudio === undefined) {
    throw requestError('--check-with does not apply to --live: what was heard cannot be taken back; leave it out');
  }
}

/** Standard input in the pieces in which it is written; it is destroyed when nobody reads on. */
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
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let length = 0;
  let hasText = false;
  const decode = (bytes?: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw requestError('standard input is not UTF-8 text');
    }
  };
  for await (const part of source) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    length += bytes.length;
    if (length > maxTextBytes) throw tooMuchText('standard input');
    // NUL is valid UTF-8, but occurs in no text that anyone wants spoken.
    if (bytes.includes(0)) throw requestError('standard input is not UTF-8 text but binary data');
    const piece = decode(bytes);
    hasText ||= piece.trim() !== '';
    // An empty piece would flush.
    if (piece !== '') yield piece;
  }
  decode();
  if (!hasText) throw requestError('no text to speak: standard input is empty');
}
