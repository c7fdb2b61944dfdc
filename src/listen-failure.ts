import { SvcError } from './errors.ts';

/** What a failed `server.listen` means: IO, in one line that tells the mistakes apart. */
export function listenFailure(host: string, port: number, cause: NodeJS.ErrnoException): SvcError {
  return new SvcError('IO', explain(host, port, cause), { cause });
}

function explain(host: string, port: number, { code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EADDRINUSE':
      return `expected a free address for ${host}:${port}, received one that is in use`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `expected a name or address that can be found for the host, received ${host}`;
    case 'EADDRNOTAVAIL':
      return `expected an address of this machine for the host, received ${host}`;
    case 'EACCES':
    case 'EPERM':
      return `expected a port that this user may listen on for ${host}:${port}, received one that is not allowed`;
    default:
      return `expected to listen on ${host}:${port}, received ${message}`;
  }
}
