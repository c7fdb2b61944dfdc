/** Recognizers that people name: a command of this machine, or an endpoint with OpenAI's transcription API. */
import type { Recognize } from '../engine/recognize.ts';
import type { Environment } from '../validation.ts';
import { createCommandRecognizer } from './command-recognizer.ts';
import { createEndpointRecognizer } from './endpoint-recognizer.ts';

/** Opens a command line, or a URL that begins with `http://` or `https://`. @throws SvcError INVALID_REQUEST */
export async function openRecognizer(checkWith: string, environment: Environment): Promise<Recognize> {
  return /^https?:\/\//i.test(checkWith.trim())
    ? createEndpointRecognizer(checkWith.trim(), environment)
    : createCommandRecognizer(checkWith, environment);
}
