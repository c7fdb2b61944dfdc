/** Paths that MCP clients name: of files below the folders that they have granted. */
import { lstat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { RootsListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { SvcError } from '../../errors.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { ServerContext } from '../context/context.ts';
import { placeAllowed } from '../http/allowed-path.ts';
import type { GrantedFiles, ToolCall } from './tool.ts';

/**
 * The roots of a client, as it states them, and the folders that its configuration names.
 *
 * @param folders absolute
 */
export function grantedBy(server: Server, folders: readonly string[]): GrantedFiles {
  let roots: Promise<readonly string[]> | undefined;
  server.setNotificationHandler(RootsListChangedNotificationSchema, () => {
    roots = undefined;
  });
  async function ask(): Promise<readonly string[]> {
    if (server.getClientCapabilities()?.roots === undefined) return [];
    const stated = await server.listRoots();
    return stated.roots.flatMap(({ uri }) => pathOf(uri) ?? []);
  }
  return {
    async folders() {
      // A failure is not remembered.
      roots ??= ask().catch(() => {
        roots = undefined;
        return [];
      });
      return [...new Set([...(await roots), ...folders])];
    },
  };
}

/** The path of a `file:` address; undefined for any other. */
function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

/** A path as agents write it, perhaps as a `file:` address. */
export const plainPath = (path: string): string => (/^file:/i.test(path) ? (pathOf(path) ?? path) : path);

/** The settings with the granted folders as folders of recordings, for a call that names a recording. */
export async function withGrantedRecordings(
  context: ServerContext,
  { files }: Pick<ToolCall, 'files'>,
  field: string,
  path: string | null | undefined,
): Promise<ServerContext> {
  if (!path?.trim() || files === undefined) return context;
  const folders = await grantedFolders(files, field);
  const { settings } = context;
  return { ...context, settings: { ...settings, recordingFolders: [...folders, ...settings.recordingFolders] } };
}

async function grantedFolders(files: GrantedFiles, field: string): Promise<readonly string[]> {
  const folders = await files.folders();
  if (folders.length > 0) return folders;
  throw new SvcError(
    'FORBIDDEN',
    `${field} needs a folder to be in: the client grants no roots; add --root FOLDER to the arguments of svc mcp`,
    { param: field },
  );
}

/**
 * The real path of a file that does not exist yet.
 *
 * @throws SvcError FORBIDDEN outside the granted folders; CONFLICT for a path that exists; INVALID_REQUEST over HTTP
 */
export async function newFile(path: string, { files }: Pick<ToolCall, 'files'>): Promise<string> {
  if (files === undefined) {
    throw requestError('path cannot be used over HTTP, where files are on another machine; leave it out', 'path');
  }
  const folders = await grantedFolders(files, 'path');
  const place = await placeAllowed(plainPath(path), folders);
  if (place === undefined) {
    const shown = folders.map((folder) => quote(folder)).join(', ');
    throw new SvcError(
      'FORBIDDEN',
      `path must be a file in an existing folder below the granted ones (${shown}), got ${quote(path)}`,
      { param: 'path' },
    );
  }
  const existing = await lstat(place).catch(() => undefined);
  if (existing === undefined) return place;
  throw new SvcError('CONFLICT', `the file ${quote(path)} exists; choose another path`, { param: 'path' });
}
