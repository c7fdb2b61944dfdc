/**
 * The file list of a repository, at one commit where the model hub states it. Cached with its files, so that no further
 * request is needed.
 */
import { z } from 'zod';
import { defaultHub, hubNames } from './hubs.ts';

/** Paths that stay inside a folder on every system. */
const safePath = z
  .string()
  .max(1024)
  .refine((path) =>
    path.split('/').every((segment) => /^[^\\:*?"<>|\p{Cc}]+$/u.test(segment) && !/^\.\.?$|[. ]$/.test(segment)),
  );

const gitHash = z.string().regex(/^[0-9a-f]{40}$/);
const contentHash = z.discriminatedUnion('algorithm', [
  z.object({ algorithm: z.literal('sha256'), digest: z.string().regex(/^[0-9a-f]{64}$/) }),
  /** The hash of a git blob: header and content. */
  z.object({ algorithm: z.literal('git-sha1'), digest: gitHash }),
]);

const repositoryFile = z.object({
  path: safePath,
  /** Bytes. */
  size: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  hash: contentHash,
});

/** More files than any model has; a longer list is an error or an attack. */
export const maxFiles = 100_000;

export const repositoryListing = z.object({
  hub: z.enum(hubNames).default(defaultHub),
  repository: z.string(),
  revision: z.string(),
  /** ModelScope's lists have none; the hashes show whether a file has changed since. */
  commit: gitHash.optional(),
  files: z.array(repositoryFile).max(maxFiles),
});

export type ContentHash = Readonly<z.output<typeof contentHash>>;
export type RepositoryFile = Readonly<z.output<typeof repositoryFile>>;
export type RepositoryListing = Readonly<z.output<typeof repositoryListing>>;
