import { SvcError } from './errors.ts';

/**
 * The IO error of a failed `server.listen`.
 *
 * @param option sets the port
 */
export function listenFailure(
  host: string,
  port: number,
  cause: NodeJS.ErrnoException,
  option: '--port' | '--wyoming' = '--port',
): SvcError {
  return new SvcError('IO', explain(host, port, cause, option), { cause });
}

function explain(host: string, port: number, { code, message }: NodeJS.ErrnoException, option: string): string {
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
      return `cannot listen on ${host}:${port}: permission denied; choose ${option === '--port' ? 'a --port' : `a port for ${option}`} above 1023`;
    default:
      return `cannot listen on ${host}:${port}: ${message}`;
  }
}
