/** Connections whose bytes a test writes itself. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach } from '@jest/globals';

/** Opens connections that end after each test of the file, whatever errors they have had; resolves once they are open. */
export function rawSockets(): (port: number, localAddress?: string) => Promise<Socket> {
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  return async (port, localAddress = '127.0.0.1') => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
    sockets.push(socket);
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    return socket;
  };
}
