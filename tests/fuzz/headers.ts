/** Heads of HTTP requests: strange values of the headers that the server reads, and corrupted bytes. */
import { mutateBytes } from './mutate-bytes.ts';
import { pick, type Random } from './random.ts';
import { createServedTarget, exchange, replyOf } from './served.ts';

interface Round {
  /** In Latin-1: a byte is a character. */
  readonly request: string;
}

const body = '{"input":"Hello.","response_format":"pcm","max_length":2}';
const form = '--b\r\nContent-Disposition: form-data; name="text"\r\n\r\nHello.\r\n--b--\r\n';
const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';

const requests: readonly string[] = [
  'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\nIf-None-Match: "a"\r\n\r\n',
  'GET /docs/swagger-ui.css HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-9\r\n\r\n',
  'GET /tts?text=Hello&format=pcm HTTP/1.1\r\nHost: localhost\r\nReferer: http://localhost/\r\n\r\n',
  'OPTIONS /v1/audio/speech HTTP/1.1\r\nHost: localhost\r\nOrigin: http://a\r\nAccess-Control-Request-Method: POST\r\n\r\n',
  `POST /v1/audio/speech HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  `POST /v1/audio/speech HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  `POST /v1/audio/speech HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nHello.\r\n0\r\n\r\n`,
  `POST /tts HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${form.length}\r\n\r\n${form}`,
  `GET /v1/audio/speech/stream HTTP/1.1\r\nHost: localhost\r\n${upgrade}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  'DELETE /v1/voices/nobody HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: a\r\n\r\n',
];

/** Those that Node.js, Express, its middleware or svc read. */
const names: readonly string[] = [
  ...['Host', 'Origin', 'Referer', 'Cookie', 'Connection', 'Upgrade', 'Expect', 'Range', 'Content-Length'],
  ...['Content-Type', 'Content-Encoding', 'Transfer-Encoding', 'Content-Range', 'Accept', 'Accept-Encoding'],
  ...['Authorization', 'xi-api-key', 'X-API-Key', 'X-Request-Id', 'X-Deadline-Seconds', 'X-Forwarded-For'],
  ...['X-Forwarded-Proto', 'X-Forwarded-Host', 'Forwarded', 'traceparent', 'tracestate', 'If-Modified-Since'],
  ...['If-None-Match', 'If-Range', 'Access-Control-Request-Method', 'Access-Control-Request-Headers'],
  ...['Sec-WebSocket-Key', 'Sec-WebSocket-Version', 'Sec-WebSocket-Protocol', 'Sec-WebSocket-Extensions'],
  ...['Sec-Fetch-Site', 'Sec-Fetch-Mode', 'Sec-Fetch-Dest', '__proto__', 'constructor', 'toString'],
];

const pieces: readonly string[] = [
  ...['a', '/', '"', "'", '\\', ',', ';', '=', ' ', '\t', '.', ':', '-', '(', '[', '%', '*', '0', '9', '\x80', '\xff'],
  ...['a=b;', 'a,', '"a",', ';q=0.', 'bytes=0-', '0-1,', 'http://', '\\"', '%00', 'x'],
  ...['=?', '@', '..', '::', 'permessage-deflate;', 'gzip,', '; a'],
];

const values: readonly string[] = [
  ...['', '0', '-1', '1e999', 'NaN', 'null', 'undefined', '99999999999999999999', 'true', '*', '%', '"'],
  ...['Bearer ', 'Bearer a', 'Basic Og==', 'application/json; charset=utf-7', 'application/json; charset='],
  ...['text/plain', 'multipart/form-data', 'multipart/form-data; boundary=', 'chunked', 'chunked, chunked'],
  ...['gzip', 'br', 'identity'],
  ...['100-continue', 'websocket', 'h2c', 'bytes=0-', 'bytes=-1', 'bytes=9-1', 'bytes=0-0,2-3', 'localhost', '[::1]'],
  ...['http://localhost', 'null', 'file://', 'same-origin', 'cross-site', '13'],
  ...['permessage-deflate; server_max_window_bits=1', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
  ...['127.0.0.1, 10.0.0.1', 'W/"a"', 'Thu, 01 Jan 1970'],
];

/** Node.js takes 16 KiB of headers. */
const longestValue = 15_000;

function strangeValue(random: Random): string {
  if (random(2) === 0) return pick(random, values);
  const piece = Array.from({ length: 1 + random(3) }, () => pick(random, pieces)).join('');
  const length = pick(random, [1, 100, 4000, longestValue]);
  return (
    pick(random, values) + piece.repeat(Math.ceil(length / piece.length)).slice(0, length) + pick(random, ['', 'a'])
  );
}

function withHeaders(request: string, random: Random): { readonly request: string; readonly change: string } {
  const end = request.indexOf('\r\n');
  const count = random(8) === 0 ? 1 + random(1000) : 1 + random(3);
  const name = pick(random, names);
  const lines = Array.from(
    { length: count },
    () => `${random(3) === 0 ? pick(random, names) : name}: ${strangeValue(random)}\r\n`,
  );
  const given = lines.join('').slice(0, 2 * longestValue);
  // Instead of its own, of which the first would count.
  const rest =
    random(2) === 0 ? request.slice(end + 2).replace(new RegExp(`^${name}: .*\r\n`, 'm'), '') : request.slice(end + 2);
  return { request: `${request.slice(0, end + 2)}${given}${rest}`, change: `${count} times ${name}` };
}

export const target = createServedTarget<Round>({
  valid: { request: requests[0] as string },
  mutate(random) {
    const request = pick(random, requests);
    if (random(3) > 0) {
      const { change, ...round } = withHeaders(request, random);
      return { round, change };
    }
    const { bytes, change } = mutateBytes(Buffer.from(request, 'latin1'), random);
    return { round: { request: bytes.toString('latin1') }, change };
  },
  async send({ port }, { request }, random) {
    const answer = (await exchange(port, Buffer.from(request, 'latin1'), random)).toString('latin1');
    // A closed connection refuses what is no HTTP; an unfinished request has no answer yet.
    return answer === '' ? 'refused' : replyOf(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]));
  },
});
