/** Scripts over HTTP: formats, pauses, voices and pronunciations, in JSON and in forms. */
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { read, startServer, warningOf, wavOf } from './start-server.ts';
import { expectError, sharedServer } from './test-server.ts';

const sampleRate = 16_000;
const pcm = { response_format: 'pcm', sample_rate: sampleRate, seed: 1 } as const;

// Each part is five patches of 0.1 s, all of them loud.
const server = sharedServer({ backend: { firstLevel: 1, info: { patchSamples: 1600 } } });

beforeAll(async () => {
  for (const id of ['anna', 'ben']) {
    expect((await server.send('/v1/voices', { id, text: `${id}s words`, audio: wavOf(0.1, 0.5) })).status).toBe(201);
  }
});
let earlier = { texts: 0, sessions: 0 };
beforeEach(() => {
  earlier = { texts: server.backend.texts.length, sessions: server.backend.opened.length };
});
/** Texts that the model was given in this test, in order, with the transcripts in front of them. */
const given = (): readonly string[] => server.backend.texts.slice(earlier.texts).map((text) => text.trim());

/** Lengths of sound and silence, in seconds: `0.5 (1.5) 0.5`. */
async function receive(response: Response): Promise<string> {
  expect([response.status, response.ok ? '' : await response.clone().text()]).toEqual([200, '']);
  const bytes = Buffer.from(await response.arrayBuffer());
  const runs: { readonly silent: boolean; length: number }[] = [];
  for (let at = 0; at < bytes.length; at += 2) {
    const silent = Math.abs(bytes.readInt16LE(at)) < 300;
    const last = runs.at(-1);
    if (last?.silent === silent) last.length += 1;
    else runs.push({ silent, length: 1 });
  }
  return runs
    .map(({ silent, length }) => [silent, (length / sampleRate).toFixed(1)])
    .map(([silent, seconds]) => (silent ? `(${seconds})` : seconds))
    .join(' ');
}

const speak = (body: object): Promise<Response> => server.speak({ ...pcm, ...body });

describe('a script', () => {
  it('has pauses', async () => {
    const input = '[pause:300ms] One. [pause:1.5s] Two. [pause:0.7]';
    expect(await receive(await speak({ input, input_format: 'script' }))).toBe('(0.3) 0.5 (1.5) 0.5 (0.7)');
    expect(given()[0]).toBe('One.');
    expect(given()[1]?.endsWith('Two.')).toBe(true);
  });

  it('has the same pauses in parts and at any speed', async () => {
    const body = { input: 'One. [pause:2s] Two.', input_format: 'script' };
    expect(await receive(await speak({ ...body, retry_badcase: true }))).toBe('0.5 (2.0) 0.5');
    expect(await receive(await speak({ ...body, speed: 2 }))).toMatch(/^0\.[23] \((1\.0|0\.9)\) 0\.[23]$/);
  });

  it('names stored voices', async () => {
    const input = '[voice:anna] Good evening. [voice:ben] Hello. [voice:default] News.';
    await receive(await speak({ input, input_format: 'script' }));
    expect(given()).toEqual(['annas words Good evening.', 'bens words Hello.', 'News.'].map(spaced));
  });

  it('is a dialogue of the voices of the request', async () => {
    const input = 'A: Good evening.\nB: Hello.\nNote: all of it.\nA: Thanks.';
    const voices = { A: 'anna', B: 'ben' };
    expect(await receive(await speak({ input, input_format: 'script', voices }))).toMatch(/^0\.5 \(0\.4\) 0\.5/);
    expect(given().map((text) => text.slice(0, 4))).toEqual(['anna', 'bens', 'anna']);
    expect(given()[1]).toContain('all of it.');
  });

  it('needs no format beside voices', async () => {
    const input = 'A: Good evening.\nB: Hello. [voice:ben] Again.';
    await receive(await speak({ input, voices: { A: 'anna', B: 'ben' } }));
    expect(given().map((text) => text.slice(0, 4))).toEqual(['anna', 'bens', 'bens']);
    expect(given().join(' ')).not.toMatch(/A:|B:|voice/);
  });

  it('is Markdown', async () => {
    const input = '# Title\n\nSome *text* with a [link](http://x.y).\n\n```\ncode\n```\n';
    expect(await receive(await speak({ input, input_format: 'markdown' }))).toBe('0.5 (1.0) 0.5');
    expect(given()[1]?.endsWith('Some text with a link.')).toBe(true);
    await receive(await speak({ input: '`````\ncode\n`````', input_format: 'markdown', read_code: true }));
    expect(given().at(-1)).toBe('code');
  });

  it('is Markdown by its structure, without reasoning', async () => {
    const input = '<think>Never.</think># Title\n\nSome text with a [link](http://x.y).';
    expect(await receive(await speak({ input }))).toBe('0.5 (1.0) 0.5');
    expect(given()).toEqual(['Title', expect.stringMatching(/Some text with a link\.$/)]);
  });

  it('is SSML, by its beginning or by name', async () => {
    const input = '<speak>One <break time="800ms"/> two <voice name="anna">three</voice></speak>';
    expect(await receive(await speak({ input }))).toMatch(/^0\.5 \(0\.8\) 0\.5/);
    expect(given()[2]).toBe(spaced('annas words three'));
    await receive(await speak({ input: '<speak>four</speak>', input_format: 'plain' }));
    expect(given()[3]).toContain('speak');
  });

  it('stays text without a format', async () => {
    expect(await receive(await speak({ input: 'One [pause:5s] two [voice:nobody]' }))).toBe('0.5');
  });

  it('has pronunciations', async () => {
    await receive(await speak({ input: 'The GIF and the USA', lexicon: { gif: 'jif', USA: 'you ess ay' } }));
    expect(given()).toEqual(['The jif and the you ess ay']);
  });

  it('warns of what it ignores, in the header and in the last event', async () => {
    const input = '<speak><wobble>One</wobble></speak>';
    const warning = 'unknown SSML element "wobble"; its text is read (line 1)';
    expect(await warningOf(speak({ input }))).toBe(`299 svc "${warning.replaceAll('"', '\\"')}"`);
    const events = await (await speak({ input, stream_format: 'sse' })).text();
    expect(events.trim().split('\n').at(-1)).toContain(JSON.stringify({ warnings: [warning] }).slice(1, -1));
    expect(server.log.join('')).toContain('wobble');
  });
});

/** Transcript and text are joined without a space. */
const spaced = (text: string): string => text.replace('words ', 'words');

describe('turns', () => {
  it('are spoken by their voices, with their pauses', async () => {
    const input = [
      { voice: 'anna', text: 'Hello.' },
      { voice: 'ben', text: 'Hi [pause:1s] there.', pause: 1.5 },
      { text: 'News.', pause: 0.2 },
    ];
    expect(await receive(await speak({ input, normalize: false }))).toBe('0.5 (0.4) 0.5 (1.5) 0.5 (0.2)');
    expect(given().slice(0, 2)).toEqual(['annas words Hello.', 'bens words Hi pause1s there.'].map(spaced));
    expect(given()[2]).toBe('News.');
  });

  it('have the format of the request, and its voices', async () => {
    const input = [
      { voice: 'A', text: 'One [pause:1s] two.' },
      { voice: 'default', text: 'Three [voice:ben] four.' },
    ];
    const received = await receive(await speak({ input, input_format: 'script', voices: { A: 'anna' } }));
    expect(received).toMatch(/^0\.5 \(1\.0\) 0\.5 \(0\.4\) 0\.5/);
    expect(given().map((text) => text.slice(0, 4))).toEqual(['anna', 'anna', 'Thre', 'bens']);
  });

  it('count by their texts, and may hold any character', async () => {
    const text = 'say "no" \\ [voice:ben]\n{x}';
    const response = await speak({ input: [{ text }, { text: 'b' }], stream_format: 'sse' });
    expect(await response.text()).toContain(`"input_tokens":${[...text].length + 1},`);
  });

  it('are silent without words', async () => {
    const response = await speak({ input: [{ text: '...' }] });
    expect([response.status, response.headers.get('X-Job-Id')]).toEqual([200, null]);
  });
});

it('turns with a format are read in it', async () => {
  const input = [{ text: 'Hi [pause:2s] there.', format: 'script' }, { text: '# A' }];
  expect(await receive(await speak({ input }))).toBe('0.5 (2.0) 0.5 (0.4) 0.5');
});

describe('a form', () => {
  const form = (fields: Readonly<Record<string, string>>): Promise<Response> =>
    server.fetch('/tts', {
      method: 'POST',
      body: new URLSearchParams({ response_format: 'pcm', sample_rate: `${sampleRate}`, ...fields }),
    });

  it('takes scripts with voices and pronunciations', async () => {
    const input = 'A: The gif. [pause:1.5s] B: is text. [voice:ben] Bye.';
    const fields = { input, input_format: 'script', voices: 'A=anna', lexicon: '# notes\ngif = jif\n' };
    expect(await receive(await form(fields))).toMatch(/^0\.5 \(1\.5\) 0\.5/);
    expect(given()[0]).toBe(spaced('annas words The jif.'));
    expect(given()[2]).toBe(spaced('bens words Bye.'));
  });

  it('takes them in a query', async () => {
    const fields = { input: '# Title\n\nText.', input_format: 'markdown', response_format: 'pcm' };
    const query = new URLSearchParams({ ...fields, sample_rate: '16000' });
    expect(await receive(await server.fetch(`/tts?${query}`))).toBe('0.5 (1.0) 0.5');
  });

  it('warns of pronunciations that it cannot follow', async () => {
    const lexicon = '<lexicon alphabet="ipa"><lexeme><grapheme>gif</grapheme><phoneme>x</phoneme></lexeme></lexicon>';
    expect(await warningOf(form({ input: 'gif', lexicon }))).toContain('lexicon, line 1: \\"gif\\" is ignored');
  });

  it.each([
    [{ voices: 'anna' }, 'voices must be pairs of a speaker and a voice such as Anna=anna,Ben=ben, got "anna"'],
    [{ voices: 'A=anna,a=ben' }, 'voices names the speaker "a" twice'],
    [{ lexicon: 'gif jif' }, 'lexicon, line 1: use the form "word = respelling", got "gif jif"'],
    [{ input: '[pause:x]', input_format: 'script' }, 'invalid pause "x" on line 1 of the script'],
  ])('refuses %j', async (fields, message) => {
    await expectError(form({ input: 'hello', ...fields }), 400, { message: expect.stringContaining(message) });
  });
});

describe('refuses', () => {
  const numbered = (length: number) => Object.fromEntries(Array.from({ length }, (_, at) => [`V${at}`, 'anna']));
  const tags = Array.from({ length: 65 }, (_, index) => `[voice:v${index}] a`).join(' ');

  const script = (input: string) => ({ input, input_format: 'script' });
  const names = 'voices must be an object of at most 64 voices with names of 1 to 100 characters';
  const words = 'lexicon must be an object of at most 10000 words of 1 to 200 characters with their respellings';

  it.each<readonly [message: string, body: object]>([
    [`${names}, got an object with 65 fields`, { voices: numbered(65) }],
    ['of 1 to 100 characters', { voices: { ['x'.repeat(101)]: 'anna' } }],
    ['an object of at most 10000 words', { lexicon: numbered(10_001) }],
    ['the script has 65 voices; the limit is 64', script(tags)],
    [`${words}, got an object with 1 field`, { lexicon: { ['x'.repeat(201)]: 'a' } }],
    ['input must be an array of at most 1000 turns, got an array of 1001', { input: Array(1001).fill({ text: 'a' }) }],
    ['input has 80000 characters; the limit is 65536', { input: Array(2).fill({ text: 'a'.repeat(40_000) }) }],
  ])('%s', async (message, body) => {
    const param = Object.keys(body)[0] as string;
    await expectError(speak({ input: 'a', ...body }), 400, { param, message: expect.stringContaining(message) });
    expect(server.backend.opened).toHaveLength(earlier.sessions);
  });
});

describe('stated pauses', () => {
  const script = (count: number) => `Hello.${' [pause:60s] a'.repeat(count)}`;
  const speak = (input: unknown, input_format = 'script') => server.speak({ ...pcm, input, input_format });

  it('are refused beyond ten minutes together, on every route', async () => {
    const message = 'the pauses of input last 660 s; the limit is 600 s';
    const turns = Array.from({ length: 11 }, () => ({ text: 'a', pause: 60 }));
    const ssml = `<speak>a${'<break time="60s"/>b'.repeat(11)}</speak>`;
    for (const [input, format] of [
      [script(11), 'script'],
      [ssml, 'ssml'],
      [ssml, 'auto'],
      [turns, 'turns'],
    ] as const) {
      await expectError(speak(input, format), 400, { message, param: 'input' });
    }
    const form = new URLSearchParams({ input: script(11), input_format: 'script' });
    await expectError(server.fetch('/tts', { method: 'POST', body: form }), 400, { message });
    expect(server.backend.opened).toHaveLength(earlier.sessions);
  });

  it('up to that are spoken, and count once where they follow each other', async () => {
    await using limited = await startServer({ limits: { pausesSeconds: 2 } });
    const speak = (input: string) => limited.speak({ ...pcm, input, input_format: 'script' });
    for (const input of ['a [pause:1s] b [pause:1s] c', 'a [pause:2s]', `a${'\n\nb'.repeat(20)}`]) {
      expect([input, (await read(speak(input))).status]).toEqual([input, 200]);
    }
    expect((await speak('a [pause:1s] b [pause:1.5s] c')).status).toBe(400);
  });
});
