/** A transcription endpoint in the shape of OpenAI's API, on a real socket. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type Listening, listen } from '../support/listen.ts';

export interface FakeEndpoint extends Listening {
  readonly requests: readonly { readonly path: string; readonly key: string | undefined; readonly form: FormData }[];
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export const says =
  (text: string): Answer =>
  (_, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ text }));

/** @param answers in turn; the last one repeats */
export async function startEndpoint(...answers: readonly Answer[]): Promise<FakeEndpoint> {
  const requests: { path: string; key: string | undefined; form: FormData }[] = [];
  const server = await listen(async (request, response) => {
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    const form = await new Response(await buffer(request), { headers }).formData();
    requests.push({ path: request.url ?? '', key: request.headers.authorization, form });
    const answer = answers[Math.min(requests.length, answers.length) - 1] as Answer;
    answer(request, response);
  });
  return { ...server, requests };
}
