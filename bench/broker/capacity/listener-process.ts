/**
 * Simulated listeners, in one process. Arguments: host, port, seconds of each answer. The parent sends the number of
 * listeners, or `report` for the figures since the last report.
 */
import { connect, type Socket } from 'node:net';
import { readChunked } from './chunked-body.ts';
import { patchSeconds, simulatedInfo, textOfSeconds } from './simulated-speech.ts';
import { readAge } from './time-in-samples.ts';

/** Since the last report. Delays are of chunks, from the making of their last patch to their last byte, in milliseconds. */
export interface ListenerReport {
  readonly delays: readonly number[];
  readonly audioSeconds: number;
  readonly firstAudio: readonly number[];
  /** Answers whose player ran dry, of those that ended. */
  readonly dry: number;
  readonly ended: number;
  readonly refused: number;
  readonly broken: number;
  readonly open: number;
}

const [host = '', port = '', seconds = '30'] = process.argv.slice(2);
const patchBytes = 2 * simulatedInfo.patchSamples;
/** Audio that a player holds before it begins, in milliseconds: as much as the goal for delays. */
const headStart = 50;

let wanted = 0;
const sockets = new Set<Socket>();
let [delays, firstAudio]: [number[], number[]] = [[], []];
let [audioSeconds, dry, ended, refused, broken] = [0, 0, 0, 0, 0];

const now = (): number => performance.timeOrigin + performance.now();

function listen(): void {
  const began = now();
  // Lengths vary, so that answers do not end together.
  const body = JSON.stringify({ input: textOfSeconds(Math.round(Number(seconds) * (0.6 + 0.8 * Math.random()))) });
  const socket = connect(Number(port), host);
  sockets.add(socket);
  /** Pause after a refusal, in milliseconds: as the server says, but not all at once. */
  let patience = 0;
  let [received, playedFrom, isDry, isOver, wasRefused] = [0, 0, false, false, false];
  let [filled, first] = [0, Buffer.alloc(4)];

  socket.on(
    'data',
    readChunked({
      onStatus(status, retryAfter) {
        patience = 1000 * retryAfter * (1 + Math.random());
        wasRefused = status !== 200;
        if (wasRefused) refused += 1;
      },
      onBody(bytes) {
        // Keeps the first four bytes of the last patch that has begun.
        const begun = Math.floor((received + bytes.length - 1) / patchBytes) * patchBytes;
        if (begun >= received) filled = 0;
        if (filled < 4) {
          const from = Math.max(0, begun - received + filled);
          filled += bytes.copy(first, filled, from, Math.min(bytes.length, from + 4 - filled));
        }
        received += bytes.length;
      },
      onChunk(length) {
        if (wasRefused) return;
        const time = now();
        if (playedFrom === 0) {
          playedFrom = time + headStart;
          firstAudio.push(time - began);
        }
        delays.push(readAge(first, time));
        const seconds = length / 2 / simulatedInfo.outputSampleRate;
        audioSeconds += seconds;
        // The player has had nothing since the audio before this chunk ended.
        const until = playedFrom + ((received - length) / patchBytes) * patchSeconds * 1000;
        if (time > until && received > length) isDry = true;
      },
      onEnd() {
        isOver = true;
        socket.destroy();
      },
    }),
  );
  socket.on('error', () => undefined);
  socket.on('close', () => {
    sockets.delete(socket);
    if (wanted === 0) return;
    if (wasRefused) return void setTimeout(refill, patience);
    if (isOver) ended += 1;
    else broken += 1;
    if (isDry) dry += 1;
    refill();
  });
  socket.write(
    `POST /v1/audio/speech/stream HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  first = Buffer.alloc(4);
}

function refill(): void {
  if (sockets.size < wanted) listen();
}

process.on('message', (message) => {
  if (typeof message === 'number') {
    const more = message - wanted;
    wanted = message;
    // Five seconds for all of them.
    for (let index = 0; index < more; index += 1) setTimeout(refill, (5000 * index) / more);
    return;
  }
  const report: ListenerReport = { delays, audioSeconds, firstAudio, dry, ended, refused, broken, open: sockets.size };
  process.send?.(report);
  [delays, firstAudio] = [[], []];
  [audioSeconds, dry, ended, refused, broken] = [0, 0, 0, 0, 0];
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
