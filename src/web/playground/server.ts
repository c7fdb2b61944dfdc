/** The server's description of itself: fetched once, and again if that failed. */
import { type ServerInfo, serverInfo } from './api.ts';

let known: ServerInfo | undefined;
let loading: Promise<ServerInfo> | undefined;

/** Undefined until `loadServer` has succeeded. */
export const knownServer = (): ServerInfo | undefined => known;

export function loadServer(): Promise<ServerInfo> {
  loading ??= serverInfo().then(
    (info) => {
      known = info;
      return info;
    },
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}
