import { isIP } from 'node:net';
import type { Request } from 'express';

/** The address of the client: the one that a trusted proxy states, else that of the connection. */
export function clientAddress({ ip, socket }: Pick<Request, 'ip' | 'socket'>): string | undefined {
  // With a number of proxies, Express takes any text from X-Forwarded-For.
  return ip !== undefined && isIP(ip) !== 0 ? ip : socket.remoteAddress;
}
