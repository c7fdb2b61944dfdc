/** Announces a server to the local network over multicast DNS, where Home Assistant discovers it. */
import { isIPv4 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import type { Logger } from 'pino';
import { ignore, messageOf } from '../errors.ts';
import { loadOptional } from '../package/optional-package.ts';

const wildcards: readonly string[] = ['0.0.0.0', '::'];

/** Runs in the background; a failure is logged, as the server works without. @param address that the server listens on */
export function announce({ host, port }: { readonly host: string; readonly port: number }, logger: Logger) {
  const places = wildcards.includes(host) ? reachableInterfaces() : [host];
  const opening = begin();
  let isOver = false;
  const failed = (error: unknown): void => {
    if (isOver) return;
    logger.warn({ reason: messageOf(error) }, 'this server is not announced to the network; add it by its address');
  };
  opening.catch(failed);

  async function begin() {
    const { getResponder } = await loadOptional('announcing svc to Home Assistant', () => import('@homebridge/ciao'));
    const responder = getResponder();
    const service = responder.createService({
      // Home Assistant knows a server by this name, so it must stay the same.
      name: `svc-${hostname().split('.')[0]}-${port}`,
      type: 'wyoming',
      port,
      restrictedAddresses: [...places],
      disabledIpv6: isIPv4(host),
    });
    service.advertise().then(() => logger.info({ port, places }, 'announced to the network'), failed);
    return responder;
  }

  return {
    /** Says goodbye, so that clients forget the server. Never rejects. */
    async end(): Promise<void> {
      isOver = true;
      await opening.then((responder) => responder.shutdown()).catch(ignore);
    },
  };
}

/** Each interface announces its own addresses; without the loopback interface, whose address would mean the listener itself. */
function reachableInterfaces(): readonly string[] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses.some(({ internal }) => !internal) ? [name] : [],
  );
}
