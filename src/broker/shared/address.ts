/** Addresses of a broker: one Redis server, Sentinels that know the present master, or nodes of a cluster. */
import { attempt, type SvcError } from '../../errors.ts';
import { requestError } from '../../validation.ts';

export interface BrokerNode {
  readonly host: string;
  readonly port: number;
}

/** Contents of PEM files. */
export interface BrokerTls {
  /** Authorities that sign the certificates of the servers, in place of those that Node.js trusts. */
  readonly ca?: Buffer | undefined;
  /** Client certificate. */
  readonly cert?: Buffer | undefined;
  /** Key of the client certificate. */
  readonly key?: Buffer | undefined;
}

export interface BrokerAddress {
  readonly kind: 'single' | 'sentinel' | 'cluster';
  /** One server, all Sentinels, or some nodes of the cluster, which name the others. */
  readonly nodes: readonly BrokerNode[];
  /** Name of the master at the Sentinels. */
  readonly master?: string;
  readonly username?: string;
  readonly password?: string;
  readonly sentinelPassword?: string | undefined;
  readonly database: number;
  /** Undefined without TLS. */
  readonly tls?: BrokerTls;
  /** Without credentials, for messages. */
  readonly shown: string;
}

export interface BrokerSecrets {
  readonly tls?: BrokerTls | undefined;
  readonly sentinelPassword?: string | undefined;
}

/** Scheme, credentials, servers, path. */
const form = /^(redis|valkey)(s?)(?:\+(sentinel|cluster))?:\/\/(?:([^/]*)@)?([^@/?#]+)(?:\/([^?#]*))?$/i;

/** @throws SvcError INVALID_REQUEST; the message doesn't quote the text, which may hold a password */
export function parseBrokerUrl(text: string, { tls, sentinelPassword }: BrokerSecrets = {}): BrokerAddress {
  const [, , secure = '', kind = 'single', credentials = '', servers = '', path = ''] = form.exec(text) ?? [];
  const named = servers.split(',');
  const nodes = named.flatMap((server) => parseNode(server, kind === 'sentinel' ? 26_379 : 6_379) ?? []);
  const [first = '', second] = kind === 'sentinel' ? path.split('/') : ['', path];
  const isWhole = kind !== 'sentinel' || (first !== '' && path.split('/').length <= 2);
  const isSingle = kind !== 'single' || named.length === 1;
  const database = kind === 'cluster' ? second === '' : /^\d{0,5}$/.test(second ?? '');
  const login = parseCredentials(credentials);
  if (!isWhole || !isSingle || !database || login === undefined || nodes.length < named.length) throw malformed();
  const usesTls = secure !== '';
  if (tls !== undefined && !usesTls) {
    throw requestError('certificates for the broker need TLS; write rediss:// instead of redis://');
  }
  const protocol = `redis${usesTls ? 's' : ''}${kind === 'single' ? '' : `+${kind}`}`;
  return {
    kind: kind as BrokerAddress['kind'],
    nodes,
    ...(kind === 'sentinel' && { master: first, sentinelPassword }),
    ...login,
    database: Number(second ?? 0),
    ...(usesTls && { tls: tls ?? {} }),
    shown: `${protocol}://${servers}${path === '' ? '' : `/${path}`}`,
  };
}

const malformed = (): SvcError =>
  requestError(
    '--broker must be an address such as redis://127.0.0.1:6379, redis+sentinel://host1,host2/mymaster or redis+cluster://host1,host2',
  );

/** Undefined when it isn't one. */
function parseNode(text: string, defaultPort: number): BrokerNode | undefined {
  // The scheme is one with a host, whose names URL checks.
  const url = text !== '' && URL.canParse(`http://${text}`) ? new URL(`redis://${text}`) : undefined;
  if (url === undefined || url.hostname === '') return undefined;
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? defaultPort : Number(url.port) };
}

/** Undefined when they are not percent-encoded correctly. */
const parseCredentials = (text: string): Pick<BrokerAddress, 'username' | 'password'> | undefined =>
  attempt(() => {
    const [username, password] = text.split(/:(.*)/s).map(decodeURIComponent);
    return { ...(username && { username }), ...(password && { password }) };
  });
