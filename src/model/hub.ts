/** What a repository of the hub holds, asked through `@huggingface/hub`. */
import { SvcError } from '../errors.ts';
import { followSignal, type Lifetime } from '../follow-signal.ts';
import { broken, createHubRequest, type HubConnection } from './hub-request.ts';
import { type RepositoryListing, repositoryListing } from './listing.ts';
import { defaultPatience, type Patience, retrying } from './retry.ts';
import { type ModelSource, modelName } from './source.ts';

/**
 * The files of a repository with their sizes and hashes, pinned to the commit that the revision stands for now.
 *
 * @throws SvcError MODEL_NOT_FOUND, UNAUTHORIZED, FORBIDDEN, NETWORK, CANCELLED
 */
export async function listRepository(
  source: ModelSource,
  connection: HubConnection,
  patience: Patience = defaultPatience,
): Promise<RepositoryListing> {
  const { repository, revision } = source;
  const { modelInfo, listFiles } = await import('@huggingface/hub');
  const request = createHubRequest(connection);
  const subject = `model ${modelName(source)}`;
  // Token, redirects, time limits and errors are those of all our requests.
  const hubFetch =
    ({ signal, end }: Lifetime, watchdog: { timer?: NodeJS.Timeout }): typeof fetch =>
    (input, init) => {
      clearTimeout(watchdog.timer);
      const stop = (): void => end(broken(`expected an answer for ${subject}, received none`, {}));
      watchdog.timer = setTimeout(stop, patience.stallTimeout);
      return request(String(input), subject, { ...init, signal });
    };
  const ask = async (): Promise<unknown> => {
    const lifetime = followSignal(connection.signal);
    const watchdog: { timer?: NodeJS.Timeout } = {};
    try {
      return await describe({ hubUrl: connection.endpoint, fetch: hubFetch(lifetime, watchdog) });
    } finally {
      clearTimeout(watchdog.timer);
      lifetime.detach();
    }
  };
  const describe = async (shared: { readonly hubUrl: string; readonly fetch: typeof fetch }): Promise<unknown> => {
    const { sha } = await modelInfo({ ...shared, name: repository, revision, additionalFields: ['sha'] });
    const files: unknown[] = [];
    for await (const { type, path, size, oid, lfs } of listFiles({
      ...shared,
      repo: repository,
      revision: requireCommit(sha, subject),
      recursive: true,
    })) {
      if (type !== 'file') continue;
      const hash = lfs ? { algorithm: 'sha256', digest: lfs.oid } : { algorithm: 'git-sha1', digest: oid };
      files.push({ path, size: lfs?.size ?? size, hash });
    }
    return { repository, revision, commit: sha, files };
  };
  const parsed = repositoryListing.safeParse(
    await retrying(() => translated(ask, subject), patience, connection.signal),
  );
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw broken(`expected a list of files for ${subject}, received one whose ${issue?.path.join('.')} is not valid`, {
    permanent: true,
  });
}

function requireCommit(sha: unknown, subject: string): string {
  if (typeof sha === 'string' && /^[0-9a-f]{40}$/.test(sha)) return sha;
  throw broken(`expected a commit for ${subject}, received none`, { permanent: true });
}

/** A page of a proxy in the place of JSON, say, or a connection that ends within the answer. */
async function translated<Result>(task: () => Promise<Result>, subject: string): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof SvcError || (error as Error).name === 'AbortError') throw error;
    throw broken(`expected the hub's description of ${subject}, received another answer`, {
      permanent: error instanceof SyntaxError,
      error,
    });
  }
}
