/** A transcription endpoint in the shape of OpenAI's API, on a real socket. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeEndpoint extends AsyncDisposable {
  readonly url: string;
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
  const server = createServer(async (request, response) => {
    const body: Buffer[] = [];
    for await (const part of request) body.push(part as Buffer);
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    const form = await new Response(Buffer.concat(body), { headers }).formData();
    requests.push({ path: request.url ?? '', key: request.headers.authorization, form });
    const answer = answers[Math.min(requests.length, answers.length) - 1] as Answer;
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
