/** Paths that MCP clients name: of files below the folders that they have granted. */
import { lstat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { RootsListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Audio } from '../../audio/audio.ts';
import { attempt, SvcError } from '../../errors.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { ServerContext } from '../context/context.ts';
import { placeAllowed } from '../http/allowed-path.ts';
import { countRequest } from '../live/speak-live.ts';
import { readPath, readUpload } from '../recordings/recordings.ts';
import type { ToolCall } from './tool.ts';

/** The roots of a client, as it states them, and the folders that its configuration names, which are absolute. */
export function grantedBy(server: Server, folders: readonly string[]): NonNullable<ToolCall['grantedFolders']> {
  let roots: Promise<readonly string[]> | undefined;
  server.setNotificationHandler(RootsListChangedNotificationSchema, () => {
    roots = undefined;
  });
  async function ask(): Promise<readonly string[]> {
    if (server.getClientCapabilities()?.roots === undefined) return [];
    const stated = await server.listRoots();
    return stated.roots.flatMap(({ uri }) => pathOf(uri) ?? []);
  }
  return async () => {
    // A failure is not remembered.
    roots ??= ask().catch(() => {
      roots = undefined;
      return [];
    });
    return [...new Set([...(await roots), ...folders])];
  };
}

/** The path of a `file:` address; undefined for any other. */
const pathOf = (uri: string): string | undefined => attempt(() => fileURLToPath(uri));

/** A path as agents write it, perhaps as a `file:` address. */
export const plainPath = (path: string): string => (/^file:/i.test(path) ? (pathOf(path) ?? path) : path);

/** The recording of a call, by its path or its bytes. @throws SvcError INVALID_REQUEST unless there is one of them; RATE_LIMITED */
export async function recordingOf(
  context: ServerContext,
  call: ToolCall,
  [tool, field, path]: readonly [tool: string, field: string, path: string | null | undefined],
  audio: Buffer | null | undefined,
  denoise?: boolean | null,
): Promise<Audio> {
  const given = path?.trim() ?? '';
  if ((given === '') === (audio === null || audio === undefined)) {
    throw requestError(`${tool} needs either ${field} or audio`, field);
  }
  const { client } = call;
  countRequest(context, client);
  const { settings } = await withGrantedRecordings(context, call, field, given);
  const reading = { signal: client.signal, denoise };
  return audio
    ? readUpload({ buffer: audio }, 'audio', settings, reading)
    : readPath(plainPath(given), settings, { ...reading, field });
}

/** The settings with the granted folders as folders of recordings, for a call that names a recording. */
export async function withGrantedRecordings(
  context: ServerContext,
  { grantedFolders }: ToolCall,
  field: string,
  path: string | null | undefined,
): Promise<ServerContext> {
  if (!path?.trim() || grantedFolders === undefined) return context;
  const folders = assertGranted(await grantedFolders(), field);
  const { settings } = context;
  return { ...context, settings: { ...settings, recordingFolders: [...folders, ...settings.recordingFolders] } };
}

function assertGranted(folders: readonly string[], field: string): readonly string[] {
  if (folders.length > 0) return folders;
  const problem = `${field} needs a folder to be in: the client grants no roots`;
  throw new SvcError('FORBIDDEN', `${problem}; add --root FOLDER to the arguments of svc mcp`, { param: field });
}

/** The real path of a new file. @throws SvcError FORBIDDEN outside the granted folders; CONFLICT; INVALID_REQUEST over HTTP */
export async function newFile(path: string, { grantedFolders }: ToolCall): Promise<string> {
  if (grantedFolders === undefined) {
    throw requestError('path cannot be used over HTTP, where files are on another machine; leave it out', 'path');
  }
  const folders = assertGranted(await grantedFolders(), 'path');
  const place = await placeAllowed(plainPath(path), folders);
  if (place === undefined) {
    const expected = `a file in an existing folder below the granted ones (${folders.map(quote).join(', ')})`;
    throw new SvcError('FORBIDDEN', `path must be ${expected}, got ${quote(path)}`, { param: 'path' });
  }
  const existing = await lstat(place).catch(() => undefined);
  if (existing === undefined) return place;
  throw new SvcError('CONFLICT', `the file ${quote(path)} exists; choose another path`, { param: 'path' });
}
