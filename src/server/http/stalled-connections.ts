/** Ends connections whose clients do not read, over any protocol: each takes memory, a file descriptor and a place. */
import type { Server, Socket } from 'node:net';

/** Checks per time limit. */
const checks = 10;

/** The handle of a socket, which counts what its stream has and has not passed on to the system. */
interface Handle {
  readonly bytesWritten?: number;
  readonly writeQueueSize?: number;
}

/** Cuts a connection when bytes for its client have waited for `milliseconds` and none of them could be sent. Also for TLS. */
export function cutStalled(server: Server, milliseconds: number): void {
  /** Bytes sent when last seen, and since when no more. */
  const open = new Map<Socket, { sent: number; since: number }>();
  server.on('connection', (socket: Socket) => {
    open.set(socket, { sent: 0, since: performance.now() });
    socket.once('close', () => open.delete(socket));
  });
  const timer = setInterval(
    () => {
      const now = performance.now();
      for (const [socket, state] of open) {
        const { bytesWritten = 0, writeQueueSize = 0 } = (socket as { readonly _handle?: Handle | null })._handle ?? {};
        const sent = bytesWritten - writeQueueSize;
        if (writeQueueSize === 0 || sent !== state.sent) Object.assign(state, { sent, since: now });
        else if (now - state.since >= milliseconds) socket.destroy();
      }
    },
    Math.max(1, milliseconds / checks),
  ).unref();
  server.once('close', () => clearInterval(timer));
}
