/** What is known of the server: asked for once, and again when that failed. */
import { serverInfo } from './api.js';

/** @type {Awaited<ReturnType<typeof serverInfo>> | undefined} */
let known;

/** Undefined until `loadServer` has succeeded. */
export const knownServer = () => known;

export async function loadServer() {
  known ??= await serverInfo();
  return known;
}
