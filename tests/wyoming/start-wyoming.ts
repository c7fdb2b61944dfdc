/** A server with a fake backend that Wyoming clients can reach. */
import { openWyoming, type WyomingListener, type WyomingOptions } from '../../src/wyoming/open-wyoming.ts';
import { type StartOptions, startServer, type TestServer } from '../server/start-server.ts';
import { connectWyoming, type WyomingClient } from './wyoming-client.ts';

export interface WyomingServer extends TestServer {
  readonly wyomingPort: number;
  connect(): Promise<WyomingClient>;
}

export async function startWyoming(
  options: StartOptions = {},
  wyoming: Partial<WyomingOptions> = {},
): Promise<WyomingServer> {
  let front: WyomingListener | undefined;
  const server = await startServer({
    ...options,
    openProtocolServer: async (context) => {
      front = await openWyoming(context, { address: { kind: 'tcp', host: '127.0.0.1', port: 0 }, ...wyoming });
      return front;
    },
  });
  const wyomingPort = front?.address.kind === 'tcp' ? front.address.port : 0;
  return { ...server, wyomingPort, connect: () => connectWyoming(wyomingPort) };
}
