/** Lists the files of a repository: with `@huggingface/hub`, or from the API of ModelScope. */
import { followSignal } from '../cancellation.ts';
import { SvcError } from '../errors.ts';
import { broken, createHubRequest, type HubConnection } from './hub-request.ts';
import { type HubName, hubs } from './hubs.ts';
import { maxFiles, type RepositoryListing, repositoryListing } from './listing.ts';
import { describeOnModelscope } from './modelscope.ts';
import { defaultPatience, type Patience, retrying } from './retry.ts';
import { type ModelSource, modelName } from './source.ts';

/** Limits of a file list, far above real ones, in case a server sends an endless list. */
const maxPages = 1000;
const maxPageBytes = 8 * 1024 * 1024;
const maxListBytes = 64 * 1024 * 1024;
/** Time limit for the whole list, as a multiple of the stall timeout. */
const maxStalls = 5;

/** Files of a repository with sizes and hashes; of Hugging Face, pinned to the current commit. @throws SvcError */
export async function listRepository(
  source: ModelSource,
  connection: HubConnection,
  patience: Patience = defaultPatience,
  subject = `model ${modelName(source)}`,
): Promise<RepositoryListing> {
  const { repository, revision } = source;
  const { hub, endpoint } = connection;
  const { endpointVariable } = hubs[hub];
  const request = createHubRequest(connection);
  const deadline = performance.now() + maxStalls * patience.stallTimeout;
  const ask = async (): Promise<unknown> => {
    const pages = new Set<string>();
    let bytes = 0;
    const lifetime = followSignal(connection.signal);
    const stop = (): void => lifetime.end(broken(`no response for ${subject} in time`, {}));
    const watchdog = setTimeout(stop, deadline - performance.now());
    let pageWatchdog: NodeJS.Timeout | undefined;
    // Uses our own handling of token, redirects, timeouts and errors.
    const hubFetch: typeof fetch = async (input, init) => {
      const url = String(input);
      if (pages.has(url)) throw endless(hub, subject, 'its pages form a loop');
      if (pages.size === maxPages) throw endless(hub, subject, `more than ${maxPages} pages`);
      pages.add(url);
      clearTimeout(pageWatchdog);
      pageWatchdog = setTimeout(stop, patience.stallTimeout);
      const response = await request(url, subject, { ...init, signal: lifetime.signal });
      const body = await readBody(response, hub, subject);
      bytes += body.length;
      if (bytes > maxListBytes) throw endless(hub, subject, `more than ${maxListBytes / 1024 ** 2} MB`);
      return new Response(body.length === 0 ? null : body, { status: response.status, headers: response.headers });
    };
    try {
      return await (hub === 'modelscope'
        ? describeOnModelscope(source, endpoint, { subject, fetch: hubFetch })
        : describe({ hubUrl: endpoint, fetch: hubFetch }));
    } finally {
      clearTimeout(watchdog);
      clearTimeout(pageWatchdog);
      lifetime.detach();
    }
  };
  const describe = async (shared: { readonly hubUrl: string; readonly fetch: typeof fetch }): Promise<unknown> => {
    const { modelInfo, listFiles } = await import('@huggingface/hub');
    const { sha } = await modelInfo({ ...shared, name: repository, revision, additionalFields: ['sha'] });
    const files: unknown[] = [];
    for await (const { type, path, size, oid, lfs } of listFiles({
      ...shared,
      repo: repository,
      revision: requireCommit(sha, subject),
      recursive: true,
    })) {
      if (type !== 'file') continue;
      if (files.length === maxFiles) throw endless(hub, subject, `more than ${maxFiles} files`);
      const hash = lfs ? { algorithm: 'sha256', digest: lfs.oid } : { algorithm: 'git-sha1', digest: oid };
      files.push({ path, size: lfs?.size ?? size, hash });
    }
    return { hub, repository, revision, commit: sha, files };
  };
  const parsed = repositoryListing.safeParse(
    await retrying(() => translated(ask, hub, subject), patience, connection.signal),
  );
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') || 'no files';
  throw broken(`invalid file list of ${subject} (${place}); check ${endpointVariable}`, { permanent: true });
}

/** Reads and decompresses a body; closes the connection if it is too large. */
async function readBody(response: Response, hub: HubName, subject: string): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxPageBytes) throw endless(hub, subject, `more than ${maxPageBytes / 1024 ** 2} MB in one response`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const endless = (hub: HubName, subject: string, problem: string): SvcError =>
  broken(`the file list of ${subject} does not end: ${problem}; check ${hubs[hub].endpointVariable}`, {
    permanent: true,
  });

function requireCommit(sha: unknown, subject: string): string {
  if (typeof sha === 'string' && /^[0-9a-f]{40}$/.test(sha)) return sha;
  throw broken(`the response for ${subject} names no commit; check HF_ENDPOINT`, { permanent: true });
}

/** Converts other failures, such as the page of a proxy instead of JSON, or a truncated response. */
async function translated<Result>(task: () => Promise<Result>, hub: HubName, subject: string): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof SvcError || (error as Error).name === 'AbortError') throw error;
    throw broken(`unexpected response for ${subject}; check ${hubs[hub].endpointVariable} and proxies`, {
      permanent: error instanceof SyntaxError,
      error,
    });
  }
}
