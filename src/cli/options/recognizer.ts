/** `--check-with`: a recognizer that checks speech and transcribes prompts. */
import { Option } from 'commander';
import type { Audio } from '../../audio/audio.ts';
import type { Recognize } from '../../engine/recognize.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { printNote } from '../output/messages.ts';

export type RecognizerOptions = { readonly checkWith?: string | undefined };

/** @param what names the recognizer and its purpose */
export const checkWithOption = (what: string): Option =>
  new Option('--check-with <recognizer>', `${what}: a command that prints the transcript of a WAV file, or a URL`);

/** Opens the recognizer of the options, if there is one. @throws SvcError INVALID_REQUEST */
export async function chooseRecognizer(
  { checkWith, maxWordErrors }: RecognizerOptions & { readonly maxWordErrors?: number | undefined },
  io: Pick<Io, 'environment'>,
): Promise<Recognize | undefined> {
  if (checkWith === undefined) {
    if (maxWordErrors !== undefined) throw requestError('--max-word-errors needs --check-with');
    return undefined;
  }
  // Loaded late: few runs have a recognizer.
  return (await import('../../recognition/open-recognizer.ts')).openRecognizer(checkWith, io.environment);
}

export interface Recording {
  readonly audio: Audio;
  readonly path: string;
  /** Option for a transcript by hand. */
  readonly flag: string;
  readonly quiet?: boolean | undefined;
}

/** The transcript of a recording, shown so that a person can correct it. @throws SvcError if there are no words */
export async function transcribe(
  recognize: Recognize,
  { audio, path, flag, quiet }: Recording,
  io: Pick<Io, 'stderr' | 'environment' | 'signal'>,
): Promise<string> {
  const text = (await recognize(audio, io.signal)).trim();
  if (text === '') throw requestError(`no words were recognized in ${quote(path)}; give its transcript with ${flag}`);
  if (!quiet) printNote(`transcript of ${path}: ${quote(text)} (correct it with ${flag})`, io);
  return text;
}
