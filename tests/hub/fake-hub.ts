/**
 * A fake Hugging Face Hub on two real sockets: the hub and its content network for large files. Answers the requests of
 * `@huggingface/hub` and of our downloads like the public hub: pinned commits, paged trees, ETags, `x-linked-etag`,
 * ranges, 401 for missing repositories. Its paths below `/api/v1` answer like ModelScope: files with a SHA-256 each, 404 for
 * what is missing or private. `fault` breaks single answers.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { listen } from '../support/listen.ts';

export interface FakeRepository {
  readonly files: Readonly<Record<string, Uint8Array>>;
  readonly commit?: string;
  /** Token required to read it. */
  readonly token?: string;
  /** Gated: files require the user's consent. */
  readonly gated?: boolean;
}

export interface Exchange {
  readonly server: 'hub' | 'cdn';
  readonly path: string;
  readonly range: string | undefined;
  readonly authorization: string | undefined;
  readonly cookie?: string | undefined;
  status: number;
  /** Number of body bytes. */
  sent: number;
}

export interface Fault {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Closes the connection after this many bytes. */
  readonly hangUpAfter?: number;
  /** Sends nothing after this many bytes and keeps the connection open. */
  readonly stallAfter?: number;
  readonly corrupt?: boolean;
  readonly ignoreRange?: boolean;
  /** Writes the body instead; `open` is false once the client has disconnected. */
  readonly write?: (write: (piece: string | Uint8Array) => Promise<void>, open: () => boolean) => Promise<void>;
}

export interface FakeHub {
  readonly endpoint: string;
  readonly exchanges: readonly Exchange[];
  /** File bytes sent. */
  readonly sent: () => number;
  /** Called before each answer. */
  fault: ((exchange: Exchange) => Fault | undefined) | undefined;
  readonly forget: () => void;
  readonly close: () => Promise<void>;
}

export const defaultCommit = 'a'.repeat(40);

/** Files of at least this size use LFS, like those of several megabytes on the hub. */
const largeFile = 100_000;
const pageLength = 3;

export const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
export const gitSha1 = (content: Uint8Array): string =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');

export async function readFolder(folder: string): Promise<Record<string, Uint8Array>> {
  const names = (await readdir(folder)).sort();
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))])));
}

export async function createFakeHub(repositories: Readonly<Record<string, FakeRepository>>): Promise<FakeHub> {
  const exchanges: Exchange[] = [];
  const serve = (server: Exchange['server'], answer: (exchange: Exchange) => Answer) =>
    listen((request, response) => {
      const exchange = record(server, request);
      exchanges.push(exchange);
      const fault = hub.fault?.(exchange) ?? {};
      send(exchange, response, fault.status === undefined ? answer(exchange) : { status: fault.status }, fault);
    });
  const cdn = await serve('cdn', ({ path, authorization, cookie }) => {
    // The public hub does this for an unexpected header.
    if (authorization !== undefined || cookie !== undefined) return { status: 400 };
    const content = Object.values(repositories)
      .flatMap(({ files }) => Object.values(files))
      .find((file) => path.startsWith(`/blobs/${sha256(file)}?signature=`));
    return content ? { status: 200, content, headers: { etag: '"of-the-content-network"' } } : { status: 404 };
  });
  const main = await serve('hub', (exchange) => {
    const answer = exchange.path.startsWith('/api/v1/') ? modelscopeAnswer : hubAnswer;
    return answer(exchange, repositories, main.url, cdn.url);
  });
  const hub: FakeHub = {
    endpoint: main.url,
    exchanges,
    sent: () => exchanges.reduce((sum, { sent }) => sum + sent, 0),
    fault: undefined,
    forget: () => void exchanges.splice(0),
    close: async () => {
      for (const server of [main, cdn]) await server[Symbol.asyncDispose]();
    },
  };
  return hub;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly content?: Uint8Array;
}

type Answerer = (
  exchange: Exchange,
  repositories: Readonly<Record<string, FakeRepository>>,
  endpoint: string,
  cdnOrigin: string,
) => Answer;

const hubAnswer: Answerer = ({ path, authorization }, repositories, endpoint, cdnOrigin) => {
  const { pathname, searchParams } = new URL(path, endpoint);
  const [, api, organisation, name, action = '', revision = '', file = ''] =
    /^\/(?:(api)\/(?:resolve-cache\/)?models\/)?([\w.-]+)\/([\w.-]+)\/(revision|tree|resolve|cached)\/([^/]+)\/?(.*)$/.exec(
      pathname,
    ) ?? [];
  const repository = repositories[`${organisation}/${name}`];
  const missing = (code: string, status = 404): Answer => ({ status, headers: { 'x-error-code': code } });
  if (repository?.token !== undefined && authorization !== `Bearer ${repository.token}`) {
    return authorization === undefined ? missing('RepoNotFound', 401) : { status: 403 };
  }
  if (repository === undefined) return missing('RepoNotFound', authorization === undefined ? 401 : 404);
  const { commit = defaultCommit, files } = repository;
  if (decodeURIComponent(revision) !== 'main' && revision !== commit) return missing('RevisionNotFound');
  if (action === 'revision') {
    return { status: 200, json: { _id: '1', id: `${organisation}/${name}`, sha: commit, lastModified: '2026-11-01' } };
  }
  if (action === 'tree') {
    const start = Number(searchParams.get('cursor') ?? 0);
    const entries = Object.entries(files).map(treeEntry);
    const next = `<${endpoint}${pathname}?recursive=true&cursor=${start + pageLength}>; rel="next"`;
    const headers = start + pageLength < entries.length ? { link: next } : {};
    return { status: 200, json: entries.slice(start, start + pageLength), headers };
  }
  const content = files[decodeURIComponent(file)];
  if (repository.gated && authorization === undefined) return missing('GatedRepo', 401);
  if (content === undefined) return missing('EntryNotFound');
  if (content.length >= largeFile) {
    const location = `${cdnOrigin}/blobs/${sha256(content)}?signature=1`;
    return { status: 302, headers: { location, 'x-linked-etag': `"${sha256(content)}"` } };
  }
  const headers = { etag: `"${gitSha1(content)}"` };
  if (api === 'api') return { status: 200, content, headers };
  const location = `/api/resolve-cache/models/${organisation}/${name}/cached/${commit}/${file}`;
  return { status: 307, headers: { ...headers, location } };
};

/** The shapes of modelscope.cn, where `LatestCommitter` and other fields accompany them. */
const modelscopeAnswer: Answerer = ({ path, authorization, cookie }, repositories, endpoint, cdnOrigin) => {
  const { pathname, searchParams } = new URL(path, endpoint);
  const [, name = '', action] = /^\/api\/v1\/models\/([\w.-]+\/[\w.-]+)\/(repo(?:\/files)?)$/.exec(pathname) ?? [];
  const repository = repositories[name];
  const missing: Answer = { status: 404, json: { Code: 10_010_205_001, Message: 'record not found', Success: false } };
  const isShown = authorization === `Bearer ${repository?.token}` && cookie === `m_session_id=${repository?.token}`;
  if (repository === undefined || (repository.token !== undefined && !isShown)) return missing;
  const { commit, files } = repository;
  if (!['master', commit].includes(searchParams.get('Revision') ?? '')) return missing;
  if (action === 'repo/files') {
    const Files = Object.entries(files).map(([Path, content]) => ({
      ...{ Path, Name: Path.split('/').at(-1), Type: 'blob', Size: content.length, Sha256: sha256(content) },
      ...{ IsLFS: content.length >= largeFile, Revision: defaultCommit, Mode: '33188' },
    }));
    const folder = { Path: 'assets', Name: 'assets', Type: 'tree', Size: 0, Sha256: '' };
    return { status: 200, json: { Code: 200, Data: { Files: [folder, ...Files] }, Success: true } };
  }
  const content = files[searchParams.get('FilePath') ?? ''];
  if (content === undefined) return missing;
  if (content.length < largeFile) return { status: 200, content };
  return { status: 302, headers: { location: `${cdnOrigin}/blobs/${sha256(content)}?signature=1` } };
};

function treeEntry([path, content]: [string, Uint8Array]) {
  const shared = { type: 'file', path, size: content.length };
  if (content.length < largeFile) return { ...shared, oid: gitSha1(content) };
  const lfs = { oid: sha256(content), size: content.length, pointerSize: 134 };
  return { ...shared, oid: gitSha1(Buffer.from('pointer')), lfs };
}

function record(server: Exchange['server'], { url, headers }: IncomingMessage): Exchange {
  const { range, authorization, cookie } = headers;
  return { server, path: url ?? '', range, authorization, cookie, status: 0, sent: 0 };
}

function send(exchange: Exchange, response: ServerResponse, answer: Answer, fault: Fault): void {
  const { content, json } = answer;
  const headers: Record<string, string> = { ...answer.headers, ...fault.headers };
  const start = Number(/^bytes=(\d+)-$/.exec(exchange.range ?? '')?.[1] ?? 0);
  let body: Uint8Array = Buffer.from(fault.body ?? (json === undefined ? '' : JSON.stringify(json)));
  exchange.status = answer.status;
  if (content !== undefined) {
    body = fault.corrupt ? Buffer.from(content.map((byte) => byte ^ 1)) : content;
    if (exchange.range !== undefined && !fault.ignoreRange) {
      exchange.status = start < content.length ? 206 : 416;
      body = body.subarray(start);
      headers['content-range'] ??= `bytes ${start}-${content.length - 1}/${content.length}`;
    }
  }
  if (fault.write !== undefined) {
    response.writeHead(exchange.status, headers);
    return void writeFreely(response, exchange, fault.write);
  }
  response.writeHead(exchange.status, { 'content-length': String(body.length), ...headers });
  const limit = fault.hangUpAfter ?? fault.stallAfter;
  const part = limit === undefined ? body : body.subarray(0, limit);
  if (content !== undefined) exchange.sent = part.length;
  if (limit === undefined) response.end(part);
  else response.write(part, () => fault.hangUpAfter !== undefined && response.socket?.end());
}

async function writeFreely(
  response: ServerResponse,
  exchange: Exchange,
  write: NonNullable<Fault['write']>,
): Promise<void> {
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  const open = (): boolean => !response.closed;
  await write(async (piece) => {
    exchange.sent += piece.length;
    if (!open() || response.write(piece)) return;
    await Promise.race([closed, new Promise((resolve) => response.once('drain', resolve))]);
  }, open);
  response.end();
}
