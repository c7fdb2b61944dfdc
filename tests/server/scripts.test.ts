/** Scripts over HTTP: formats, pauses, voices and pronunciations, in JSON and in forms. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';
import { errorOf, post, startServer, type TestServer } from './start-server.ts';

const sampleRate = 16_000;
const pcm = { response_format: 'pcm', sample_rate: sampleRate, seed: 1 } as const;

let server: TestServer;
let letters: ReadonlyMap<number, string>;

beforeEach(async () => {
  // Each part is five patches of 0.1 s, all of them loud.
  server = await startServer({ backend: { firstLevel: 1, info: { patchSamples: 1600 } } });
  const tokenizer = JSON.parse(String(server.backend.metadata('tokenizer.huggingface.json')));
  letters = new Map(Object.entries<number>(tokenizer.model.vocab).map(([letter, id]) => [id, letter]));
  for (const [id, text] of [
    ['anna', 'annas words'],
    ['ben', 'bens words'],
  ] as const) {
    const form = new FormData();
    form.set('id', id);
    form.set('text', text);
    form.set(
      'audio',
      new Blob([Uint8Array.from(encodeWav(new Float32Array(1600).fill(0.5), sampleRate))]),
      `${id}.wav`,
    );
    expect((await fetch(`${server.url}/v1/voices`, { method: 'POST', body: form })).status).toBe(201);
  }
});
afterEach(() => server.close());

/** Texts that the model was given, in order, with the transcripts in front of them. */
const given = (): readonly string[] =>
  server.backend.prefixes.map(({ tokens, audioMask }) =>
    [...tokens]
      .filter((_, index) => audioMask[index] === 0)
      .map((token) => letters.get(token) ?? '')
      .join('')
      .replaceAll('▁', ' ')
      .trim(),
  );

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
    .map(({ silent, length }) => ({ silent, seconds: (length / sampleRate).toFixed(1) }))
    .map(({ silent, seconds }) => (silent ? `(${seconds})` : seconds))
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
    const response = await speak({ input });
    expect(response.headers.get('Warning')).toBe(`299 svc "${warning.replaceAll('"', '\\"')}"`);
    await response.arrayBuffer();
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
    expect(given().slice(0, 2)).toEqual(
      ['annas words Hello.', 'bens words Hi <unk>pause<unk>1s<unk> there.'].map(spaced),
    );
    expect(given()[2]).toBe('News.');
  });

  it('have the format of the request, and its voices', async () => {
    const input = [
      { voice: 'A', text: 'One [pause:1s] two.' },
      { voice: 'default', text: 'Three [voice:ben] four.' },
    ];
    expect(await receive(await speak({ input, input_format: 'script', voices: { A: 'anna' } }))).toMatch(
      /^0\.5 \(1\.0\) 0\.5 \(0\.4\) 0\.5/,
    );
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

describe('turns with a format', () => {
  it('are read in it', async () => {
    const input = [{ text: 'Hi [pause:2s] there.', format: 'script' }, { text: '# A' }];
    expect(await receive(await speak({ input }))).toBe('0.5 (2.0) 0.5 (0.4) 0.5');
  });
});

describe('a form', () => {
  const form = (fields: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(`${server.url}/tts`, {
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
    const query = new URLSearchParams({
      ...{ input: '# Title\n\nText.', input_format: 'markdown' },
      ...{ response_format: 'pcm' },
    });
    expect(await receive(await fetch(`${server.url}/tts?${query}&sample_rate=16000`))).toBe('0.5 (1.0) 0.5');
  });

  it('warns of pronunciations that it cannot follow', async () => {
    const lexicon = '<lexicon alphabet="ipa"><lexeme><grapheme>gif</grapheme><phoneme>x</phoneme></lexeme></lexicon>';
    const response = await form({ input: 'gif', lexicon });
    expect(response.headers.get('Warning')).toContain('lexicon, line 1: \\"gif\\" is ignored');
    await response.arrayBuffer();
  });

  it.each([
    [{ voices: 'anna' }, 'voices must be pairs of a speaker and a voice such as Anna=anna,Ben=ben, got "anna"'],
    [{ voices: 'A=anna,a=ben' }, 'voices names the speaker "a" twice'],
    [{ lexicon: 'gif jif' }, 'lexicon, line 1: use the form "word = respelling", got "gif jif"'],
    [{ input: '[pause:x]', input_format: 'script' }, 'invalid pause "x" on line 1 of the script'],
  ])('refuses %j', async (fields, message) => {
    const response = await form({ input: 'hello', ...fields });
    expect([response.status, (await errorOf(response)).message]).toEqual([400, expect.stringContaining(message)]);
  });
});

describe('names what is wrong', () => {
  const voices = 'voices must be an object of at most 64 voices with names of 1 to 100 characters, got "A=carl"';
  const many = Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`V${index}`, 'anna']));
  const word = 'w'.repeat(1000);

  it.each([
    ['a string of voices', { voices: 'A=carl' }, voices],
    [
      '70 voices',
      { voices: many },
      'voices must be an object of at most 64 voices with names of 1 to 100 characters, got an object with 70 fields',
    ],
    [
      'a lexicon of text',
      { lexicon: 'a = b' },
      'lexicon must be an object of at most 10000 words of 1 to 200 characters with their respellings, got "a = b"',
    ],
    [
      'a long word',
      { lexicon: { [word]: 'a' } },
      'lexicon must be an object of at most 10000 words of 1 to 200 characters with their respellings, got an object with 1 field',
    ],
    [
      'turns of text',
      { input: ['Hello.'] },
      'turn 1 must be an object with a text, such as {"voice": "anna", "text": "Hello."}, got "Hello."',
    ],
    ['no turns', { input: [] }, 'input must be an array with at least one turn, got an empty array'],
    [
      'many turns',
      { input: Array(1001).fill({ text: 'a' }) },
      'input must be an array of at most 1000 turns, got an array of 1001',
    ],
    ['an unknown key', { input: [{ text: 'a' }, { text: 'b', speed: 2 }] }, 'unknown field "speed" in turn 2'],
  ])('in %s', async (_, body, message) => {
    const response = await speak({ input: 'hello', ...body });
    expect([response.status, (await errorOf(response)).message]).toEqual([400, message]);
  });
});

describe('refuses', () => {
  const numbered = (length: number) => Object.fromEntries(Array.from({ length }, (_, at) => [`V${at}`, 'anna']));
  const many = numbered(65);
  const tags = Array.from({ length: 65 }, (_, index) => `[voice:v${index}] a`).join(' ');

  it.each([
    [
      'an unknown voice',
      { input: 'a [voice:zoe] b', input_format: 'script' },
      404,
      'input',
      'line 1 of the script: unknown voice "zoe" (available: default, anna, ben, alma',
    ],
    [
      'an unknown voice in SSML',
      { input: '<speak>\n<voice name="zoe">a</voice></speak>' },
      404,
      'input',
      'line 2 of the script: unknown voice "zoe"',
    ],
    ['an unknown voice behind a name', { input: 'a', voices: { A: 'zoe' } }, 404, 'voices', 'unknown voice "zoe"'],
    [
      'an unknown voice of a turn',
      { input: [{ voice: 'zoe', text: 'a' }] },
      404,
      'input',
      'turn 1: unknown voice "zoe"',
    ],
    [
      'SSML that is broken',
      { input: '<speak>\n<p>a</speak>' },
      400,
      'input',
      'the SSML is not valid at line 2, column 13: unexpected close tag',
    ],
    [
      'SSML with a document type',
      { input: '<!DOCTYPE x><speak>a</speak>', input_format: 'ssml' },
      400,
      'input',
      'line 1',
    ],
    [
      'a pause that is none',
      { input: 'a [pause:long] b', input_format: 'script' },
      400,
      'input',
      'invalid pause "long" on line 1 of the script: use up to 60 s',
    ],
    [
      'a pause that is too long',
      { input: 'a [pause:61s] b', input_format: 'script' },
      400,
      'input',
      'invalid pause "61s"',
    ],
    [
      'too many voices',
      { input: 'a', voices: many },
      400,
      'voices',
      'voices must be an object of at most 64 voices with names of 1 to 100 characters, got an object with 65 fields',
    ],
    [
      'a long name of a voice',
      { input: 'a', voices: { ['x'.repeat(101)]: 'anna' } },
      400,
      'voices',
      'of 1 to 100 characters',
    ],
    [
      'too many respellings',
      { input: 'a', lexicon: numbered(10_001) },
      400,
      'lexicon',
      'an object of at most 10000 words',
    ],
    [
      'too many voices of a script',
      { input: tags, input_format: 'script' },
      400,
      'input',
      'the script has 65 voices; the limit is 64',
    ],
    [
      'an unknown format',
      { input: 'a', input_format: 'md' },
      400,
      'input_format',
      'input_format must be one of auto, plain, markdown, ssml, script, turns, got "md"',
    ],
    ['a format of another type', { input: 'a', input_format: 1 }, 400, 'input_format', 'got 1'],
    [
      'code of another type',
      { input: 'a', read_code: 'yes' },
      400,
      'read_code',
      'read_code must be true or false, got "yes"',
    ],
    ['voices of another type', { input: 'a', voices: ['anna'] }, 400, 'voices', 'voices must be'],
    ['a voice of another type', { input: 'a', voices: { A: 1 } }, 400, 'voices.A', 'voices.A must be a string, got 1'],
    ['a lexicon of another type', { input: 'a', lexicon: 'gif = jif' }, 400, 'lexicon', 'lexicon must be'],
    [
      'a respelling of another type',
      { input: 'a', lexicon: { gif: 1 } },
      400,
      'lexicon.gif',
      'lexicon.gif must be a text of 1 to 200 characters, got 1',
    ],
    [
      'an empty respelling',
      { input: 'a', lexicon: { gif: '' } },
      400,
      'lexicon.gif',
      'lexicon.gif must be a text of 1 to 200 characters, got ""',
    ],
    [
      'an entry that is too long',
      { input: 'a', lexicon: { ['x'.repeat(201)]: 'a' } },
      400,
      'lexicon',
      'lexicon must be an object of at most 10000 words of 1 to 200 characters',
    ],
    ['no turn', { input: [] }, 400, 'input', 'an array with at least one turn'],
    ['too many turns', { input: Array(1001).fill({ text: 'a' }) }, 400, 'input', 'an array of at most 1000 turns'],
    [
      'a turn without a text',
      { input: [{ text: 'a' }, { voice: 'anna' }] },
      400,
      'input.1.text',
      'text of turn 2 is required',
    ],
    [
      'a turn that is blank',
      { input: [{ text: ' ' }] },
      400,
      'input.0.text',
      'text of turn 1 must be a string with at least one visible character, got " "',
    ],
    [
      'a pause of a turn out of range',
      { input: [{ text: 'a', pause: 61 }] },
      400,
      'input.0.pause',
      'pause of turn 1 must be a number from 0 to 60, got 61',
    ],
    ['a turn that is a string', { input: ['a'] }, 400, 'input.0', 'turn 1 must be'],
    [
      'turns that are too long',
      { input: [{ text: 'a'.repeat(40_000) }, { text: 'b'.repeat(40_000) }] },
      400,
      'input',
      'input has 80000 characters; the limit is 65536',
    ],
    ['turns that are no JSON', { input: '[{', input_format: 'turns' }, 400, 'input', 'must be a JSON array'],
    [
      'an input of another type',
      { input: 5 },
      400,
      'input',
      'input must be a string with at least one visible character, or an array of turns, got 5',
    ],
  ])('%s', async (_, body, status, param, message) => {
    const response = await speak(body);
    const error = await errorOf(response);
    expect([response.status, error]).toEqual([
      status,
      expect.objectContaining({ param, message: expect.stringContaining(message) }),
    ]);
    expect(error.message).not.toContain('\n');
    expect(server.backend.opened).toEqual([]);
  });

  it('with the status of the endpoint', async () => {
    const response = await post(`${server.url}/v1/audio/speech/stream`, { input: [{ text: '' }] });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ error: { param: 'input.0.text' } });
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
      const refused = await speak(input, format);
      expect([format, refused.status, await errorOf(refused)]).toMatchObject([
        format,
        400,
        { message, param: 'input' },
      ]);
    }
    const form = new URLSearchParams({ input: script(11), input_format: 'script' });
    const refused = await fetch(`${server.url}/tts`, { method: 'POST', body: form });
    expect([refused.status, (await errorOf(refused)).message]).toEqual([400, message]);
    expect(server.backend.opened.length).toBe(0);
  });

  it('up to that are spoken, and count once where they follow each other', async () => {
    await server.close();
    server = await startServer({ limits: { pausesSeconds: 2 } });
    for (const input of ['a [pause:1s] b [pause:1s] c', 'a [pause:2s]', `a${'\n\nb'.repeat(20)}`]) {
      const response = await speak(input);
      expect([input, response.status]).toEqual([input, 200]);
      await response.arrayBuffer();
    }
    expect((await speak('a [pause:1s] b [pause:1.5s] c')).status).toBe(400);
  });
});
