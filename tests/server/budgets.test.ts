/**
 * The budgets of `/v1/audio/speech` hold for every route that speaks, also for new ones: this lists the routes without them. Those
 * are how long a speech may be, how much silence a few bytes may state, the share of an API key, and that of temporary files.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { documentOf, operationsOf } from './openapi-document.ts';
import { bearer, silentPlayer } from './start-server.ts';
import { freshServer } from './test-server.ts';

/** Routes that speak nothing, and those whose texts have no mark-up, so that they state no pauses. */
const silent = ['post /v1/audio/speech/cancel', 'post /v1/audio/speech/text'];
const plain = ['post /v1/text-to-dialogue', 'post /v1/text-to-dialogue/stream'];
/** Ways to state a pause, of which each route takes one. */
const pauses = [`<speak>${'<break time="60s"/>a'.repeat(11)}</speak>`, '[pause:60s]a'.repeat(11)];

const server = freshServer({ openPlayer: async () => silentPlayer });

interface Route {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly type: string | undefined;
  readonly example: unknown;
}

/** As the server describes them. */
const speechRoutes = async (): Promise<readonly Route[]> =>
  operationsOf(await documentOf(server)).flatMap(({ operation: { tags, requestBody }, ...route }) => {
    if (!tags?.includes('speech') || silent.includes(route.name)) return [];
    const [type, body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
    return [{ ...route, type, example: body?.example ?? { input: 'Hello there.' } }];
  });

const textFields = ['input', 'text', 'target_text'];

/** The example of a route with other texts and captions. */
function withTexts(value: unknown, text: string | undefined, captions: string): unknown {
  if (Array.isArray(value)) return value.map((one) => withTexts(one, text, captions));
  if (typeof value !== 'object' || value === null) return value;
  const replaced = (key: string, inner: unknown): unknown => {
    if (key === 'captions') return captions;
    return textFields.includes(key) && typeof inner === 'string' ? text : withTexts(inner, text, captions);
  };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaced(key, inner)]));
}

/** The answer; `cut off` for one that has begun and does not end. */
async function ask({ method, path, type, example }: Route, headers: Record<string, string> = {}): Promise<string> {
  const url = new URL(path.replaceAll(/\{\w+\}/g, 'default'), server.url);
  const fields = new URLSearchParams(example as Record<string, string>);
  if (method === 'get') url.search = String(fields);
  const body = method === 'get' ? null : type === 'application/json' ? JSON.stringify(example) : fields;
  const sent = type === 'application/json' ? { 'Content-Type': type, ...headers } : headers;
  const response = await fetch(url, { method: method.toUpperCase(), headers: sent, body });
  return `${response.status} ${await response.text().catch(() => 'cut off')}`;
}

async function routesWithout(isRefusal: RegExp, change: (route: Route) => Route, headers = {}): Promise<string[]> {
  const routes = await speechRoutes();
  expect(routes.length).toBeGreaterThan(15);
  const without: string[] = [];
  for (const route of routes) {
    const answer = await ask(change(route), headers);
    if (!isRefusal.test(answer)) without.push(`${route.name}: ${answer.slice(0, 200)}`);
  }
  return without;
}

it('states at most ten minutes of silence', async () => {
  const captions = '1\n00:20:00,000 --> 00:20:01,000\nHello.\n';
  const refused = /the pauses of \w+ last 660 s|state 1\d+ s of silence/;
  const [inMarkup = [], inTags = []] = [
    await routesWithout(refused, (route) => ({ ...route, example: withTexts(route.example, pauses[0], captions) })),
    await routesWithout(refused, (route) => ({ ...route, example: withTexts(route.example, pauses[1], captions) })),
  ];
  const namesOf = (lines: readonly string[]) => lines.map((line) => line.slice(0, line.indexOf(':')));
  expect(namesOf(inMarkup).filter((name) => namesOf(inTags).includes(name))).toEqual(plain);
});

it('ends a speech that is too long', async () => {
  await server.start({ limits: { speechSeconds: 1e-6 } });
  expect(await routesWithout(/longer than the limit of 0?.?\S+ s|cut off/, (route) => route)).toEqual([]);
});

it('gives an API key its share', async () => {
  await server.start({ settings: { keys: { anna: { concurrencyLimit: 1 } }, lists: 'public' } });
  const { headers } = bearer('anna');
  const { end } = await server.occupy({ input: 'hello', voice: 'default' }, { headers });
  try {
    expect(await routesWithout(/limited to 1 requests? at once|concurren/, (route) => route, headers)).toEqual([]);
  } finally {
    await end();
  }
});

/** Files of the server, and of other protocols, with code of this kind. */
async function filesWith(code: RegExp): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of ['src/server', 'src/wyoming']) {
    for (const path of await readdir(folder, { recursive: true })) {
      if (path.endsWith('.ts') && code.test(await readFile(join(folder, path), 'utf8'))) found.push(path);
    }
  }
  return found.sort();
}

it('writes temporary files in one place, where they count for the request and the key', async () => {
  const writing =
    /\b(?:tmpdir|mkdtemp|createWriteStream|(?:write|append|copy)File)\b|import \{[^}]*\bopen\b[^}]*\} from 'node:fs/;
  // Recordings of consents stay, and samples are text.
  const allowed = ['context/temporary-file.ts', 'openapi/samples.ts', 'recordings/consent-store.ts'];
  expect(await filesWith(writing)).toEqual(allowed);
});

/** Places where a budget holds, for HTTP, WebSockets, MCP and Wyoming alike, by the code that goes through it. */
const places: readonly (readonly [budget: string, code: RegExp, place: string])[] = [
  ['stated silence', /\b(?:engine|model)\.accept(?:Live)?\(/, 'speech/accepted-request.ts'],
  ['the length of a speech', /\b(?:engine|model)\.(?:speak|synthesize|stream)\w*\(/, 'speech/speech.ts'],
  ['the queue', /\bqueue\.enter\(/, 'jobs/jobs.ts'],
  ['the share of a key', /\bconcurrency\.enter\(/, 'jobs/model-context.ts'],
];

it.each(places)('keeps the budget for %s in one place', async (_, code, place) => {
  expect(await filesWith(code)).toEqual([place]);
});

it('knows a route that speaks without budgets', () => {
  const source = 'for await (const { samples } of context.engine.speak(request)) await send(samples);';
  expect(places.filter(([, code]) => code.test(source)).map(([budget]) => budget)).toEqual(['the length of a speech']);
});
