import { SvcError } from './errors.ts';

/** Error of a failed `server.listen`: IO, with the reason in plain words. */
export function listenFailure(host: string, port: number, cause: NodeJS.ErrnoException): SvcError {
  return new SvcError('IO', explain(host, port, cause), { cause });
}

function explain(host: string, port: number, { code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EADDRINUSE':
      return `cannot listen on ${host}:${port}: the port is in use`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `cannot listen on ${host}:${port}: unknown host`;
    case 'EADDRNOTAVAIL':
      return `cannot listen on ${host}:${port}: not an address of this machine`;
    case 'EACCES':
    case 'EPERM':
      return `cannot listen on ${host}:${port}: permission denied`;
    default:
      return `cannot listen on ${host}:${port}: ${message}`;
  }
}
