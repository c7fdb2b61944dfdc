/** Requests with headers that `fetch` forbids, and answers with what it hides. */
import { once } from 'node:events';
import { type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps, type RequestOptions } from 'node:https';
import { text as readText } from 'node:stream/consumers';

export interface RawAnswer extends Pick<IncomingMessage, 'headers' | 'trailers'> {
  readonly status: number | undefined;
  readonly text: string;
}

/** @throws the error of the connection, also when it breaks off in the answer */
export async function rawRequest(
  url: string,
  { body, ...options }: RequestOptions & { readonly body?: string } = {},
): Promise<RawAnswer> {
  const request = (url.startsWith('https:') ? overHttps : overHttp)(url, options);
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const text = await readText(response);
  const { statusCode: status, headers, trailers } = response;
  return { status, headers, trailers, text };
}
