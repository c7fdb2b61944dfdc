/** The API of ModelScope, as its Python client uses it (`modelscope_hub/_legacy_api.py` of `modelscope-hub`). */
import { z } from 'zod';
import { broken } from './hub-request.ts';
import type { ModelSource } from './source.ts';

/** Longer lists are cut without a sign. */
const mostEntries = 3000;

const answer = z.looseObject({
  Data: z.looseObject({
    Files: z.array(z.looseObject({ Type: z.string(), Path: z.string(), Size: z.number(), Sha256: z.string() })),
  }),
});

const modelUrl = (endpoint: string, repository: string): string => `${endpoint}/api/v1/models/${repository}`;

/** Files of a repository, to be parsed as a `RepositoryListing`. Each has a SHA-256; commits are not stated. */
export async function describeOnModelscope(
  { hub, repository, revision }: ModelSource,
  endpoint: string,
  { subject, fetch: send }: { readonly subject: string; readonly fetch: typeof fetch },
): Promise<unknown> {
  const query = new URLSearchParams({ Revision: revision, Recursive: 'true' });
  const response = await send(`${modelUrl(endpoint, repository)}/repo/files?${query}`);
  const { data } = answer.safeParse(await response.json());
  if (data === undefined) return undefined;
  const { Files: entries } = data.Data;
  if (entries.length >= mostEntries)
    throw broken(`${subject} has ${mostEntries} files or more, which ModelScope cannot list`, { permanent: true });
  const files = entries
    .filter(({ Type }) => Type !== 'tree')
    .map(({ Path: path, Size: size, Sha256: digest }) => ({ path, size, hash: { algorithm: 'sha256', digest } }));
  return { hub, repository, revision, files };
}

/** Where a file is downloaded. */
export const modelscopeFileUrl = (endpoint: string, { repository, revision }: ModelSource, path: string): string =>
  `${modelUrl(endpoint, repository)}/repo?${new URLSearchParams({ Revision: revision, FilePath: path })}`;
