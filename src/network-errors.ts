import { SvcError } from './errors.ts';

/** Network errors in words, to follow `cannot reach HOST: `. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was lost',
  EPIPE: 'the connection was lost',
  UND_ERR_SOCKET: 'the connection was lost',
  ENOTFOUND: 'the host name cannot be resolved',
  EAI_AGAIN: 'the host name cannot be resolved',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
};

/** The reason for an error code of the system or of `fetch`; undefined if it is unknown. */
export const connectionReason = (code: unknown): string | undefined => reasons[String(code)];

/** An option that sets a port, or an address with one. */
export type PortOption = '--port' | '--health-port' | '--wyoming';

/**
 * The IO error of a failed `server.listen`.
 *
 * @param option sets the port
 */
export function listenFailure(
  host: string,
  port: number,
  cause: NodeJS.ErrnoException,
  option: PortOption = '--port',
): SvcError {
  return new SvcError('IO', explain(host, port, cause, option), { cause });
}

function explain(host: string, port: number, { code, message }: NodeJS.ErrnoException, option: PortOption): string {
  switch (code) {
    case 'EADDRINUSE':
      return `cannot listen on ${host}:${port}: the address is already in use; choose another ${option}`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `cannot listen on ${host}:${port}: the host name cannot be resolved`;
    case 'EADDRNOTAVAIL':
      return `cannot listen on ${host}:${port}: this machine does not have that address`;
    case 'EACCES':
    case 'EPERM':
      return `cannot listen on ${host}:${port}: permission denied; choose ${option === '--wyoming' ? 'a port for --wyoming' : `a ${option}`} above 1023`;
    default:
      return `cannot listen on ${host}:${port}: ${message}`;
  }
}
