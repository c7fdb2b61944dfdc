/** What a repository of the hub holds, asked through `@huggingface/hub`. */
import { SvcError } from '../errors.ts';
import { followSignal } from '../follow-signal.ts';
import { broken, createHubRequest, type HubConnection } from './hub-request.ts';
import { mostFiles, type RepositoryListing, repositoryListing } from './listing.ts';
import { defaultPatience, type Patience, retrying } from './retry.ts';
import { type ModelSource, modelName } from './source.ts';

/** Bounds of a file list, far above those of real ones: a server that never ends must not be read for ever. */
const mostPages = 1000;
const mostPageBytes = 8 * 1024 * 1024;
const mostListBytes = 64 * 1024 * 1024;
/** What the whole list may take, in times that a connection may be silent. */
const mostStalls = 5;

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
  const deadline = Date.now() + mostStalls * patience.stallTimeout;
  const ask = async (): Promise<unknown> => {
    const pages = new Set<string>();
    let bytes = 0;
    const lifetime = followSignal(connection.signal);
    const stop = (): void => lifetime.end(broken(`no answer for ${subject} in time`, {}));
    const watchdog = setTimeout(stop, deadline - Date.now());
    let pageWatchdog: NodeJS.Timeout | undefined;
    // Token, redirects, time limits and errors are those of all our requests.
    const hubFetch: typeof fetch = async (input, init) => {
      const url = String(input);
      if (pages.has(url)) throw endless(subject, 'its pages go round in a circle');
      if (pages.size === mostPages) throw endless(subject, `more than ${mostPages} pages`);
      pages.add(url);
      clearTimeout(pageWatchdog);
      pageWatchdog = setTimeout(stop, patience.stallTimeout);
      const response = await request(url, subject, { ...init, signal: lifetime.signal });
      const body = await readBody(response, subject);
      bytes += body.length;
      if (bytes > mostListBytes) throw endless(subject, `more than ${mostListBytes / 1024 ** 2} MB`);
      return new Response(body.length === 0 ? null : body, { status: response.status, headers: response.headers });
    };
    try {
      return await describe({ hubUrl: connection.endpoint, fetch: hubFetch });
    } finally {
      clearTimeout(watchdog);
      clearTimeout(pageWatchdog);
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
      if (files.length === mostFiles) throw endless(subject, `more than ${mostFiles} files`);
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

/** The body of an answer, decompressed; the connection is closed when it grows too large. */
async function readBody(response: Response, subject: string): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > mostPageBytes) throw endless(subject, `more than ${mostPageBytes / 1024 ** 2} MB in one answer`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const endless = (subject: string, problem: string): SvcError =>
  broken(`the hub's file list of ${subject} does not end: ${problem}; check HF_ENDPOINT`, { permanent: true });

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
