/** A recognizer behind HTTP: an endpoint as `/v1/audio/transcriptions` of OpenAI's API. */
import { z } from 'zod';
import type { Recognize } from '../engine/recognize.ts';
import { SvcError } from '../errors.ts';
import { quote, sanitizeLine } from '../messages.ts';
import { connectionReason } from '../network-errors.ts';
import { type Environment, requestError, variableOf } from '../validation.ts';
import { encodeRecording, timeLimit, within } from './recording.ts';

const defaultModel = 'whisper-1';
const path = '/v1/audio/transcriptions';
/** Only this origin may see `OPENAI_API_KEY`. */
const publicOrigin = 'https://api.openai.com';
const mostAnswerBytes = 1024 * 1024;

const answer = z.object({ text: z.string() });
const problem = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) });

/**
 * @param address the endpoint, or the base URL of the API; its parameters become fields of the form, as `?model=…`
 * @param environment `SVC_CHECK_KEY` is sent as bearer token, and `OPENAI_API_KEY` to https://api.openai.com
 * @throws SvcError INVALID_REQUEST
 */
export function createEndpointRecognizer(address: string, environment: Environment): Recognize {
  if (!URL.canParse(address)) throw requestError(`--check-with: invalid URL ${quote(withoutPassword(address))}`);
  const url = new URL(address);
  if (url.username !== '' || url.password !== '')
    throw requestError('--check-with: the URL must not contain a password; set SVC_CHECK_KEY');
  const fields = { model: defaultModel, ...Object.fromEntries(url.searchParams), response_format: 'json' };
  url.search = '';
  if (/^\/(v1\/?)?$/.test(url.pathname)) url.pathname = path;
  const key = keyFor(url, environment);
  const headers = { accept: 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) };
  const failure = (what: string, cause?: unknown): SvcError =>
    new SvcError('NETWORK', `the recognizer at ${url.origin} ${withoutKey(what, key)}`, { cause });

  return async (audio, signal) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    body.set('file', new Blob([await encodeRecording(audio)], { type: 'audio/wav' }), 'speech.wav');
    const seconds = timeLimit(audio);
    const late = () => failure(`took longer than ${seconds} s`);
    return within(seconds, { signal, late }, async (limited) => {
      try {
        // A redirect would send the recording to a host that the user did not name.
        const response = await fetch(url, { method: 'POST', headers, body, signal: limited, redirect: 'manual' });
        if (response.status >= 300 && response.status < 400)
          throw failure(`answered ${response.status}: redirects are not followed; name the final URL`);
        const text = await shortBody(response);
        if (text === undefined) throw failure('answered with more than 1 MiB; is it a transcription endpoint?');
        if (!response.ok) throw failure(`answered ${response.status}${detailOf(text, key)}`);
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

/** The key that an endpoint gets; undefined for none. */
export function keyFor({ origin }: URL, environment: Environment): string | undefined {
  const publicKey = origin === publicOrigin ? variableOf(environment, 'OPENAI_API_KEY') : undefined;
  return variableOf(environment, 'SVC_CHECK_KEY') ?? publicKey;
}

/** Some endpoints repeat the key in their errors. */
const withoutKey = (text: string, key: string | undefined): string =>
  key === undefined ? text : text.replaceAll(key, '***');

/** An address without its password: one that can't be parsed may hold any characters. */
const withoutPassword = (address: string): string => address.replace(/(?<=:\/\/).*@/s, '***@');

/** Undefined if it is longer than an answer can be; the rest is not received then. */
async function shortBody({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > mostAnswerBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The endpoint's words about an error, on one line. */
function detailOf(text: string, key: string | undefined): string {
  const parsed = problem.safeParse(jsonOf(text));
  if (!parsed.success) return '';
  const { error } = parsed.data;
  return `: ${withoutKey(sanitizeLine(typeof error === 'string' ? error : error.message), key).slice(0, 300)}`;
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { readonly cause?: { readonly code?: unknown } };
  return connectionReason(cause?.code) ?? message;
}
