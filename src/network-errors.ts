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

/** The IO error of a failed `server.listen`. @param option sets the port */
export function listenFailure(
  host: string,
  port: number,
  cause: NodeJS.ErrnoException,
  option: PortOption = '--port',
): SvcError {
  const denied = `permission denied; choose ${option === '--wyoming' ? 'a port for --wyoming' : `a ${option}`} above 1023`;
  const problems: Readonly<Record<string, string | undefined>> = {
    EADDRINUSE: `the address is already in use; choose another ${option}`,
    ENOTFOUND: reasons.ENOTFOUND,
    EAI_AGAIN: reasons.EAI_AGAIN,
    EADDRNOTAVAIL: 'this machine does not have that address',
    EACCES: denied,
    EPERM: denied,
  };
  const problem = problems[cause.code ?? ''] ?? cause.message;
  return new SvcError('IO', `cannot listen on ${host}:${port}: ${problem}`, { cause });
}
