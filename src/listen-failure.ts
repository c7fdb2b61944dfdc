import { SvcError } from './errors.ts';

/** The IO error of a failed `server.listen`. */
export function listenFailure(host: string, port: number, cause: NodeJS.ErrnoException): SvcError {
  return new SvcError('IO', explain(host, port, cause), { cause });
}

function explain(host: string, port: number, { code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EADDRINUSE':
      return `cannot listen on ${host}:${port}: the address is already in use; choose another --port`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `cannot listen on ${host}:${port}: the host name cannot be resolved`;
    case 'EADDRNOTAVAIL':
      return `cannot listen on ${host}:${port}: this machine does not have that address`;
    case 'EACCES':
    case 'EPERM':
      return `cannot listen on ${host}:${port}: permission denied; choose a --port above 1023`;
    default:
      return `cannot listen on ${host}:${port}: ${message}`;
  }
}
