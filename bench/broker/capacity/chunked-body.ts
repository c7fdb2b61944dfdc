/** Reads an HTTP/1.1 answer from a socket and keeps the chunks of its body apart, which Node.js's client joins. */

export interface AnswerReader {
  /** @param retryAfter seconds, 0 without such a header */
  onStatus(status: number, retryAfter: number): void;
  /** Called at the end of each chunk with its length; the chunk ends at `offset + length` of the body. */
  onChunk(length: number): void;
  /** Called with the body's bytes in order. */
  onBody(bytes: Buffer): void;
  /** The answer is complete. */
  onEnd(): void;
}

/** Returns a function that takes the socket's data. */
export function readChunked({ onStatus, onChunk, onBody, onEnd }: AnswerReader): (data: Buffer) => void {
  let header = '';
  let state: 'header' | 'size' | 'bytes' | 'over' = 'header';
  let line = '';
  let length = 0;
  let left = 0;

  return (data) => {
    let place = 0;
    while (place < data.length && state !== 'over') {
      if (state === 'bytes') {
        const taken = Math.min(left, data.length - place);
        onBody(data.subarray(place, place + taken));
        left -= taken;
        place += taken;
        if (left > 0) return;
        onChunk(length);
        state = 'size';
        continue;
      }
      const newline = data.indexOf(10, place);
      const text = data.toString('latin1', place, newline < 0 ? data.length : newline + 1);
      place += text.length;
      line += text;
      if (newline < 0) return;
      if (state === 'header') {
        header += line;
        if (line === '\r\n') {
          const status = Number(header.split(' ')[1]);
          onStatus(status, Number(/^retry-after: (\d+)/im.exec(header)?.[1] ?? 0));
          state = /transfer-encoding: chunked/i.test(header) ? 'size' : 'over';
          if (state === 'over') onEnd();
        }
      } else if (line !== '\r\n') {
        length = Number.parseInt(line, 16);
        left = length;
        state = length > 0 ? 'bytes' : 'over';
        if (state === 'over') onEnd();
      }
      line = '';
    }
  };
}
