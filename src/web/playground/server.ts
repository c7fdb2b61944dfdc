/** What the server says about itself: fetched once, and again if that failed. */
import { type ServerInfo, serverInfo } from './api.ts';

let known: ServerInfo | undefined;

/** Undefined until `loadServer` has succeeded. */
export const knownServer = (): ServerInfo | undefined => known;

export async function loadServer(): Promise<ServerInfo> {
  known ??= await serverInfo();
  return known;
}
