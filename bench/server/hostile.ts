/** Measures `/healthz` beside requests that are made to hold the event loop, fill the memory or the disk, or end the process. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, truncate, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';
import { median } from '../../src/bench/statistics.ts';
import { encodeEvent } from '../../src/wyoming/events.ts';
import { pickledDictionary, pickledTensor, torchArchive } from '../../tests/export/build-files.ts';
import { type ServerProcess, startSvcServe } from '../svc-process.ts';
import { inFolder, memoryOf } from './server-process.ts';

/** Slowest answer of `/healthz` that is good. */
const mostMilliseconds = 100;
const longest = 65_536;
const wyomingPort = 10_299;
/** After which a client goes away from a long answer. */
const patienceMilliseconds = 3_000;
const stalledClients = 100;

const filled = (piece: string, beginning = '', end = ''): string =>
  beginning + piece.repeat(Math.floor((longest - beginning.length - end.length) / piece.length)) + end;

const dots = filled('.!', 'abc'.repeat(120), 'a');
const recording = Buffer.from(encodeWav(new Float32Array(16_000).fill(0.1), 16_000)).toString('base64');

/** Almost as large as an upload may be. */
const longRecording = Buffer.from(
  encodeWav(
    Float32Array.from({ length: 90 * 96_000 }, (_, at) => Math.sin(at / 20) / 4),
    96_000,
  ),
).toString('base64');

/** Returns what the server answered, in a word. */
type Attack = (server: ServerProcess, folder: string) => Promise<string | number>;

interface Case {
  readonly name: string;
  readonly attack: Attack;
  readonly times: number;
}

/** The status, or `speech` if the answer begins to be spoken; the client reads a little of that and goes away. */
async function answer(url: string, init: RequestInit): Promise<string | number> {
  const signal = AbortSignal.timeout(patienceMilliseconds);
  try {
    const response = await fetch(url, { ...init, signal });
    if (!response.ok) {
      await response.arrayBuffer();
      return response.status;
    }
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    return response.status;
  } catch (error) {
    if (signal.aborted) return 'left';
    throw error;
  }
}

const speak =
  (body: object | string, headers: Readonly<Record<string, string>> = {}): Attack =>
  ({ url }) =>
    answer(`${url}/v1/audio/speech`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify({ response_format: 'pcm', ...body }),
    });

const dub =
  (captions: string, fields: object = {}): Attack =>
  ({ url }) =>
    answer(`${url}/v1/audio/dub`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ captions, response_format: 'mp3', ...fields }),
    });

/** Captions of a second each, as many as a request may have characters. */
function captionsOf(text: (at: number) => string): string {
  let captions = 'WEBVTT\n\n';
  for (let at = 0; ; at += 1) {
    const clock = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 23);
    const caption = `${clock(at)} --> ${clock(at + 1)}\n${text(at)}\n\n`;
    if (captions.length + caption.length > longest) return captions;
    captions += caption;
  }
}

const captionOf = (text: string): string => `WEBVTT\n\n00:00.000 --> 00:02.000\n${text}\n`;

/** A batch, whose answer is read to its end; returns its status and size. */
const batch =
  (count: number, item: object, fields: object = {}): Attack =>
  async ({ url }) => {
    const body = JSON.stringify({ items: Array(count).fill(item), ...fields });
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${url}/v1/audio/speech/batch`, { method: 'POST', headers, body });
    let bytes = 0;
    for await (const piece of response.body as ReadableStream<Uint8Array>) bytes += piece.length;
    return `${response.status}, ${Math.round(bytes / 2 ** 20)} MiB`;
  };

/** Clients of MCP that open a session each, one after the other. */
const openSessions =
  (count: number): Attack =>
  async ({ url }) => {
    const statuses = new Map<number, number>();
    const clientInfo = { name: 'bench', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    for (let session = 0; session < count; session += 1) {
      const { status } = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
      }).then(async (response) => {
        await response.arrayBuffer();
        return response;
      });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    return [...statuses].map(([status, times]) => `${status} × ${times}`).join(', ');
  };

/** Lists of consents at once, of which there are many. */
const listConsents =
  (lists: number, consents: number): Attack =>
  async ({ url }, folder) => {
    const path = join(folder, 'consents');
    await mkdir(path, { recursive: true });
    for (let number = 0; number < consents; number += 1) {
      const id = `cons_${number.toString(16).padStart(32, '0')}`;
      const about = { id, name: 'Kim', language: 'en', createdAt: number, mediaType: 'audio/wav' };
      await writeFile(join(path, `${id}.json`), JSON.stringify(about));
    }
    const statuses = await Promise.all(
      Array.from({ length: lists }, () => get('/v1/audio/voice_consents')({ url } as ServerProcess, folder)),
    );
    return [...new Set(statuses)].join(' ');
  };

const get =
  (path: string): Attack =>
  ({ url }) =>
    answer(`${url}${path}`, {});

/** Through Wyoming, which takes texts without a key. */
const overWyoming =
  (text: string): Attack =>
  async () => {
    const socket = connect(wyomingPort, '127.0.0.1');
    socket.write(encodeEvent({ type: 'synthesize', data: { text } }));
    const type = await Promise.race([
      once(socket, 'data').then(([bytes]) => /"type":\s*"([^"]+)"/.exec(String(bytes))?.[1] ?? ''),
      once(socket, 'close').then(() => 'closed'),
      wait(patienceMilliseconds, 'left'),
    ]);
    socket.destroy();
    return type;
  };

/** Clients that send the same body at once, each over a connection of its own. */
const flood =
  (clients: number, body: object): Attack =>
  async ({ url }) => {
    const sent = JSON.stringify({ response_format: 'pcm', ...body });
    const head = 'POST /v1/audio/speech HTTP/1.1\r\nHost: localhost\r\nContent-Length: ';
    const statuses = new Map<string, number>();
    const sockets = Array.from({ length: clients }, () => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.once('data', (bytes) => {
        const status = String(bytes).slice('HTTP/1.1 '.length).slice(0, 3);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        socket.pause();
      });
      socket.write(`${head}${Buffer.byteLength(sent)}\r\n\r\n${sent}`);
      return socket;
    });
    await wait(patienceMilliseconds);
    for (const socket of sockets) socket.destroy();
    return [...statuses].map(([status, count]) => `${status} × ${count}`).join(', ') || 'left';
  };

/** Clients that ask for much at once, and read nothing for a while. */
const neverRead =
  (requests: number): Attack =>
  async ({ url }) => {
    const sockets = Array.from({ length: stalledClients }, () => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.pause();
      socket.write('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(requests));
      return socket;
    });
    await wait(patienceMilliseconds);
    for (const socket of sockets) socket.destroy();
    return '';
  };

/** A checkpoint of 2 MB whose tensors would have 1.6 GB. */
const loraOfViews: Attack = async ({ url }, folder) => {
  const rank = 64;
  const width = 8192;
  const view = pickledTensor({ storage: '0', shape: [rank, width], strides: [width, 1] });
  const column = pickledTensor({ storage: '0', shape: [width, rank], strides: [rank, 1] });
  const layers = Array.from({ length: 400 }, (_, layer) => `base_lm.layers.${layer}.self_attn.q_proj`);
  const views = layers.flatMap((name) => [[`${name}.lora_A`, view] as const, [`${name}.lora_B`, column] as const]);
  const path = join(folder, 'loras', 'views');
  await mkdir(path, { recursive: true });
  await writeFile(
    join(path, 'lora_weights.ckpt'),
    torchArchive(pickledDictionary(Object.fromEntries(views)), { 0: new Uint8Array(4 * rank * width) }),
  );
  await writeFile(join(path, 'lora_config.json'), JSON.stringify({ lora_config: { r: rank, alpha: rank } }));
  const body = JSON.stringify({ name: 'views', path });
  return answer(`${url}/v1/loras`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
};

/** Cuts the file of the model while it speaks. */
const cutModel: Attack = async (server, folder) => {
  const speaking = [1, 2].map((seed) => speak({ input: filled('A sentence. '), seed })(server, folder));
  await wait(500);
  await truncate(join(folder, 'model.gguf'), 100);
  const answers = await Promise.all([...speaking, speak({ input: 'Hello there.' })(server, folder)]);
  return answers.join(' ');
};

const junk = '{},'.repeat(12_000_000);
const cases: readonly Case[] = [
  { name: 'nothing', times: 1, attack: () => wait(2_000, '') },
  { name: 'a short text', times: 5, attack: speak({ input: 'Hello there, how are you today?' }) },
  { name: '65,536 characters of sentences', times: 5, attack: speak({ input: filled('A sentence. ') }) },
  { name: 'a run of `.!`', times: 5, attack: speak({ input: dots }) },
  { name: 'a run of `.!` over Wyoming', times: 5, attack: overWyoming(dots) },
  { name: 'an address and `).`', times: 5, attack: speak({ input: filled(').', 'http://x'), normalize: true }) },
  { name: 'open HTML tags in Markdown', times: 5, attack: speak({ input: filled('<a '), input_format: 'markdown' }) },
  { name: 'one paragraph of Markdown', times: 5, attack: speak({ input: filled('a *b* '), input_format: 'markdown' }) },
  {
    name: 'a lexicon of 10,000 words',
    times: 5,
    attack: speak({
      input: filled('a b '),
      lexicon: Object.fromEntries(Array.from({ length: 10_000 }, (_, word) => [`a ${word}`, 'b'])),
    }),
  },
  { name: '300 clients with texts of 65,536 characters', times: 1, attack: flood(300, { input: filled('a ') }) },
  {
    name: '100 clients with Markdown of 65,536 characters',
    times: 1,
    attack: flood(100, { input: filled('a *b* '), input_format: 'markdown' }),
  },
  {
    name: 'a path of 40,000 characters',
    times: 20,
    attack: speak({ input: 'a', prompt_wav_path: '/a'.repeat(20_000) }),
  },
  {
    name: '`X-Deadline-Seconds` of 15 KB',
    times: 20,
    attack: speak({ input: 'a' }, { 'X-Deadline-Seconds': '/a'.repeat(7500) }),
  },
  {
    name: '`Content-Encoding` of 15 KB',
    times: 20,
    attack: speak({ input: 'a' }, { 'Content-Encoding': '/a'.repeat(7500) }),
  },
  { name: '35 MiB of JSON objects', times: 3, attack: speak(`{"input":"x","junk":[${junk}{}]}`) },
  {
    name: '35 MiB of JSON objects beside a recording',
    times: 3,
    attack: speak(`{"input":"x","ref_audio":"${recording}","junk":[${junk}{}]}`),
  },
  { name: `${stalledClients} clients that never read the answers to 8 requests`, times: 1, attack: neverRead(8) },
  { name: `${stalledClients} clients that never read the answers to 300`, times: 1, attack: neverRead(300) },
  {
    name: 'pauses of 10 hours',
    times: 20,
    attack: speak({ input: `<speak>${'<break time="60s"/>a'.repeat(600)}</speak>` }),
  },
  {
    name: 'pauses of 10 minutes in a file',
    times: 2,
    attack: speak({ input: `<speak>a${'<break time="60s"/>'.repeat(9)}a</speak>`, response_format: 'wav' }),
  },
  { name: 'a LoRA adapter of views', times: 3, attack: loraOfViews },
  { name: '`/openapi.json`', times: 300, attack: get('/openapi.json') },
  {
    name: '`ref_text` of 480,000 characters',
    times: 5,
    attack: speak({ input: 'a', ref_audio: recording, ref_text: 'a '.repeat(240_000) }),
  },
  {
    name: 'a batch of 32 pauses of 10 minutes',
    times: 1,
    attack: batch(32, { input: `<speak>${'<break time="60s"/>a'.repeat(9)}</speak>` }),
  },
  {
    name: 'a batch of 32 texts with a recording of 90 s',
    times: 1,
    attack: batch(32, { input: 'Hello.' }, { ref_audio: longRecording, response_format: 'mp3' }),
  },
  { name: '300 MCP sessions', times: 1, attack: openSessions(300) },
  { name: '20 lists of 5,000 consents at once', times: 3, attack: listConsents(20, 5_000) },
  { name: 'captions of blank lines', times: 5, attack: dub(filled('\n', captionOf('Hello.'))) },
  { name: '`<b>` × 8,000 in a caption', times: 5, attack: dub(captionOf('<b>'.repeat(8_000))) },
  { name: '`<v>` × 5,000 in a caption', times: 5, attack: dub(captionOf('<v a>'.repeat(5_000))) },
  { name: 'captions of unknown speakers', times: 2, attack: dub(captionsOf((at) => `<v ${at}>a`)) },
  { name: 'captions of digits', times: 2, attack: dub(captionsOf(() => '9'.repeat(40))) },
  { name: 'captions of `&`', times: 2, attack: dub(captionsOf(() => '&'.repeat(40))) },
  { name: 'captions of `<i>`', times: 2, attack: dub(captionsOf(() => '<i>a</i>'.repeat(5))) },
  { name: 'a caption of 60,000 characters', times: 2, attack: dub(captionOf('a '.repeat(30_000))) },
  {
    name: 'eight hours of silence between two captions',
    times: 5,
    attack: dub('00:00:00,000 --> 00:00:01,000\nOne.\n\n07:59:58,000 --> 07:59:59,000\nTwo.\n'),
  },
  { name: 'a model file that is cut', times: 1, attack: cutModel },
];

/** @param only a regular expression that the names of those to measure match; default: all */
export async function measureHostile(options: readonly string[], only = ''): Promise<void> {
  await inFolder(async (folder) => {
    const model = join(folder, 'model.gguf');
    await copyFile('models/demo.gguf', model);
    const own = ['--voice-dir', folder, '--lora-dir', join(folder, 'loras'), '--disable-auth'];
    await mkdir(join(folder, 'loras'));
    const server = await startSvcServe([
      ...[...options, ...own, '--model-path', model],
      ...['--wyoming', `tcp://127.0.0.1:${wyomingPort}`],
    ]);
    const probe = fork(join(import.meta.dirname, 'health-probe.ts'), [server.url], { execArgv: ['--import', 'tsx'] });
    const times = async (): Promise<readonly number[]> => {
      const answered = once(probe, 'message') as Promise<[readonly number[]]>;
      probe.send('times');
      return (await answered)[0];
    };
    try {
      // Loads code, and the model.
      for (const attack of [speak({ input: 'Hello.' }), overWyoming('Hello.')]) await attack(server, folder);
      await times();
      console.log('| beside | answers | `/healthz`: median | slowest | memory |\n|---|---|---|---|---|');
      for (const { name, attack, times: count } of cases.filter(({ name }) => new RegExp(only).test(name))) {
        const answers = new Map<string | number, number>();
        await times();
        for (let time = 0; time < count; time += 1) {
          const got = await attack(server, folder);
          answers.set(got, (answers.get(got) ?? 0) + 1);
        }
        const taken = await times();
        const slowest = Math.max(...taken);
        if (slowest > mostMilliseconds || server.child.exitCode !== null) process.exitCode = 1;
        const shown = [...answers].map(([got, number]) => (count === 1 ? got : `${got} × ${number}`)).join(', ');
        const memory = Math.round((await memoryOf(server.url)) / 2 ** 20);
        console.log(
          `| ${name} | ${shown} | ${median(taken).toFixed(1)} ms | ${slowest.toFixed(0)} ms | ${memory} MiB |`,
        );
      }
    } finally {
      probe.disconnect();
      await server.stop();
    }
  });
}
