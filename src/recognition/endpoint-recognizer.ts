/** A recognizer behind HTTP: an endpoint as `/v1/audio/transcriptions` of OpenAI's API. */
import { z } from 'zod';
import { connectionReason } from '../connection-reason.ts';
import type { Recognize } from '../engine/recognize.ts';
import { SvcError } from '../errors.ts';
import { quote, requestError } from '../validation.ts';
import { encodeRecording } from './recording.ts';
import { timeLimit, within } from './time-limit.ts';

const defaultModel = 'whisper-1';
const path = '/v1/audio/transcriptions';
/** Only this host may see `OPENAI_API_KEY`. */
const publicHost = 'api.openai.com';

const answer = z.object({ text: z.string() });
const problem = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) });

/**
 * @param address the endpoint, or the base URL of the API; its parameters become fields of the form, as `?model=…`
 * @param environment `SVC_CHECK_KEY` is sent as bearer token, and `OPENAI_API_KEY` to api.openai.com
 * @throws SvcError INVALID_REQUEST
 */
export function createEndpointRecognizer(
  address: string,
  environment: Readonly<Record<string, string | undefined>>,
): Recognize {
  if (!URL.canParse(address)) throw requestError(`--check-with: invalid URL ${quote(address)}`);
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') {
    throw requestError('--check-with: the URL must not contain a password; set SVC_CHECK_KEY');
  }
  const fields = { model: defaultModel, ...Object.fromEntries(url.searchParams), response_format: 'json' };
  url.search = '';
  if (/^\/(v1\/?)?$/.test(url.pathname)) url.pathname = path;
  const key = environment.SVC_CHECK_KEY || (url.host === publicHost ? environment.OPENAI_API_KEY : undefined);
  const headers = { accept: 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) };
  const failure = (what: string, cause?: unknown): SvcError =>
    new SvcError('NETWORK', `the recognizer at ${url.origin} ${what}`, { cause });

  return async (audio, signal) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    body.set('file', new Blob([await encodeRecording(audio)], { type: 'audio/wav' }), 'speech.wav');
    const seconds = timeLimit(audio);
    const late = () => failure(`took longer than ${seconds} s`);
    return within(seconds, { signal, late }, async (limited) => {
      try {
        const response = await fetch(url, { method: 'POST', headers, body, signal: limited });
        const text = await response.text();
        if (!response.ok) throw failure(`answered ${response.status}${detailOf(text)}`);
        const parsed = answer.safeParse(jsonOf(text));
        if (!parsed.success) throw failure('answered without a transcript; is it a transcription endpoint?');
        return parsed.data.text.trim();
      } catch (error) {
        if (limited.aborted) throw limited.reason;
        if (error instanceof SvcError) throw error;
        throw failure(`cannot be reached: ${reasonOf(error)}`, error);
      }
    });
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What the endpoint says about an error, on one line. */
function detailOf(text: string): string {
  const parsed = problem.safeParse(jsonOf(text));
  if (!parsed.success) return '';
  const { error } = parsed.data;
  return `: ${(typeof error === 'string' ? error : error.message).replace(/\s+/g, ' ').slice(0, 300)}`;
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { readonly cause?: { readonly code?: unknown } };
  return connectionReason(cause?.code) ?? message;
}
